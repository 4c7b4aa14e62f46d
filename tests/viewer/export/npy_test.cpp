// Arrays of steps: one record a step, with each metric's value of that very step.
#include <cmath>
#include <cstring>

#include "tests/support/catch.h"
#include "viewer/export/files.h"

using namespace tapescope;

TEST_CASE("a metric is NaN in the steps that did not report it", "[npy]") {
  Snapshot snapshot;
  for (const std::uint64_t step : {2, 3, 5, 8}) snapshot.steps.push_back({.step = step, .step_us = 1.5});
  MetricSeries& loss = snapshot.metrics.emplace_back();
  loss.name = "loss";
  for (const std::uint64_t step : {1, 3, 4, 5}) loss.points.push_back({step, 10.0 * double(step)});
  loss.points.push_back({8, 80});
  loss.points.truncate(4);  // that step was undone, and ran again without a report
  const std::string file = steps_npy(snapshot);
  constexpr std::size_t kFields = 6;  // step, four times, loss
  REQUIRE(file.size() % 64 == 4 * kFields * 8 % 64);
  const std::string rows = file.substr(file.size() - 4 * kFields * 8);
  const auto number = [&](std::size_t row, std::size_t field, auto as) {
    std::memcpy(&as, rows.data() + (row * kFields + field) * 8, 8);
    return as;
  };
  CHECK(number(0, 0, std::uint64_t{}) == 2);
  CHECK(number(3, 0, std::uint64_t{}) == 8);
  CHECK(number(2, 1, double{}) == 1.5);
  CHECK(std::isnan(number(0, 5, double{})));
  CHECK(number(1, 5, double{}) == 30);
  CHECK(number(2, 5, double{}) == 50);
  CHECK(std::isnan(number(3, 5, double{})));
}

TEST_CASE("the fields of an array of steps have names that Python reads, each another", "[npy]") {
  Snapshot snapshot;
  for (const char* name : {"loss", "it's", "a\\b", "two\nlines", "step", "step", "step_us", "\n", ""})
    snapshot.metrics.emplace_back().name = name;
  const std::string file = steps_npy(snapshot);
  CHECK(file.size() % 64 == 0);
  CHECK(file.substr(10, file.find_last_not_of(" \n") - 9) ==
        "{'descr': [('step', '<u8'), ('step_us', '<f8'), ('forward_us', '<f8'), ('backward_us', '<f8'), "
        "('update_us', '<f8'), ('loss', '<f8'), ('it\\'s', '<f8'), ('a\\\\b', '<f8'), ('twolines', '<f8'), "
        "('step_', '<f8'), ('step__', '<f8'), ('step_us_', '<f8'), ('', '<f8'), ('_', '<f8')], "
        "'fortran_order': False, 'shape': (0,), }");
}

TEST_CASE("the header of an array ends where data of 64 bytes begins, whatever its length", "[npy]") {
  for (std::size_t length = 1; length <= 130; ++length) {
    Snapshot snapshot;
    snapshot.metrics.emplace_back().name = std::string(length, 'x');
    const std::string file = steps_npy(snapshot);
    std::uint16_t header = 0;
    std::memcpy(&header, file.data() + 8, sizeof header);
    CHECK(file.starts_with(std::string("\x93NUMPY\x01\x00", 8)));
    CHECK(header + 10u == file.size());
    CHECK(file.size() % 64 == 0);
    CHECK((file.back() == '\n' && file.find_last_not_of(" \n") + 1 + 64 >= file.size() - 1));
  }
  Snapshot many;
  many.metrics.emplace_back().name = std::string(70'000, 'x');
  CHECK_THROWS_WITH(steps_npy(many),
                    "the program reported more metrics than an .npy header has room for; "
                    "export sqlite instead");
}
