// A gate that stops everywhere and goes on at once.
#include "engine/recording/program_values.h"

#include <utility>

namespace tapescope::record {

ProgramValues::ProgramValues(const ValueOptions& options) : rule_(options.rule), keeper_(options) {
  arm(false);
  gate_.on_park([this](StopReason, const Frame& frame, const Breakpoint*) {
    std::lock_guard lock(mutex_);
    if (!armed_) return DebugGate::Move{};
    if (packing_) keeper_.add(frame);
    else under_way_.frames.push_back(frame);
    return DebugGate::Move{DebugGate::Move::Kind::go_on, {frame.cursor, frame.inner + 1}};
  });
}

ProgramValues::~ProgramValues() { arm(true); }  // as the gate believes that it is

void ProgramValues::arm(bool on) {
  if (std::exchange(armed_, on) != on) count_armed_gates(on ? 1 : -1);
}

void ProgramValues::step_begins(std::uint64_t step) {
  std::lock_guard lock(mutex_);
  packing_ = rule_.wants(step);
  under_way_ = {.step = step};
  arm(!ended_ && (packing_ || rule_.last));
  if (packing_) keeper_.begin_step(0, step);
  // Places inside of the first node come before it.
  gate_.begin_step(armed_ ? TapePlace(0, 1) : DebugGate::kNever);
}

void ProgramValues::step_ends(std::uint64_t) {
  std::lock_guard lock(mutex_);
  if (!armed_) return;
  arm(false);
  last_ = {};
  if (packing_) {
    keeper_.end_step(gate_.cursor(), gate_.forward_nodes());
  } else {
    last_ = std::move(under_way_);
    last_.nodes = gate_.cursor();
    last_.forward_nodes = gate_.forward_nodes();
  }
  under_way_ = {};
  // What runs before the next step begins is no step's node.
  gate_.begin_step(DebugGate::kNever);
}

std::vector<Bytes> ProgramValues::take() {
  std::lock_guard lock(mutex_);
  return keeper_.take();
}

void ProgramValues::finish() {
  std::lock_guard lock(mutex_);
  if (std::exchange(ended_, true)) return;
  arm(false);
  if (last_.frames.empty()) return;
  keeper_.begin_step(0, last_.step);
  for (const Frame& frame : last_.frames) keeper_.add(frame);
  keeper_.end_step(last_.nodes, last_.forward_nodes);
  last_ = {};
}

}  // namespace tapescope::record
