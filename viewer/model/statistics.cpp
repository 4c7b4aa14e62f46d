// Percentiles and bootstrap intervals.
#include "viewer/model/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace tapescope {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Beyond some thousand values the interval is as narrow as it gets, and resampling them would take seconds.
void thin(std::vector<double>& values) {
  constexpr std::size_t kMost = 4000;
  if (values.size() <= kMost) return;
  std::vector<double> thinned;
  for (std::size_t i = 0; i < kMost; ++i) thinned.push_back(values[i * values.size() / kMost]);
  values.swap(thinned);
}

constexpr int kResamples = 1000;

}  // namespace

TimeSpread spread_of(std::span<const float> times) {
  constexpr std::size_t kBins = 32;
  TimeSpread spread;
  if (times.empty()) return spread;
  std::vector<double> sorted(times.begin(), times.end());
  std::ranges::sort(sorted);
  spread.p10 = percentile_of(sorted, 0.1);
  spread.median = percentile_of(sorted, 0.5);
  spread.p90 = percentile_of(sorted, 0.9);
  spread.slowest = static_cast<std::size_t>(std::ranges::max_element(times) - times.begin());
  // One slow step does not push all others into one bin.
  const double low = sorted.front(),
               high = std::min(sorted.back(), spread.p90 + 2 * (spread.p90 - spread.p10));
  spread.bins.resize(kBins);
  for (const double time : sorted) {
    const double share = high > low ? (time - low) / (high - low) : 0;
    ++spread.bins[std::min(kBins - 1, static_cast<std::size_t>(share * static_cast<double>(kBins)))];
  }
  return spread;
}

double percentile_of(std::span<const double> sorted, double share) {
  if (sorted.empty()) return kNaN;
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double median_of(std::span<double> values) {
  if (values.empty()) return kNaN;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

Quantiles quantiles_of(std::vector<double> values) {
  if (values.empty()) return {kNaN, kNaN, kNaN, kNaN};
  std::sort(values.begin(), values.end());
  return {percentile_of(values, 0.5), percentile_of(values, 0.1), percentile_of(values, 0.9), values.front()};
}

Ratio ratio_of(std::span<const double> a, std::span<const double> b) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i] > 0 && b[i] > 0) ratios.push_back(b[i] / a[i]);
  }
  if (ratios.empty()) return {kNaN, kNaN, kNaN};
  thin(ratios);
  std::mt19937_64 random(12345);
  std::vector<double> medians, sample(ratios.size());
  medians.reserve(kResamples);
  for (int r = 0; r < kResamples; ++r) {
    // A plain remainder: the standard's distributions differ between libraries.
    for (double& value : sample) value = ratios[random() % ratios.size()];
    medians.push_back(median_of(sample));
  }
  std::sort(medians.begin(), medians.end());
  return {median_of(ratios), percentile_of(medians, 0.025), percentile_of(medians, 0.975)};
}

Ratio unpaired_ratio_of(std::span<const double> a, std::span<const double> b) {
  std::vector<double> left, right;
  std::copy_if(a.begin(), a.end(), std::back_inserter(left), [](double v) { return v > 0; });
  std::copy_if(b.begin(), b.end(), std::back_inserter(right), [](double v) { return v > 0; });
  if (left.empty() || right.empty()) return {kNaN, kNaN, kNaN};
  thin(left);
  thin(right);
  std::mt19937_64 random(12345);
  std::vector<double> ratios, sample;
  ratios.reserve(kResamples);
  const auto resampled_median = [&](const std::vector<double>& values) {
    sample.resize(values.size());
    for (double& value : sample) value = values[random() % values.size()];
    return median_of(sample);
  };
  for (int r = 0; r < kResamples; ++r) {
    const double below = resampled_median(left);
    ratios.push_back(resampled_median(right) / below);
  }
  std::sort(ratios.begin(), ratios.end());
  const double below = median_of(left);
  return {median_of(right) / below, percentile_of(ratios, 0.025), percentile_of(ratios, 0.975)};
}

}  // namespace tapescope
