// Chooses between the step that runs and the one before it.
#include "viewer/panels/step_at_cursor.h"

#include <algorithm>

namespace tapescope::ui {

bool begins_alike(const StepView& part, const StepView& whole) {
  if (part.ops.size() > whole.ops.size()) return false;
  const std::size_t stride = std::max<std::size_t>(1, part.ops.size() / 64);
  for (std::size_t i = 0; i < part.ops.size(); i += stride) {
    // Until a function's call is over it is not known that its ops are forward ones.
    const bool backward = part.ops[i].direction == Direction::backward;
    if (part.ops[i].op_id != whole.ops[i].op_id ||
        backward != (whole.ops[i].direction == Direction::backward))
      return false;
  }
  return true;
}

namespace {

// Where the program stands at an op of an expansion, that is what is drawn.
void show_expansion(StepAtCursor& step, const Frame& frame) {
  if (step.fresh->expansions.empty()) return;
  const std::uint32_t at = step.fresh->op_of_tensor(frame.output);
  for (const Expansion& expansion : step.fresh->expansions) {
    if (expansion.why != 0 && at != kNoOp && at == expansion.call) {
      step.function = expansion.name;
      step.why = expansion.why;
      return;
    }
    const std::uint32_t op = frame.inner > 0 ? expansion.view->op_of_tensor(frame.output) : kNoOp;
    if (op == kNoOp) continue;
    step.expanded = true;
    step.function = expansion.name;
    step.position = op + std::uint64_t{1};
    step.done = op + 1;
    step.view = step.fresh = expansion.view;
    return;
  }
}

}  // namespace

StepAtCursor step_at_cursor(const Snapshot* snapshot, const StepPosition& cursor, const RunStatus& status) {
  StepAtCursor step;
  if (snapshot == nullptr) return step;
  const bool live = status.mode == RunMode::paused && status.frame != nullptr && cursor.live;
  const auto& current = snapshot->current;
  const auto& complete = snapshot->complete;
  const bool grows = current != nullptr && !current->complete;
  if (grows && complete != nullptr && begins_alike(*current, *complete)) {
    step.view = complete;
  } else {
    step.view = snapshot->shown();
  }
  if (step.view == nullptr) return step;
  step.fresh = grows ? current : step.view;
  step.done = static_cast<std::uint32_t>(step.view->ops.size());
  step.paused = live;
  step.position = cursor.position;
  if (live && !status.frame->frame.backward) step.output = status.frame->frame.output;
  if (live && status.frame->frame.inner > 0) step.inside = status.frame->frame.site;
  if (live && grows) {
    step.done = static_cast<std::uint32_t>(current->ops.size());
    show_expansion(step, status.frame->frame);
  } else if (cursor.position < cursor.count) {
    // The whole step is known: the runner replays a step it has run, and recordings hold it.
    step.paused = true;
    const auto position = static_cast<std::int64_t>(cursor.position);
    for (std::uint32_t i = 0; i < step.view->ops.size(); ++i) {
      const OpRow& row = step.view->ops[i];
      const std::int64_t node = row.backward_step != kNoOp && row.direction == Direction::backward
                                    ? step.view->backward_steps[row.backward_step].node
                                    : row.node;
      if (node < position) continue;
      step.done = i;
      break;
    }
  }
  return step;
}

std::uint32_t OpInFocus::find(const StepAtCursor& step, const Selection& selection) {
  if (step.view == nullptr) return kNoOp;
  if (selection.kind == Selection::Kind::op && selection.index < step.view->ops.size()) {
    return static_cast<std::uint32_t>(selection.index);
  }
  return at_cursor(step);
}

std::uint32_t OpInFocus::at_cursor(const StepAtCursor& step, std::uint32_t* backward_step) {
  if (backward_step) *backward_step = kNoOp;
  if (step.view == nullptr || !step.paused || step.position == 0) return kNoOp;
  if (view_.lock() != step.view || position_ != step.position) {
    view_ = step.view;
    position_ = step.position;
    op_ = step.view->op_at_node(static_cast<std::int64_t>(step.position) - 1, &backward_step_);
    // One that no tape holds is no node of it.
    if (op_ == kNoOp && step.output != 0) op_ = step.fresh->op_of_tensor(step.output);
  }
  if (backward_step) *backward_step = backward_step_;
  return op_;
}

}  // namespace tapescope::ui
