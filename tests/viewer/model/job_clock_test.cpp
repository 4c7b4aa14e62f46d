// Where processes stand on the clock of their machine, and which do not share one.
#include "viewer/model/job_clock.h"

#include "tests/support/catch.h"

using namespace tapescope;

namespace {

ProcessClock process_at(std::uint64_t ticks, double tick_ns = 0.5, const char* boot = "one") {
  return {.name = "rank", .pid = 7, .first_ticks = ticks, .tick_ns = tick_ns, .boot = boot};
}

}  // namespace

TEST_CASE("processes of a machine stand where their first events came", "[clock]") {
  const ProcessClock clocks[] = {process_at(5'000), process_at(3'000), process_at(4'000, 0.5 * (1 + 1e-4))};
  for (std::size_t of = 0; of < 3; ++of) {
    const auto offsets = offsets_us(clocks, of);
    REQUIRE((offsets[0] && offsets[1] && offsets[2]));
    CHECK(*offsets[0] == Approx(1).epsilon(1e-3));
    CHECK(*offsets[1] == 0);
    CHECK(*offsets[2] == Approx(0.5).epsilon(1e-3));
  }
}

TEST_CASE("another clock, another start of a machine or no event have no place beside the others",
          "[clock]") {
  const ProcessClock here = process_at(5'000), older = process_at(9'000, 0.5, ""), silent = process_at(0);
  for (const ProcessClock& other :
       {process_at(3'000, 0.6), process_at(3'000, 0.5, "two"), process_at(3'000, 0), silent}) {
    const ProcessClock clocks[] = {here, other, older};
    const auto offsets = offsets_us(clocks, 0);
    CHECK(*offsets[0] == 0);
    CHECK_FALSE(offsets[1]);
    // A process without its machine's start is taken by the speed of its clock.
    CHECK(*offsets[2] == Approx(2));
  }
  CHECK(share_clock(here, silent));
  CHECK_FALSE(share_clock(here, process_at(1, 0.5, "two")));
  CHECK_FALSE(share_clock(process_at(1, 0), process_at(1, 0)));
}

TEST_CASE("a clock is what the recording's facts and the first event say", "[clock]") {
  Snapshot snapshot;
  snapshot.first_ticks = 42;
  const ProcessClock clock =
      clock_of({{"name", "fit"}, {"pid", "11"}, {"tick_ns", "0.25"}, {"boot", "b"}}, &snapshot);
  CHECK((clock.name == "fit" && clock.pid == 11 && clock.first_ticks == 42 && clock.tick_ns == 0.25 &&
         clock.boot == "b"));
  const ProcessClock nothing = clock_of({}, nullptr);
  CHECK((nothing.pid == 0 && nothing.first_ticks == 0 && nothing.tick_ns == 0));
}
