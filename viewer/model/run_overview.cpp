// Thins out steps and loss to columns.
#include "viewer/model/run_overview.h"

#include <algorithm>
#include <cmath>

namespace tapescope {
namespace {

constexpr float kNone = INFINITY;

const MetricSeries* loss_of(const Snapshot& snapshot) {
  for (const MetricSeries& series : snapshot.metrics) {
    if (series.name == "loss" && !series.points.empty()) return &series;
  }
  return nullptr;
}

double median_time(const Snapshot& snapshot) {
  std::vector<double> times;
  times.reserve(snapshot.steps.size());
  for (std::size_t i = 0; i < snapshot.steps.size(); ++i) times.push_back(snapshot.steps[i].step_us);
  if (times.empty()) return 0;
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

}  // namespace

std::size_t index_of_step(const Snapshot& snapshot, std::uint64_t step) {
  std::size_t low = 0, high = snapshot.steps.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (snapshot.steps[middle].step < step) low = middle + 1;
    else high = middle;
  }
  return std::min(low, snapshot.steps.size() - 1);
}

RunOverview overview_of(const Snapshot& snapshot, std::size_t columns) {
  RunOverview all{.loss_low = kNone, .loss_high = -kNone};
  const std::size_t steps = snapshot.steps.size(), count = std::min(columns, steps);
  if (count == 0) return all;
  all.median_us = median_time(snapshot);
  all.columns.resize(count);
  const auto column_of = [&](std::size_t index) -> OverviewColumn& {
    return all.columns[std::min(count - 1, index * count / steps)];
  };
  for (OverviewColumn& column : all.columns)
    column = {.first = steps, .last = 0, .loss_low = kNone, .loss_high = -kNone};
  for (std::size_t i = 0; i < steps; ++i) {
    OverviewColumn& column = column_of(i);
    column.first = std::min(column.first, i), column.last = std::max(column.last, i);
    column.step_us = std::max(column.step_us, snapshot.steps[i].step_us);
    if (i > 0 || steps == 1) all.most_us = std::max(all.most_us, snapshot.steps[i].step_us);
  }
  if (const MetricSeries* loss = loss_of(snapshot)) {
    std::size_t at = 0;  // points and steps are both in order
    for (std::size_t i = 0; i < loss->points.size(); ++i) {
      const MetricPoint& point = loss->points[i];
      while (at + 1 < steps && snapshot.steps[at].step < point.step) ++at;
      OverviewColumn& column = column_of(at);
      const auto value = static_cast<float>(point.value);
      if (!std::isfinite(value)) {
        column.nonfinite = true;
        continue;
      }
      column.loss_low = std::min(column.loss_low, value),
      column.loss_high = std::max(column.loss_high, value);
      all.loss_low = std::min(all.loss_low, value), all.loss_high = std::max(all.loss_high, value);
    }
  }
  for (const AlertRow& alert : snapshot.alerts) column_of(index_of_step(snapshot, alert.step)).alert = true;
  return all;
}

}  // namespace tapescope
