// A run is compared with an earlier one's document, whatever is in it.
#include "viewer/export/baseline.h"

#include "tests/support/catch.h"
#include "viewer/export/report_json.h"

using namespace tapescope;

TEST_CASE("an earlier run's document says what got worse", "[baseline]") {
  RunReport report;
  report.sample = "nan-hunt";
  report.variant = "broken";
  report.steps = 3;
  report.step.median = 100;
  report.step.p90 = 110;
  report.tape.recorded = 7;
  report.has_events = true;
  const auto then = read_baseline(json_of(report).dump());
  REQUIRE(then);
  CHECK(then->sample == "nan-hunt");
  CHECK(then->variant == "broken");
  CHECK(then->median == 100);
  CHECK(regressions(report, *then).empty());
  report.tape.recorded = 9;
  CHECK(regressions(report, *then) == std::vector<std::string>{"ops recorded went from 7 to 9"});
  report.tape.recorded = 7;
  report.step.median = 120;
  CHECK(regressions(report, *then).empty());
  report.step.median = 126;
  CHECK(regressions(report, *then).size() == 1);
}

TEST_CASE("what is no run document is no baseline, fields of another type are passed over", "[baseline]") {
  for (const char* text :
       {"", "3", "[]", "{", R"({"time": {}})", R"({"sample": "a"})", R"({"sample": 3, "time": {}})"})
    CHECK_FALSE(read_baseline(text));
  const auto odd =
      read_baseline(R"({"sample": "a", "variant": 4, "time": [1], "tape": {"recorded": "many"}})");
  REQUIRE(odd);
  CHECK(odd->variant.empty());
  CHECK(odd->median == 0);
  CHECK_FALSE(odd->recorded);
  const auto deep =
      read_baseline(R"({"sample": "a", "time": {"step": {"median": "x", "p90": []}}, "tape": 5})");
  REQUIRE(deep);
  CHECK(deep->median == 0);
  CHECK(deep->p90 == 0);
}
