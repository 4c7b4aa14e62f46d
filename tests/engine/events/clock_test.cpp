// The event clock against the steady clock, and against itself later.
#include "engine/events/clock.h"

#include <chrono>
#include <thread>

#include "tests/support/catch.h"

using namespace tapescope;

TEST_CASE("equal ticks are equal times however long the process has run", "[events]") {
  const double at_first = microseconds(1'000'000'000);
  std::this_thread::sleep_for(std::chrono::milliseconds(120));
  CHECK(microseconds(1'000'000'000) == at_first);
}

TEST_CASE("ticks measure what the steady clock measures", "[events]") {
  const auto begin = std::chrono::steady_clock::now();
  const Ticks first = ticks();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const double inner = microseconds(ticks() - first);
  const double outer =
      std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
  CHECK(inner >= 20'000 * 0.999);
  CHECK(inner <= outer * 1.001);
}
