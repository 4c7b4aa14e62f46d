// Says of infinities which they are where that was counted.
#include "viewer/model/value_figures.h"

#include <string_view>

#include <fmt/format.h>

#include "viewer/model/units.h"

namespace tapescope {
namespace {

std::string_view which_infinity(const TensorStats& stats) {
  if (!stats.signs_known) return {};
  if (stats.negative_infinities == 0) return "Infinity";
  return stats.negative_infinities == stats.infinities ? "-Infinity" : "";
}

}  // namespace

ValueFigures figures_of(const TensorStats& stats) {
  ValueFigures figures{.norm = format_value(stats.norm)};
  if (stats.count == 0 || stats.nans + stats.infinities < stats.count) {
    figures.mean = format_value(stats.mean);
    figures.min = format_value(stats.min);
    figures.max = format_value(stats.max);
    return figures;
  }
  const std::string_view same = which_infinity(stats);
  figures.mean = stats.nans > 0 ? "NaN" : same.empty() ? "not finite" : same;
  figures.min = figures.max = figures.mean;
  if (stats.nans == 0 && same.empty() && stats.signs_known) {
    figures.mean = "NaN";  // one infinity less another
    figures.min = "-Infinity";
    figures.max = "Infinity";
  }
  return figures;
}

std::string nonfinite_text(const TensorStats& stats) {
  const auto are = [](std::int64_t some, std::string_view what) {
    return fmt::format("{} {}", some == 1 ? "is" : "are", what);
  };
  const std::string_view same = which_infinity(stats);
  const std::string infinite = are(stats.infinities, same.empty() ? "infinite" : same);
  if (stats.nans == 0)
    return stats.infinities == 0 ? "" : fmt::format("{} of {} {}", stats.infinities, stats.count, infinite);
  std::string text = fmt::format("{} of {} {}", stats.nans, stats.count, are(stats.nans, "NaN"));
  if (stats.infinities > 0) text += fmt::format(" and {} {}", stats.infinities, infinite);
  return text;
}

}  // namespace tapescope
