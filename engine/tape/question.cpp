// The checks and records of a question, and the state it leaves the tape in.
#include "engine/tape/question.h"

#include <algorithm>
#include <atomic>

#include <fmt/format.h>

#include "engine/debug/gate.h"
#include "engine/events/limit.h"
#include "engine/gate/implied_steps.h"
#include "engine/gate/symbol.h"
#include "engine/ops/slices.h"
#include "engine/program.h"
#include "engine/tape/gradient_stats.h"

namespace tapescope {
namespace {

void note_question(const TapeStorage& tape, std::span<const Traced> targets, std::span<const Traced> sources,
                   const GradientOptions& options, std::uint64_t call, const Location& location) {
  ThreadState& ts = state();
  std::uint8_t flags = options.unconnected == Unconnected::zero ? GradientAskRecord::kZero : 0;
  if (options.prune) flags |= GradientAskRecord::kPrune;
  if (current_trace()) flags |= GradientAskRecord::kTraced;
  ts.note(GradientAskRecord{.flags = flags,
                            .depth = static_cast<std::uint16_t>(ts.interceptors.size()),
                            .tape = tape.id,
                            .targets = static_cast<std::uint32_t>(targets.size()),
                            .sources = static_cast<std::uint32_t>(sources.size()),
                            .site = intern_site(location, ts.scope),
                            .call = call});
  for (const Traced& target : targets) {
    ts.note(TargetRecord{.name = target.given_name(), .tensor = target.tensor().id()});
  }
  for (std::size_t i = 0; i < sources.size(); ++i) {
    ts.note(SourceRecord{.index = static_cast<std::uint8_t>(std::min<std::size_t>(i, 255)),
                         .name = sources[i].given_name(),
                         .tensor = sources[i].tensor().id()});
  }
}

void check_state(const TapeStorage& tape, std::string_view op, const Location& location) {
  switch (tape.state) {
    case TapeState::fresh:
      fail(ErrorKind::runtime, op,
           fmt::format("{} was never entered, so it recorded nothing; compute the target inside its block",
                       called(tape)),
           &location);
    case TapeState::consumed:
      fail(ErrorKind::runtime, op,
           fmt::format(
               "{} is not persistent and was used up by the call at {}; make it with persistent = true, or "
               "ask for all gradients in one call",
               called(tape), location_text(tape.consumed_at)),
           &location);
    case TapeState::broken:
      fail(ErrorKind::internal, op,
           fmt::format("{} lost its recording when the gradient call at {} failed; record again",
                       called(tape), location_text(tape.consumed_at)),
           &location);
    default: break;
  }
}

// Questions inside of a backward step or a trace are part of what runs, not of what the program asks.
bool is_in_flight(const ThreadState& ts) {
  return ts.in_flight() && ts.backward_depth == 0 && !current_trace();
}

}  // namespace

std::string called(const TapeStorage& tape) {
  return tape.name_.empty() ? fmt::format("the tape made at {}", location_text(tape.made_at))
                            : fmt::format("tape '{}'", tape.name_);
}

TapeStorage& living(TapeStorage* storage, std::string_view op, const Location& location) {
  if (!storage)
    fail(ErrorKind::runtime, op, "the tape was moved from, so it holds nothing; use the tape it was moved to",
         &location);
  return *storage;
}

void check_traced(const Traced& what, std::string_view role, const Location& location) {
  if (what.tensor() && !is_indexed_slices(what.tensor())) return;
  if (what.tensor()) {
    fail(ErrorKind::attribute, "gradient",
         fmt::format("a {} is kept as rows (IndexedSlices), which no tape follows; give to_dense() of it, "
                     "computed inside "
                     "the tape's block",
                     role),
         &location);
  }
  fail(ErrorKind::type, "gradient",
       fmt::format("a {} is None, expected a tensor or a variable; give one that was computed", role),
       &location);
}

void leave(TapeStorage& tape) {
  if (!tape.active_on) return;
  tape.active_on->deactivate(&tape);
  tape.active_on = nullptr;
}

TapeQuestion::TapeQuestion(TapeStorage& tape, std::string_view op, std::span<const Traced> targets,
                           std::span<const Traced> sources, const GradientOptions& options,
                           const Location& location)
    : tape_(tape),
      op_(op),
      sources_(sources),
      location_(location),
      at_question_(location),
      zero_(options.unconnected == Unconnected::zero),
      is_traced_(current_trace() && state().backward_depth == 0 && op == "gradient") {
  static std::atomic<std::uint64_t> next_call{1};
  call_ = next_call.fetch_add(1, std::memory_order_relaxed);
  for (const Traced& target : targets) check_traced(target, "target", location);
  for (const Traced& source : sources) check_traced(source, "source", location);
  note_question(tape, targets, sources, options, call_, location);
  if (ThreadState& ts = state(); is_in_flight(ts)) {
    ts.flight.asked();
    for (const Traced& target : targets) ts.flight.target(target.tensor());
  }
  check_state(tape, op, location);
  if (!is_traced_) return;
  std::vector<Tensor> asked;
  for (const Traced& target : targets) asked.push_back(target.tensor());
  current_trace()->asked({tape.id, call_}, asked);
}

TapeQuestion::~TapeQuestion() {
  if (is_traced_ && current_trace()) current_trace()->question_over(std::uncaught_exceptions() > exceptions_);
  ThreadState& ts = state();
  if (!is_traced_) implied_steps::question_over(ts);
  if (is_in_flight(ts)) ts.flight.answered(ts.writer);
}

void TapeQuestion::stop_recording() {
  if (!tape_.persistent) {
    if (tape_.active_on) {
      leave(tape_);
      tape_.note(TapeRecord::kExit, location_);
    }
  } else if (tape_.state == TapeState::recording) {
    static constinit Limit warnings(1);  // TensorFlow says so once
    if (!warnings.allows()) return;
    note_message(
        fmt::format("{}: called inside the block of a persistent tape, so the backward ops are recorded too; "
                    "leave the block first unless higher derivatives are wanted",
                    op_),
        1, location_);
  }
}

// While a function is traced the walk adds nodes to a graph: no time of it is a backward pass's.
void TapeQuestion::begin(Cursor& cursor, std::uint64_t passes) {
  cursor.stop_before();
  ThreadState& ts = state();
  if (!current_trace()) {
    ts.note(BackwardBeginRecord{
        .tape = tape_.id, .ticks = ticks(), .nodes = cursor.total() * passes, .call = call_});
  }
  ts.mark_time();
  tape_.walked = cursor.total() * passes;
}

void TapeQuestion::end(bool raised) {
  ThreadState& ts = state();
  if (!current_trace()) {
    ts.note(BackwardEndRecord{.raised = raised, .tape = tape_.id, .ticks = ticks(), .call = call_});
  }
  ts.mark_time();
  if (tape_.persistent) return;
  tape_.state = raised ? TapeState::broken : TapeState::consumed;
  tape_.consumed_at = location_;
  for (std::uint32_t i = 0; i < tape_.saved.size(); ++i) tape_.saved[i] = Tensor();
  tape_.note(TapeRecord::kConsumed, location_);
}

void TapeQuestion::note_result(std::size_t index, const Tensor& gradient, ResultKind kind) {
  ThreadState& ts = state();
  const Traced& source = sources_[index];
  ts.note(ResultRecord{.result = kind,
                       .name = source.given_name(),
                       .source = source.tensor().id(),
                       .gradient = gradient.id(),
                       .index = index + 1});
  if (TraceScope* trace = current_trace(); trace && gradient)
    trace->answered(gradient, source.given_name(), source.tensor().id());
  offer_gradient_stats(gradient, source.given_name(), source.tensor().id());
  if (kind == ResultKind::none && ts.backward_depth == 0 && !current_trace()) {
    if (DebugGate* gate = DebugGate::bound()) {
      struct Asked : FrameSource {
        explicit Asked(std::span<const Traced> sources) : all(sources) {}
        void describe(Frame&) const override {}
        void sources(SourceNames& names) const override {
          for (const Traced& source : all) names.note(source.name(), source.tensor().id());
        }
        std::span<const Traced> all;
      };
      gate->arrive_between(Breakpoint::Kind::none, {.backward = true}, Asked(sources_), source.name(),
                           source.tensor().id());
    }
  }
  ts.mark_time();
}

}  // namespace tapescope
