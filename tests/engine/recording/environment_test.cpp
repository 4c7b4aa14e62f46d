// Variables of the environment: each says what it takes, and what it does not take is refused by name.
#include "engine/recording/environment.h"

#include <unistd.h>

#include "engine/core/error.h"
#include "engine/events/session.h"
#include "tests/support/catch.h"
#include "tests/support/error_of.h"
#include "tests/support/set_variable.h"

using namespace tapescope;
using namespace tapescope::record;
using test::SetVariable;

TEST_CASE("TAPESCOPE_FLIGHT_BUDGET is a number of MiB, and 256 of them without it", "[environment]") {
  const auto budget = [](const char* text) {
    const SetVariable set("TAPESCOPE_FLIGHT_BUDGET", text);
    return default_flight_budget();
  };
  CHECK(budget(nullptr) == std::size_t{256} << 20);
  CHECK(budget("") == std::size_t{256} << 20);
  CHECK(budget("0") == 0);
  CHECK(budget("1") == std::size_t{1} << 20);
  CHECK(budget("1073741824") == std::size_t{1} << 50);
  for (const char* wrong :
       {"1073741825", "99999999999999999999", "-1", "+1", "1.5", "64M", "64 ", " 64", "x"}) {
    CHECK(error_of([&] { budget(wrong); }) ==
          "TAPESCOPE_FLIGHT_BUDGET is '" + std::string(wrong) +
              "'; expected a number of MiB that each thread may hold of its step, 0 for none");
  }
}

TEST_CASE("TAPESCOPE_RECORD_BUDGET is a number of megabytes up to a million, one without it",
          "[environment]") {
  const auto options = [](const char* budget, const char* rule = "first") {
    const SetVariable megabytes("TAPESCOPE_RECORD_BUDGET", budget), values("TAPESCOPE_RECORD_VALUES", rule);
    return values_from_environment();
  };
  CHECK(options(nullptr).budget == 1'000'000);
  CHECK(options("").budget == 1'000'000);
  CHECK(options("0").budget == 0);
  CHECK(options("0.25").budget == 250'000);
  CHECK(options("0.25").limits.whole_bytes == 15'625);  // a sixteenth
  CHECK(options("1e6").budget == 1'000'000'000'000);
  for (const char* wrong : {"1000001", "-0.1", "inf", "nan", "1MB", "1 ", "x"}) {
    CHECK(error_of([&] { options(wrong); }) == "TAPESCOPE_RECORD_BUDGET: '" + std::string(wrong) +
                                                   "' is no number of megabytes from 0 to a million");
    // Where no values are kept as well: the mistake would show only once they are.
    CHECK_FALSE(error_of([&] { options(wrong, nullptr); }).empty());
  }
}

TEST_CASE("TAPESCOPE_RECORD_VALUES is a rule, and without it no values are kept", "[environment]") {
  const auto options = [](const char* rule) {
    const SetVariable megabytes("TAPESCOPE_RECORD_BUDGET", nullptr), values("TAPESCOPE_RECORD_VALUES", rule);
    return values_from_environment();
  };
  CHECK(options(nullptr).rule.empty());
  CHECK(options("").rule.empty());
  CHECK(options("none").rule.empty());
  CHECK(options("last").rule.last);
  CHECK(options("every:7").rule.every == 7);
  CHECK(options("first,only:dense").limits.only == std::vector<std::string>{"dense"});
  for (const char* wrong : {"zonk", "first,", ",", "every:0", "every:", "0", "-1", "only:w", "first,only:"}) {
    const std::string said = error_of([&] { options(wrong); });
    CHECK(said.starts_with("TAPESCOPE_RECORD_VALUES: '" + std::string(wrong) +
                           "' does not say whose values to keep; expected none, or a list of "));
  }
}

TEST_CASE("the name of a recording holds the process, the host and the rank", "[environment]") {
  const std::string process = std::to_string(getpid());
  CHECK(recording_path("run.tape") == "run.tape");
  CHECK(recording_path("%p.tape") == process + ".tape");
  CHECK(recording_path("%p.tape", 17) == "17.tape");
  CHECK(recording_path("a%p%pb", 5) == "a55b");
  // What is no placeholder stays.
  CHECK(recording_path("100%") == "100%");
  CHECK(recording_path("%") == "%");
  CHECK(recording_path("%x%p%", 5) == "%x5%");
  CHECK(recording_path("%%p", 5) == "%5");
  char host[256] = "";
  REQUIRE(gethostname(host, sizeof host - 1) == 0);
  CHECK(recording_path("%h-%p", 5) == std::string(host) + "-5");
}
