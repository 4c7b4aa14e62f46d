// What the lines of a program cost in a step.
#pragma once
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "viewer/model/op_medians.h"
#include "viewer/store/step_view.h"

namespace tapescope {

struct LineCost {
  double forward_us = 0, backward_us = 0;  // of its ops' runs; updates count forward
  std::vector<std::uint32_t> ops;          // that run forward, the costliest first, then its backward ones
};
// By line, of the ops of that file, each with its median. A call's ops have their own lines.
std::map<std::uint32_t, LineCost> line_costs(const StepView& view, const OpMedians& medians,
                                             std::string_view file);

}  // namespace tapescope
