// A whole run in as many columns as there are pixels: how long its steps took, its loss, and where alerts
// are.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "viewer/store/snapshot.h"

namespace tapescope {

// Of neighbouring steps; indices into Snapshot::steps, both included.
struct OverviewColumn {
  std::size_t first = 0, last = 0;
  double step_us = 0;                 // of the slowest
  float loss_low = 0, loss_high = 0;  // of those that are finite; low > high where none is
  bool nonfinite = false;             // the loss of one of them is not finite
  bool alert = false;                 // an alert is of one of them
};

struct RunOverview {
  std::vector<OverviewColumn> columns;  // no more than asked for, and than there are steps
  // Of all columns. The first step begins cold: the scale of times leaves it out where there are others.
  double most_us = 0;
  float loss_low = 0, loss_high = 0;  // low > high where no loss is known
  double median_us = 0;               // of the steps
};

// Costs as much as there are steps and points of the loss.
RunOverview overview_of(const Snapshot& snapshot, std::size_t columns);

// The step nearest to that number among those that are known; the snapshot has one.
std::size_t index_of_step(const Snapshot& snapshot, std::uint64_t step);

}  // namespace tapescope
