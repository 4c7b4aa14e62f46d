// The version of this build, and what it was built with (cmake/version.cmake).
#include <fmt/format.h>

#include "viewer/cli/cli.h"

namespace tapescope {

std::string version_text(const std::string& commit) {
  std::string text =
      fmt::format("tapescope {}, commit {}\nwith {}", TAPESCOPE_VERSION, commit, TAPESCOPE_WITH);
  const std::string_view without = TAPESCOPE_WITHOUT;
  if (!without.empty()) text += fmt::format("; without {}", without);
  return text;
}

}  // namespace tapescope
