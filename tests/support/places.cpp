// The places, from definitions of this build.
#include "tests/support/places.h"

namespace tapescope {

std::string tests_folder() { return TAPESCOPE_TESTS_DIR; }
std::string tapescope_binary() { return TAPESCOPE_BINARY; }

}  // namespace tapescope
