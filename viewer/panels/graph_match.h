// Which op of one step is which op of another: for drawing two variants on the same rows.
#pragma once
#include <cstdint>
#include <vector>

#include "viewer/store/step_view.h"

namespace tapescope::ui {

struct MatchedOp {
  std::uint32_t a = kNoOp, b = kNoOp;  // one of them may be missing
};

// Both steps merged into one order that keeps each one's own: matched ops side by side, the others where they ran.
std::vector<MatchedOp> match_steps(const StepView& a, const StepView& b);

}  // namespace tapescope::ui
