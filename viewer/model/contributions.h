// Which ops add to a source's gradient, in the order in which the backward pass comes to them.
#pragma once
#include <vector>

#include "viewer/store/step_view.h"

namespace tapescope {

struct Contributor {
  std::uint32_t op = kNoOp;  // the forward op that used the source; its backward step adds
  std::uint32_t slot = 0;    // which operand of it the source is
  std::int64_t node = -1;    // of that backward step: it has added once the cursor is above this
};

// Of one gradient call. A variable is used through the ops that read it. An operand that gets no cotangent is
// listed as well: who has the values has to look whether their number is the same. Linear in the call's
// steps.
std::vector<Contributor> contributors(const StepView& step, TensorId source, std::uint32_t call);

}  // namespace tapescope
