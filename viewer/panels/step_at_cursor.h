// Which step a panel draws, and how far it has come. Where a step grows from nothing, what it has not reached
// yet is drawn from the last complete step; where all of it is known, the cursor says what has run.
#pragma once
#include <cstdint>
#include <memory>

#include "viewer/debugger/run_control.h"
#include "viewer/store/snapshot.h"
#include "viewer/ui/state.h"

namespace tapescope::ui {

struct StepAtCursor {
  std::shared_ptr<const StepView> view;   // null: nothing has run
  std::shared_ptr<const StepView> fresh;  // the ops that ran already, with this step's times; may be `view`
  std::uint32_t done = 0;                 // ops of `view` that have run at the cursor: those below this index
  bool paused = false;
  std::uint64_t position = 0;  // tape nodes executed, when paused
  // The program stands inside a function's call that was stepped into: `view` has the call's ops alone.
  bool expanded = false;
  NameId function = 0;
  NameId why = 0;       // it stands at the call that was stepped into, no further than this allowed
  TensorId output = 0;  // of the op at which a live program stands; 0 at a backward step
  SiteId inside = 0;    // where it stands inside of a node or between two; 0 elsewhere

  bool has_run(std::uint32_t op) const { return op < done; }
  // Of the step under way: while it grows, `view` is the one before, whose ops are to come again.
  std::uint64_t number() const { return (fresh ? fresh : view)->step; }
  // The op's row with the newest times.
  const OpRow& row(std::uint32_t op) const {
    return fresh && op < fresh->ops.size() ? fresh->ops[op] : view->ops[op];
  }
};

StepAtCursor step_at_cursor(const Snapshot* snapshot, const StepPosition& cursor, const RunStatus& status);

// Whether `part` began as `whole` did, judged by 64 of its ops.
bool begins_alike(const StepView& part, const StepView& whole);

// The op the selection names, else the one at the cursor of a paused program, else kNoOp. Finds the tape node
// once per step and position.
class OpInFocus {
 public:
  std::uint32_t find(const StepAtCursor& step, const Selection& selection);
  // The op at the cursor (of a node walked backwards: its forward op), and which backward step it is.
  std::uint32_t at_cursor(const StepAtCursor& step, std::uint32_t* backward_step = nullptr);

 private:
  std::weak_ptr<const StepView> view_;
  std::uint64_t position_ = ~std::uint64_t{0};
  std::uint32_t op_ = kNoOp, backward_step_ = kNoOp;
};

}  // namespace tapescope::ui
