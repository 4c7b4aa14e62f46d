// The version of this build, and what it was built with (cmake/version.cmake).
#include <fmt/format.h>

#include "viewer/cli/cli.h"

namespace tapescope {

std::string version_text(const std::string& commit) {
  return fmt::format("tapescope {}, commit {}\nwith {}; without {}", TAPESCOPE_VERSION, commit,
                     TAPESCOPE_WITH, TAPESCOPE_WITHOUT);
}

}  // namespace tapescope
