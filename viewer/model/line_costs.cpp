// Adds up ops by line.
#include "viewer/model/line_costs.h"

#include <algorithm>

#include "viewer/store/source_text.h"

namespace tapescope {

std::map<std::uint32_t, LineCost> line_costs(const StepView& view, const OpMedians& medians,
                                             std::string_view file) {
  std::map<std::uint32_t, LineCost> costs;
  for (std::uint32_t op = 0; op < view.ops.size(); ++op) {
    const OpRow& row = view.ops[op];
    const SourcePlace place = source_place(row.location);
    if (place.line == 0 || place.file != file) continue;
    LineCost& cost = costs[place.line];
    (row.direction == Direction::backward ? cost.backward_us : cost.forward_us) += medians.own_us[op];
    cost.ops.push_back(op);
  }
  for (auto& [line, cost] : costs) {
    std::ranges::stable_sort(cost.ops, [&](std::uint32_t x, std::uint32_t y) {
      const OpRow &a = view.ops[x], &b = view.ops[y];
      const bool a_back = a.direction == Direction::backward, b_back = b.direction == Direction::backward;
      return a_back != b_back ? b_back : medians.own_us[x] > medians.own_us[y];
    });
  }
  return costs;
}

}  // namespace tapescope
