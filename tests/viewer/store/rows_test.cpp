// Rows of a loop's rounds, of which one is left.
#include "viewer/store/rows.h"

#include "tests/support/catch.h"

using namespace tapescope;

TEST_CASE("of a guess and a proof for one source the proof is left", "[store]") {
  const auto row = [](std::uint32_t call, bool guess, const char* message) {
    GradientRow made;
    made.source = "decay";
    made.asked_at = "market.cpp:35";
    made.call = call;
    made.status = GradientStatus::none;
    made.reason = "host_round_trip";
    made.message = message;
    made.guess = guess;
    return made;
  };
  std::vector<GradientRow> rows{row(0, true, "first"), row(1, false, "second"), row(2, false, "third"),
                                row(3, true, "fourth")};
  leave_one_of_each(rows);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].message == "second");
}
