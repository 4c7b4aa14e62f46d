// What a program computes and drops inside a block is not kept: no gradient can reach it any more. As in
// TensorFlow a tape is notified only while it is active, and an op that keeps its own output keeps itself.
#include "engine/tape/storage.h"

namespace tapescope {

void TapeStorage::died(TensorId tensor) {
  const std::uint32_t value = map_.find(tensor);
  if (value == kNoValue || values[value].node == kNoValue)
    return;  // what is watched is held by the tape itself
  values[value].dead = true;
  unused_.push_back(values[value].node);
  // Saved tensors that are let go of below die here, too.
  if (releasing_) return;
  releasing_ = true;
  while (!unused_.empty()) {
    const std::uint32_t node = unused_.back();
    unused_.pop_back();
    release_unused(nodes[node]);
  }
  releasing_ = false;
}

// Gives back what a node saved, once nothing holds its outputs and no node that is still wanted uses them.
void TapeStorage::release_unused(Node& node) {
  if (node.released) return;
  for (std::uint32_t k = 0; k < node.outputs; ++k) {
    const TapeValue& output = values[node.first_value + k];
    if (!output.dead || output.uses != 0) return;
  }
  node.released = true;
  for (std::uint32_t i = 0; i < node.inputs; ++i) {
    const std::uint32_t value = inputs[node.first_input + i].value;
    if (value == kNoValue) continue;
    TapeValue& input = values[value];
    if (--input.uses == 0 && input.dead) unused_.push_back(input.node);
  }
  for (std::uint32_t i = 0; i < node.saved; ++i) saved[node.first_saved + i] = Tensor();
}

}  // namespace tapescope
