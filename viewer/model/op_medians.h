// What each op of a step takes as a rule: one step is an accident.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "viewer/store/step_view.h"

namespace tapescope {

struct OpMedians {
  std::vector<double> run_us;   // of each op of the view, with what it called
  std::vector<double> own_us;   // without
  std::vector<double> walk_us;  // of each of its backward steps
  std::size_t steps = 1;        // that were alike: the view too, but not a first step beside others
};

// Over those of `steps` that ran the same ops in the same order as the view; others are left out.
OpMedians op_medians(const StepView& view, std::span<const std::shared_ptr<const StepView>> steps);

}  // namespace tapescope
