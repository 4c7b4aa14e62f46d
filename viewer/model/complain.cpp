// Prints complaints.
#include "viewer/model/complain.h"

#include <cstdio>

#include <fmt/format.h>

namespace tapescope {

void complain(const std::string& message) { fmt::print(stderr, "tapescope: {}\n", message); }

}  // namespace tapescope
