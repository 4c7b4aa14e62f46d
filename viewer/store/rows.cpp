// Gradient rows of loops, points of metrics.
#include "viewer/store/rows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "engine/explain/python_words.h"

namespace tapescope {

std::string_view name_of(GradientStatus status) {
  constexpr std::string_view kNames[] = {"value", "zero", "nonfinite", "none", "unconnected_zero"};
  return kNames[static_cast<int>(status)];
}

void leave_skipped_out(std::vector<GradientRow>& rows, const std::unordered_set<TensorId>& skipped) {
  std::set<TensorId> others;  // sources with a row that counts
  for (const GradientRow& row : rows) {
    if (!skipped.contains(row.tensor)) others.insert(row.source_id);
  }
  std::erase_if(rows, [&](const GradientRow& row) {
    return skipped.contains(row.tensor) && others.contains(row.source_id);
  });
}

void leave_one_of_each(std::vector<GradientRow>& rows) {
  std::map<std::pair<std::uint32_t, std::string>, int> of_name;  // in a call
  std::map<std::tuple<std::string, int, std::string, GradientStatus, std::string>, std::size_t> first;
  std::size_t to = 0;
  for (std::size_t from = 0; from < rows.size(); ++from) {
    GradientRow& row = rows[from];
    const int which = of_name[{row.call, row.source}]++;
    const auto [known, fresh] =
        first.try_emplace({row.source, which, row.asked_at, row.status, row.reason}, to);
    if (fresh && to != from) rows[to] = std::move(row);
    // A later round may prove what the first one suggested.
    if (!fresh && (row.status != GradientStatus::none || (rows[known->second].guess && !row.guess)))
      rows[known->second] = std::move(row);
    to += fresh;
  }
  rows.resize(to);
  // A gradient of C++ that was zero in some rounds and came to life after them is nothing to mend: weights
  // that begin at zero, a batch without a positive input.
  std::map<std::pair<TensorId, std::string>, std::uint32_t> alive;  // the last call that gave a value
  for (const GradientRow& row : rows) {
    if (row.status != GradientStatus::value || row.call == kNoOp || is_python(row.asked_at)) continue;
    std::uint32_t& call = alive[{row.source_id, row.asked_at}];
    call = std::max(call, row.call);
  }
  std::erase_if(rows, [&](const GradientRow& row) {
    if (row.status != GradientStatus::zero) return false;
    const auto known = alive.find({row.source_id, row.asked_at});
    return known != alive.end() && known->second > row.call;
  });
}

void add_point(std::vector<MetricSeries>& metrics, const ScalarRecord& record, std::size_t most) {
  const std::string_view name = name_text(record.metric);
  auto found =
      std::find_if(metrics.begin(), metrics.end(), [&](const MetricSeries& m) { return m.name == name; });
  if (found == metrics.end()) {
    // The loss comes first.
    found = metrics.insert(name == "loss" ? metrics.begin() : metrics.end(), MetricSeries{.name = name});
  }
  const MetricPoint point{record.step, record.value};
  if (!found->points.empty() && found->points.back().step == point.step) {
    found->points.set(found->points.size() - 1, point);
    if (found->nonfinite && found->nonfinite->step == point.step) found->nonfinite.reset();
  } else {
    found->points.push_back(point);
    found->points.bound(most);
  }
  if (!found->nonfinite && !std::isfinite(point.value)) found->nonfinite = point;
}

void forget_points_from(std::vector<MetricSeries>& metrics, std::uint64_t step) {
  for (MetricSeries& metric : metrics) {
    if (metric.nonfinite && metric.nonfinite->step >= step) metric.nonfinite.reset();
    std::size_t points = metric.points.size();
    while (points > 0 && metric.points[points - 1].step >= step) --points;
    metric.points.truncate(points);
  }
}

}  // namespace tapescope
