// Promises of how figures are written.
#include "viewer/model/units.h"

#include <cmath>

#include "tests/support/catch.h"

using namespace tapescope;

TEST_CASE("figures are written with their unit and few digits", "[units]") {
  CHECK(format_us(0.04) == "<0.1 µs");
  CHECK(format_us(-31.24) == "-31.2 µs");
  CHECK(format_us(31.24) == "31.2 µs");
  CHECK(format_us(4204) == "4204 µs");
  CHECK(format_us(42'040) == "42.0 ms");
  CHECK(format_us(4.2e6) == "4.20 s");
  CHECK(format_us(NAN) == "–");
  CHECK(format_bytes(0) == "0 B");
  CHECK(format_bytes(256) == "256 B");
  CHECK(format_bytes(258 * 1024) == "258 KiB");
  CHECK(format_bytes(1.5 * 1024) == "1.5 KiB");
  CHECK(format_count(640) == "640");
  CHECK(format_count(328'000) == "328 k");
  CHECK(format_count(26.3e6) == "26.3 M");
  CHECK(format_value(0) == "0");
  CHECK(format_value(0.0921) == "0.0921");
  CHECK(format_value(-1.2e-10) == "-1.2e-10");
  CHECK(format_value(NAN) == "NaN");
  CHECK(format_value(-INFINITY) == "-Infinity");
  CHECK(format_percent(0.712) == "71.2 %");
  CHECK(format_us_beside(8.96, 8) == "9.0 µs +12 %");
  CHECK(format_us_beside(8.01, 8) == "8.0 µs");
  CHECK(format_us_beside(8, 0.05) == "8.0 µs");
  CHECK(format_us_beside(8, NAN) == "8.0 µs");
  CHECK(format_percent(1) == "100 %");
}
