// What the peak of a step's memory is made of: the name, shape and maker of each buffer, and who keeps it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "viewer/store/step_view.h"

namespace tapescope {

struct HeldBuffer {
  std::string name;                // of the variable, the tensor, or the op that made it
  std::string type;                // "784×128 float32"; empty where that is not known
  std::int64_t bytes = 0;          // of all of it
  std::uint32_t maker = kNoOp;     // the op that made it; kNoOp where it was made outside of the step
  std::uint32_t saved_by = kNoOp;  // the first op that keeps it for its backward step
  std::uint32_t from = 0, to = 0;  // ops over which it is held, both included
};

// "dense1/MatMul"; "a variable" or "made before the step" where no op made it.
std::string maker_text(const StepView& view, const HeldBuffer& buffer);
// The buffers alive at the peak, largest first.
std::vector<HeldBuffer> buffers_at_peak(const StepView& view);
// Whether it is known of any which op keeps it: PyTorch does not say what it keeps.
bool any_saver(const std::vector<HeldBuffer>& buffers);

}  // namespace tapescope
