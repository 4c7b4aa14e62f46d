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

TEST_CASE("a gradient of C++ that came to life after a round in which it was zero is no zero", "[store]") {
  const auto row = [](std::uint32_t call, GradientStatus status, const char* asked_at) {
    GradientRow made;
    made.source = "up";
    made.source_id = 4;
    made.asked_at = asked_at;
    made.call = call;
    made.status = status;
    return made;
  };
  const auto left = [&](GradientStatus first, GradientStatus second, const char* asked_at) {
    std::vector<GradientRow> rows{row(0, first, asked_at), row(1, second, asked_at)};
    leave_one_of_each(rows);
    return rows.size();
  };
  CHECK(left(GradientStatus::zero, GradientStatus::value, "adapter.cpp:9") == 1);
  CHECK(left(GradientStatus::value, GradientStatus::zero, "adapter.cpp:9") == 2);  // it died
  CHECK(left(GradientStatus::none, GradientStatus::value, "adapter.cpp:9") == 2);
  CHECK(left(GradientStatus::zero, GradientStatus::value, "adapter.py:9") == 2);
}
