// Medians by place: steps that are alike have the same op at the same index.
#include "viewer/model/op_medians.h"

#include <algorithm>

namespace tapescope {
namespace {

bool alike(const StepView& a, const StepView& b) {
  return a.backward_steps.size() == b.backward_steps.size() &&
         std::ranges::equal(a.ops, b.ops, [](const OpRow& x, const OpRow& y) {
           return x.op == y.op && x.direction == y.direction && x.types == y.types;
         });
}

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace

OpMedians op_medians(const StepView& view, std::span<const std::shared_ptr<const StepView>> steps) {
  std::vector<const StepView*> same{&view};
  for (const auto& step : steps) {
    if (step != nullptr && step.get() != &view && step->step != view.step && alike(view, *step))
      same.push_back(step.get());
  }
  OpMedians medians;
  medians.steps = same.size();
  std::vector<double> values(same.size());
  const auto over_steps = [&](const auto& time_in) {
    values.clear();
    for (const StepView* step : same) values.push_back(time_in(*step));
    return median(values);
  };
  for (std::size_t i = 0; i < view.ops.size(); ++i)
    medians.run_us.push_back(over_steps([i](const StepView& step) { return whole_us(step.ops[i]); }));
  for (std::size_t i = 0; i < view.ops.size(); ++i)
    medians.own_us.push_back(over_steps([i](const StepView& step) { return step.ops[i].duration_us; }));
  for (std::size_t i = 0; i < view.backward_steps.size(); ++i)
    medians.walk_us.push_back(
        over_steps([i](const StepView& step) { return step.backward_steps[i].duration_us; }));
  return medians;
}

}  // namespace tapescope
