#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "config/section.h"
#include "mcsteady/proxy/options.h"

namespace mcsteady::config {

/// The endpoint that a scalar holds; what is wrong with it is reported under the name `key`.
std::optional<net::Endpoint> read_endpoint(const YamlNode& node, std::string_view key,
                                           ErrorList& errors);

/// The items of `listen`, which is a list of endpoints and of maps with an `address`. Port 0 is
/// left to the kernel.
std::vector<proxy::ListenerOptions> read_listeners(const YamlNode& list, std::vector<TlsUse>& tls,
                                                   ErrorList& errors);

}  // namespace mcsteady::config
