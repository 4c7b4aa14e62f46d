// Finds an op of one view in another one.
#include "viewer/store/place_in.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tapescope {
namespace {

// Where the step of the op begins in the view of the whole, and where the next one does.
std::pair<std::uint32_t, std::uint32_t> ops_around(const StepView& whole, std::uint32_t op) {
  const auto next = std::ranges::upper_bound(whole.starts, op, {}, &StepStart::op);
  return {next == whole.starts.begin() ? 0 : std::prev(next)->op,
          next == whole.starts.end() ? static_cast<std::uint32_t>(whole.ops.size()) : next->op};
}

bool does_the_same(const OpRow& a, const OpRow& b) {
  return a.op_id == b.op_id && a.site == b.site && a.direction == b.direction;
}

std::int64_t node_of(const StepView& view, std::uint32_t op) {
  const OpRow& row = view.ops[op];
  const bool backward = row.direction == Direction::backward && row.backward_step != kNoOp;
  return backward ? view.backward_steps[row.backward_step].node : row.node;
}

// The op itself where the step has it, else the one that is there what it is in its step: the n-th of its
// line, kind and direction.
std::uint32_t place_of_op(const StepView& shown, const StepView& whole, std::uint32_t op) {
  const OpRow& row = whole.ops[op];
  const std::uint32_t same = row.output != 0 ? shown.op_of_tensor(row.output) : kNoOp;
  if (same != kNoOp) return same;
  const auto [begin, end] = ops_around(whole, op);
  auto before = std::ranges::count_if(
      whole.ops.begin() + begin, whole.ops.begin() + std::min(op, end),
      [&](const OpRow& other) { return does_the_same(other, row); });
  for (std::uint32_t i = 0; i < shown.ops.size(); ++i) {
    if (does_the_same(shown.ops[i], row) && before-- == 0) return i;
  }
  return kNoOp;
}

}  // namespace

void place_in(const StepView& shown, const StepView& whole, AlertRow& alert) {
  if (alert.op_index >= whole.ops.size()) return;
  alert.op_index = place_of_op(shown, whole, alert.op_index);
  alert.node = alert.op_index == kNoOp ? -1 : node_of(shown, alert.op_index);
}

void place_in(const StepView& shown, const StepView& whole, std::vector<GradientRow>& rows,
              std::vector<AlertRow>& alerts) {
  for (GradientRow& row : rows) {
    if (row.call >= whole.calls.size()) continue;
    const auto same = std::ranges::find(shown.calls, whole.calls[row.call].id, &GradientCall::id);
    row.call = same == shown.calls.end() ? kNoOp : static_cast<std::uint32_t>(same - shown.calls.begin());
  }
  for (AlertRow& alert : alerts) {
    if (alert.op_index >= whole.ops.size()) continue;
    // That of a None is the step in which it began, not that of the question that is shown.
    if (alert.kind != "none") alert.step = whole.step_of_op(alert.op_index);
    place_in(shown, whole, alert);
  }
}

}  // namespace tapescope
