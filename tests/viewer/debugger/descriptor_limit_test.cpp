// What the window takes for itself is not what a program that it starts gets.
#include "viewer/debugger/descriptor_limit.h"

#include <string>

#include "tests/support/catch.h"
#include "viewer/debugger/launch.h"

using namespace tapescope;

namespace {

rlim_t limit_now() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur;
}

// Whether a shell that is launched has that limit.
bool is_launched_with(rlim_t limit) {
  Launch launch;
  launch.words = {"sh", "-c", "test $(ulimit -n) -eq " + std::to_string(limit)};
  LaunchedProgram program(launch);
  program.wait();
  return program.exit_code() == 0;
}

}  // namespace

TEST_CASE("a raised limit of descriptors is the window's alone") {
  rlimit small{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &small) == 0);
  const rlimit before = small;
  small.rlim_cur = 256;
  REQUIRE(setrlimit(RLIMIT_NOFILE, &small) == 0);
  CHECK(is_launched_with(256));
  raise_descriptor_limit();
  CHECK(limit_now() > 256);
  CHECK(is_launched_with(256));
  CHECK(limit_now() > 256);
  setrlimit(RLIMIT_NOFILE, &before);
}
