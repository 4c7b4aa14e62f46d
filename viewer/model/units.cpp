// Numbers for people: three or four digits and a unit.
#include <cmath>

#include <fmt/format.h>

#include "viewer/model/report.h"

namespace tapescope {
namespace {

std::string scaled(double value, const char* const (&units)[5], double step) {
  if (!std::isfinite(value)) return "-";
  int unit = 0;
  while (std::fabs(value) >= step && unit < 4) {
    value /= step;
    ++unit;
  }
  if (unit == 0 && value == std::floor(value)) return fmt::format("{:.0f}{}", value, units[unit]);
  return fmt::format("{:.1f}{}", value, units[unit]);
}

}  // namespace

std::string time_text(double microseconds) {
  if (!std::isfinite(microseconds)) return "-";
  if (std::fabs(microseconds) < 1000) return fmt::format("{:.1f} µs", microseconds);
  if (std::fabs(microseconds) < 1e6) return fmt::format("{:.1f} ms", microseconds / 1e3);
  return fmt::format("{:.2f} s", microseconds / 1e6);
}

std::string bytes_text(double bytes) {
  static constexpr const char* kUnits[5] = {" B", " KB", " MB", " GB", " TB"};
  return scaled(bytes, kUnits, 1000);
}

std::string count_text(double count) {
  static constexpr const char* kUnits[5] = {"", " k", " M", " G", " T"};
  return scaled(count, kUnits, 1000);
}

}  // namespace tapescope
