// Percentiles and the interval of a ratio: small statistics that reports and comparisons share.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tapescope {

struct Quantiles {
  double median = 0, p10 = 0, p90 = 0, min = 0;  // NaN when there was nothing to measure
};
// Percentiles by linear interpolation between order statistics.
Quantiles quantiles_of(std::vector<double> values);
double percentile_of(std::span<const double> sorted, double share);
// The median alone, which reorders the values and does not sort them; NaN of none.
double median_of(std::span<double> values);

// How times are spread, and which is the longest.
struct TimeSpread {
  double p10 = 0, median = 0, p90 = 0;
  std::size_t slowest = 0;          // index of the longest
  std::vector<std::uint32_t> bins;  // equal ones from the shortest on; what is far out is in the last. Empty
                                    // where there are no times
};
TimeSpread spread_of(std::span<const float> times);

struct Ratio {
  double value = 0, low = 0, high = 0;  // NaN when there was nothing to compare
};
// Median of b[i] / a[i] and its 95 % bootstrap interval: 1,000 resamples of the pairs with a fixed seed, so
// that the same times give the same interval. Pairs with a time of zero are left out.
Ratio ratio_of(std::span<const double> a, std::span<const double> b);
// The same for times of different runs: median of b over median of a, each resampled on its own.
Ratio unpaired_ratio_of(std::span<const double> a, std::span<const double> b);

}  // namespace tapescope
