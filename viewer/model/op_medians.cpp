// Medians by place: steps that are alike have the same op at the same index.
#include "viewer/model/op_medians.h"

#include <algorithm>

#include "viewer/model/statistics.h"

namespace tapescope {
namespace {

bool alike(const StepView& a, const StepView& b) {
  return a.backward_steps.size() == b.backward_steps.size() &&
         std::ranges::equal(a.ops, b.ops, [](const OpRow& x, const OpRow& y) {
           return x.op == y.op && x.direction == y.direction && x.types == y.types;
         });
}

}  // namespace

OpMedians op_medians(const StepView& view, std::span<const std::shared_ptr<const StepView>> steps) {
  std::vector<const StepView*> same{&view};
  for (const auto& step : steps) {
    if (step != nullptr && step.get() != &view && step->step != view.step && alike(view, *step))
      same.push_back(step.get());
  }
  // A program's first step begins cold: it stands for the others only where there are none.
  if (same.size() > 1) std::erase_if(same, [](const StepView* step) { return step->step == 0; });
  OpMedians medians;
  medians.steps = same.size();
  std::vector<double> values(same.size());
  const auto over_steps = [&](std::size_t count, const auto& time_in) {
    std::vector<double> result;
    result.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t s = 0; s < same.size(); ++s) values[s] = time_in(*same[s], i);
      result.push_back(same.size() == 1 ? values[0] : median_of(values));
    }
    return result;
  };
  const auto called = [](const StepView* step) {
    return std::ranges::any_of(step->ops, [](const OpRow& row) { return row.inside_us != 0; });
  };
  medians.run_us =
      over_steps(view.ops.size(), [](const StepView& step, std::size_t i) { return whole_us(step.ops[i]); });
  // Without a call both are the same.
  medians.own_us = std::ranges::none_of(same, called)
                       ? medians.run_us
                       : over_steps(view.ops.size(), [](const StepView& step, std::size_t i) {
                           return step.ops[i].duration_us;
                         });
  medians.walk_us = over_steps(view.backward_steps.size(), [](const StepView& step, std::size_t i) {
    return step.backward_steps[i].duration_us;
  });
  return medians;
}

}  // namespace tapescope
