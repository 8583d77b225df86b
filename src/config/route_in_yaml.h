#pragma once

#include <string>

#include "mcsteady/routing/route.h"

namespace mcsteady::config {

/// A route in one line of YAML, which reads as the same route.
std::string route_in_yaml(const routing::RouteOptions& route);

}  // namespace mcsteady::config
