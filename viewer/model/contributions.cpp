// Walks a call's backward steps.
#include "viewer/model/contributions.h"

namespace tapescope {

std::vector<Contributor> contributors(const StepView& step, TensorId source, std::uint32_t call) {
  std::vector<Contributor> found;
  const auto is_source = [&](const OpRow& op, std::uint32_t slot) {
    if (step.inputs[op.first_input + slot] == source) return true;
    const std::uint32_t from = step.producers[op.first_input + slot];
    if (from == kNoOp) return false;
    const OpRow& read = step.ops[from];
    return (read.flags & OpRecord::kHandle) != 0 && read.inputs > 0 &&
           step.inputs[read.first_input] == source;
  };
  for (const BackwardStep& walked : step.backward_steps) {
    if (walked.call != call || walked.forward_op == kNoOp) continue;
    const OpRow& op = step.ops[walked.forward_op];
    // The read itself hands on what its users have added.
    if ((op.flags & OpRecord::kHandle) != 0 && op.inputs == 1) continue;
    for (std::uint32_t slot = 0; slot < op.inputs; ++slot) {
      if (is_source(op, slot)) found.push_back({walked.forward_op, slot, walked.node});
    }
  }
  return found;
}

}  // namespace tapescope
