// Figures for people.
#include "viewer/model/units.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace tapescope {

std::string format_us(double us) {
  if (!std::isfinite(us)) return "–";
  if (us < 0) return "-" + format_us(-us);
  if (us == 0) return "0 µs";
  if (us < 0.1) return "<0.1 µs";
  if (us < 100) return fmt::format("{:.1f} µs", us);
  if (us < 1e4) return fmt::format("{:.0f} µs", us);
  if (us < 1e6) return fmt::format("{:.1f} ms", us / 1e3);
  return fmt::format("{:.2f} s", us / 1e6);
}

std::string format_us_beside(double microseconds, double other) {
  const double change = 100 * (microseconds / other - 1);
  if (!(other >= 0.1) || !(std::abs(change) >= 0.5)) return format_us(microseconds);
  return fmt::format("{} {:+.0f} %", format_us(microseconds), change);
}

std::string format_bytes(double bytes) {
  if (!std::isfinite(bytes)) return "–";
  static constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  double value = bytes;
  while (std::abs(value) >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 || std::abs(value) >= 100 ? fmt::format("{:.0f} {}", value, kUnits[unit])
                                             : fmt::format("{:.3g} {}", value, kUnits[unit]);
}

std::string format_count(double count) {
  if (!std::isfinite(count)) return "–";
  static constexpr std::array<const char*, 5> kUnits = {"", " k", " M", " G", " T"};
  std::size_t unit = 0;
  double value = count;
  while (std::abs(value) >= 10'000 || (unit > 0 && std::abs(value) >= 1000)) {
    if (unit + 1 == kUnits.size()) break;
    value /= 1000;
    ++unit;
  }
  if (unit == 0 && value == std::floor(value)) return fmt::format("{:.0f}", value);
  return fmt::format("{:.3g}{}", value, kUnits[unit]);
}

std::string format_value(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  if (value == 0) return "0";
  const double size = std::abs(value);
  return size >= 1e-4 && size < 1e6 ? fmt::format("{:.4g}", value) : fmt::format("{:.2g}", value);
}

std::string format_percent(double share) {
  if (!std::isfinite(share)) return "–";
  const bool whole = share == 0 || std::abs(share) >= 0.9995;
  return fmt::format("{:.{}f} %", share * 100, whole ? 0 : 1);
}

std::string format_age(double seconds) {
  if (seconds < 60) return fmt::format("{:.0f} s", std::max(0.0, std::floor(seconds)));
  if (seconds < 3600) return fmt::format("{:.0f} min", std::floor(seconds / 60));
  if (seconds < 86400) return fmt::format("{:.0f} h", std::floor(seconds / 3600));
  const double days = std::floor(seconds / 86400);
  return fmt::format("{:.0f} day{}", days, days == 1 ? "" : "s");
}

}  // namespace tapescope
