#pragma once

#include <expected>

namespace mcsteady {

/// A value, or an error that the caller can switch on. Bytes, peers, files and the kernel can be
/// wrong: that is a Result. Our own code can be wrong: that is an assert.
template <class T, class E>
using Result = std::expected<T, E>;
template <class E>
using Unexpected = std::unexpected<E>;

}  // namespace mcsteady
