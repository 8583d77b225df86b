#pragma once

#include <functional>
#include <memory>
#include <string>

#include "discovery/candidate.h"
#include "mcsteady/net/event_loop.h"
#include "mcsteady/net/resolver.h"
#include "mcsteady/routing/options.h"

namespace mcsteady::discovery {

using ListingCallback = std::function<void(Result<Listing, std::string>)>;

/// Something that can be asked which servers a pool has. Thread: its loop's.
class Source {
 public:
  virtual ~Source() = default;
  /// One question at a time. Answers in a later turn, with a sentence where it failed; not any more
  /// once the source is destroyed, which must not happen in the callback.
  virtual void ask(ListingCallback callback) = 0;
};

/// `options.source` is no list. `loop` and `resolver` outlive it.
std::unique_ptr<Source> make_source(const routing::PoolOptions& options, net::EventLoop& loop,
                                    net::Resolver& resolver);

}  // namespace mcsteady::discovery
