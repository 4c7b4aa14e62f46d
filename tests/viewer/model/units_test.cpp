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

TEST_CASE("where a unit or a form begins the figure is written in it", "[units]") {
  CHECK(format_us(0) == "0 µs");
  CHECK(format_us(0.1) == "0.1 µs");
  CHECK(format_us(99.9) == "99.9 µs");
  CHECK(format_us(100) == "100 µs");
  CHECK(format_us(9999) == "9999 µs");
  CHECK(format_us(1e4) == "10.0 ms");
  CHECK(format_us(1e6) == "1.00 s");
  CHECK(format_us(-0.04) == "-<0.1 µs");
  CHECK(format_us(INFINITY) == "–");
  CHECK(format_us_beside(0.2, 0.1) == "0.2 µs +100 %");
  CHECK(format_us_beside(8.08, 8) == "8.1 µs +1 %");
  CHECK(format_us_beside(4, 8) == "4.0 µs -50 %");
  CHECK(format_bytes(1023) == "1023 B");
  CHECK(format_bytes(1024) == "1 KiB");
  CHECK(format_bytes(-2048) == "-2 KiB");
  CHECK(format_bytes(99.5 * 1024) == "99.5 KiB");
  CHECK(format_bytes(100 * 1024) == "100 KiB");
  CHECK(format_bytes(1024.0 * 1024 * 1024 * 1024 * 4096) == "4096 TiB");
  CHECK(format_bytes(NAN) == "–");
  CHECK(format_count(9999) == "9999");
  CHECK(format_count(10'000) == "10 k");
  CHECK(format_count(999'499) == "999 k");
  CHECK(format_count(1e6) == "1 M");
  CHECK(format_count(2.5) == "2.5");
  CHECK(format_count(-12'000) == "-12 k");
  CHECK(format_count(5e15) == "5e+03 T");
  CHECK(format_count(NAN) == "–");
  CHECK(format_value(INFINITY) == "Infinity");
  CHECK(format_value(1e-4) == "0.0001");
  CHECK(format_value(0.99e-4) == "9.9e-05");
  CHECK(format_value(1.234e7) == "1.2e+07");
  CHECK(format_value(999'900) == "9.999e+05");
  CHECK(format_value(12.345) == "12.35");
  CHECK(format_percent(0) == "0 %");
  CHECK(format_percent(0.9994) == "99.9 %");
  CHECK(format_percent(0.9995) == "100 %");
  CHECK(format_percent(-1) == "-100 %");
  CHECK(format_percent(NAN) == "–");
  CHECK(format_age(-3) == "0 s");
  CHECK(format_age(59.9) == "59 s");
  CHECK(format_age(60) == "1 min");
  CHECK(format_age(3599) == "59 min");
  CHECK(format_age(3600) == "1 h");
  CHECK(format_age(86'399) == "23 h");
  CHECK(format_age(86'400) == "1 day");
  CHECK(format_age(200'000) == "2 days");
}
