#pragma once

#include <memory>
#include <vector>

#include "config/section.h"
#include "mcsteady/config/config.h"
#include "mcsteady/net/tls.h"

namespace mcsteady::config {

/// `tls` of a pool and of a listener; null where there is none. What is found also goes to `uses`,
/// under the name of what has it.
std::shared_ptr<net::TlsClient> read_client_tls(Section& pool, const std::string& name,
                                                std::vector<TlsUse>& uses);
std::shared_ptr<net::TlsServer> read_server_tls(Section& listener, const std::string& address,
                                                std::vector<TlsUse>& uses);

}  // namespace mcsteady::config
