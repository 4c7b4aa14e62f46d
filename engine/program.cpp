// The records of what a program says of itself.
#include "engine/program.h"

#include "engine/debug/process_gate.h"
#include "engine/events/records/steps.h"
#include "engine/gate/implied_steps.h"
#include "engine/gate/state.h"

namespace tapescope {

void note_step_begin(std::uint64_t step, std::uint32_t program) {
  ThreadState& ts = state();
  implied_steps::step_marked(ts);
  ts.step = step;
  ts.last_ticks = ticks();
  if (ts.in_flight()) ts.flight.step_begins();
  ts.note(StepBeginRecord{.program = program, .step = step, .ticks = ts.last_ticks});
  process_gate_step_begins(step);
}

void note_step_end(std::uint64_t step, std::uint32_t program, bool abandoned) {
  // A stop at the step's end shows a step that has not ended yet.
  process_gate_step_ends(step);
  if (ThreadState& ts = state(); ts.in_flight()) ts.flight.step_ends();
  state().note(StepEndRecord{.abandoned = abandoned, .program = program, .step = step, .ticks = ticks()});
}

void note_scalar(std::string_view metric, double value, std::uint64_t step) {
  state().note(ScalarRecord{.metric = intern_name(metric), .value = value, .step = step});
}

void note_message(std::string_view text, int severity, const Location& location) {
  ThreadState& ts = state();
  ts.note(MessageRecord{.severity = static_cast<std::uint8_t>(severity),
                        .text = intern_name(text),
                        .site = intern_site(location, ts.scope)});
}

NameScope::NameScope(std::string_view name) : saved_(state().scope) {
  state().scope = intern_scope(saved_, intern_name(name));
}

NameScope::~NameScope() { state().scope = saved_; }

}  // namespace tapescope
