#pragma once

#include <vector>

#include "placement/members.h"
#include "placement/sorted_points.h"

namespace mcsteady::placement {

/// The points of the ring that the options describe, in order, one of a value. `weighted` decides
/// for Ring::Libmemcached.
std::vector<Point> ring_points(const PlacementOptions& options, const Members& members,
                               bool weighted);

}  // namespace mcsteady::placement
