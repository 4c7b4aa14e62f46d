// What is zero is told by the values themselves; nothing is guessed from the kinds of ops alone.
#include "viewer/debugger/zero_origin.h"

#include <algorithm>

#include "engine/core/slices.h"
#include "engine/gate/state.h"
#include "viewer/debugger/program.h"

namespace tapescope {
namespace {

// Absent tensors are zero; rows that are kept without the others are those that are not.
bool is_zero(const Tensor& tensor) {
  if (!tensor) return true;
  if (const SlicesExtension* slices = slices_of(tensor.impl())) return is_zero(slices->values);
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    if (element(tensor, i) != 0) return false;
  }
  return true;
}

BackwardValues values_of(const Frame& frame) {
  BackwardValues values;
  for (const FrameTensor& item : frame.cotangents_in) values.arrives |= !is_zero(item.value);
  for (const FrameTensor& item : frame.cotangents_out) values.leaves.push_back(!is_zero(item.value));
  for (const FrameTensor& item : frame.inputs)
    values.zero_operand |= item.value && is_floating(item.value.dtype()) && is_zero(item.value);
  return values;
}

}  // namespace

BackwardWatch::BackwardWatch() {
  gate_.on_park([this](StopReason, const Frame& frame, const Breakpoint*) {
    if (frame.backward) nodes_[static_cast<std::int64_t>(frame.cursor) - 1] = values_of(frame);
    return DebugGate::Move{DebugGate::Move::Kind::go_on, frame.cursor + 1};
  });
  gate_.bind();
  gate_.begin_step(1);
}

BackwardWatch::~BackwardWatch() { gate_.unbind(); }

std::vector<ZeroProof> locate_zeros(const RunRequest& request, const std::string& variant,
                                    const Snapshot& snapshot, const std::stop_token& stop) {
  const bool any = std::any_of(snapshot.gradients.begin(), snapshot.gradients.end(),
                               [](const GradientRow& row) { return row.status == GradientStatus::zero; });
  if (!any || !snapshot.complete) return {};
  const SampleInfo& info = find_sample(request.sample);
  SampleOptions options = request.options;
  options.variant = variant;
  const Mute mute;
  Program program(info, checked_options(info, options), 0);
  program.go_to(snapshot.complete->step, stop);
  if (stop.stop_requested()) return {};
  const BackwardWatch watch;
  try {
    program.run_step();
  } catch (const Error&) {  // the run ended with it too
  }
  return prove_zeros(*snapshot.complete, watch.nodes(), snapshot.gradients);
}

}  // namespace tapescope
