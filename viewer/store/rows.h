// Rows of a snapshot that need nothing of the store's state.
#pragma once
#include <unordered_set>
#include <vector>

#include "engine/events/records/steps.h"
#include "viewer/store/snapshot.h"

namespace tapescope {

// Rounds of a loop that ask at one line and get the same answer become one row: the last one's, in the place
// of the first. Two sources of one name are two. Zeros of earlier rounds than a value go.
void leave_one_of_each(std::vector<GradientRow>& rows);
// Drops rows about those gradients where another row answers for the source.
void leave_skipped_out(std::vector<GradientRow>& rows, const std::unordered_set<TensorId>& skipped);

// A later value of the same step takes the earlier one's place. Keeps at most about `most` points of a
// metric.
void add_point(std::vector<MetricSeries>& metrics, const ScalarRecord& record, std::size_t most);
// Drops what is of that step or a later one.
void forget_points_from(std::vector<MetricSeries>& metrics, std::uint64_t step);

}  // namespace tapescope
