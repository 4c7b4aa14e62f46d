// First pass: records to rows.
#include "viewer/store/step_parser.h"

#include <algorithm>
#include <bit>
#include <span>

#include "engine/events/clock.h"
#include "engine/events/function_records.h"

namespace tapescope {

void StepParser::run() {
  for (std::size_t i = 0; i < data_.segments.size(); ++i) {
    segment(data_.segments[i], data_.segments[i].thread == data_.home);
  }
  link();
  describe();
  directions();
  times();
  memory();
  view_.index();
}

double StepParser::since_begin(std::uint64_t ticks) const {
  return ticks > data_.begin ? microseconds(ticks - data_.begin) : 0;
}

void StepParser::segment(const Segment& segment, bool home) {
  walks_.clear();
  silencers_.clear();
  current_op_ = kNoOp;
  open_steps_ = 0;
  std::uint32_t last_backward = static_cast<std::uint32_t>(view_.ops.size());
  std::uint32_t called = last_backward;  // the first op of the function call that runs
  for (const Record& record : segment.records) {
    if (record.kind == kStepResult) seen(std::bit_cast<StepResultRecord>(record));
    switch (record.kind) {
      case RecordKind::op: {
        const auto read = std::bit_cast<OpRecord>(record);
        op(read, segment.thread, home);
        // The gradient in a function's graph is a pass as well.
        if (walks_.empty() && (read.flags & OpRecord::kBackward) && !(read.flags & OpRecord::kTraced)) {
          graph_gradients_ = true;
          last_backward = static_cast<std::uint32_t>(view_.ops.size());
        }
        break;
      }
      case RecordKind::operands: operands(record); break;
      case RecordKind::output: later_outputs_[record.x] = static_cast<std::uint32_t>(record.y); break;
      case RecordKind::create: local_.learn(record); break;
      case RecordKind::tensor_name: names_[record.x] = record.b; break;
      case RecordKind::variable: local_.learn(record); break;
      case RecordKind::assign:
        touch_variable(record.x);
        view_.assigns.push_back(
            {record.x, record.y, texts_.location(record.b), static_cast<std::uint32_t>(view_.ops.size())});
        break;
      case RecordKind::watch: touch_variable(record.x); break;
      case RecordKind::silence_begin: silencers_.push_back(name_text(record.b)); break;
      case RecordKind::silence_end:
        if (!silencers_.empty()) silencers_.pop_back();
        break;
      case RecordKind::tape_enter:
      case RecordKind::tape_exit:
      case RecordKind::tape_pause:
      case RecordKind::tape_resume: tape_event(record); break;
      case RecordKind::gradient_ask: ask(record); break;
      case RecordKind::target:
        if (GradientCall* call = asked()) {
          call->targets.push_back(record.x);
          // A nameless target in a graph is called by its op.
          const auto traced = traced_.find(record.x);
          const bool nameless = record.b == 0 || name_text(record.b).starts_with("tensor:");
          call->target_names.push_back(
              nameless && traced != traced_.end() ? intern_name(op_name_text(traced->second)) : record.b);
        }
        break;
      case RecordKind::source:
        if (GradientCall* call = asked()) {
          view_.answers.push_back({.call = static_cast<std::uint32_t>(view_.calls.size() - 1),
                                   .index = static_cast<std::uint32_t>(call->sources.size()),
                                   .name = record.b,
                                   .source = record.x,
                                   .answered = false});
          call->sources.push_back(record.x);
          touch_variable(record.x);
        }
        break;
      case RecordKind::result:
        // The answers of a call come in the order of its sources, right after its walk.
        for (auto answer = view_.answers.rbegin(); answer != view_.answers.rend(); ++answer) {
          if (answer->source != record.x || answer->answered) continue;
          if (record.z != 0 && answer->index + 1 != record.z) continue;
          answer->gradient = record.y;
          answer->kind = static_cast<ResultKind>(record.a);
          answer->answered = true;
          break;
        }
        break;
      case RecordKind::backward_begin:
        if (home) phases_.begin_walk(record.x);
        walks_.push_back({call_with_id(record.z), kNoOp, record.x});
        last_ticks_ = std::max(last_ticks_, record.x);
        break;
      case RecordKind::backward_step: backward_step(record, home); break;
      case RecordKind::backward_end:
        backward_end(record, home);
        last_backward = static_cast<std::uint32_t>(view_.ops.size());
        break;
      case RecordKind::function_call:
        if (!(record.a & (FunctionCallFlags::kNested | FunctionCallFlags::kNotCalled)))
          called = static_cast<std::uint32_t>(view_.ops.size());
        break;
      case RecordKind::function_end:
        end_call(called, last_backward > called);
        called = static_cast<std::uint32_t>(view_.ops.size());
        break;
      case RecordKind::lost: view_.lost_events += record.x; break;
      default: break;
    }
  }
  while (!walks_.empty()) {  // cut off: the step is still running, was abandoned, or records were lost
    close_step(walks_.back(), 0);
    walks_.pop_back();
    last_backward = static_cast<std::uint32_t>(view_.ops.size());
  }
  last_backward_.push_back(last_backward);
  segment_end_.push_back(static_cast<std::uint32_t>(view_.ops.size()));
}

void StepParser::op(const OpRecord& read, std::uint32_t thread, bool home) {
  current_op_ = kNoOp;
  if (home) phases_.op(read);
  if (read.flags & OpRecord::kTraced) {
    traced_[read.output] = read.name;
    return;
  }
  OpRow row;
  row.op_id = read.name;
  row.op = op_name_text(read.name);
  row.flags = read.flags;
  row.site = read.site;
  row.thread = thread;
  row.output = read.output;
  row.type = type_with_id(read.type);
  row.first_input = static_cast<std::uint32_t>(view_.inputs.size());
  if (read.ticks != 0) {
    row.start_us = since_begin(read.ticks - std::min<std::uint64_t>(read.duration, read.ticks));
    row.duration_us = microseconds(read.duration);
    if (home) last_ticks_ = std::max(last_ticks_, read.ticks);
  }
  if (!walks_.empty() || (read.flags & OpRecord::kBackward)) {
    row.direction = Direction::backward;
    if (!walks_.empty()) row.backward_step = walks_.back().step;
  }
  // Without home's gate no cursor stops there.
  row.node = home && !(read.flags & OpRecord::kBackward) ? -2 : -1;
  if (!silencers_.empty()) row.not_recorded = silencers_.back();
  current_op_ = static_cast<std::uint32_t>(view_.ops.size());
  view_.ops.push_back(std::move(row));
}

void StepParser::operands(const Record& record) {
  if (current_op_ == kNoOp) return;
  const auto read = std::bit_cast<OperandsRecord>(record);
  OpRow& row = view_.ops[current_op_];
  const bool first =
      row.inputs == 0 && row.first_input == view_.inputs.size() && (read.inputs || read.outputs);
  if (first) {
    row.outputs = read.outputs;
    const std::string_view silencer = row.not_recorded;
    row.not_recorded = {};
    TapeAnswer seen = TapeAnswer::absent;
    for (int i = 0; i < kMaxAnswers; ++i) {
      const auto answer = static_cast<TapeAnswer>(read.answers >> (4 * i) & 15u);
      if (answer == TapeAnswer::recorded) row.recorded = true;
      if (seen == TapeAnswer::absent) seen = answer;
    }
    row.answer = row.recorded ? TapeAnswer::recorded : seen;
    if (!row.recorded) row.not_recorded = reason_text(row.answer, silencer);
    if (row.node == -2) row.node = row.recorded ? nodes_++ : -1;
    if (row.node >= 0) ++view_.forward_nodes;
  }
  for (TensorId input : read.input) {
    if (input == 0) break;
    view_.inputs.push_back(input);
    ++row.inputs;
  }
  if (first && (row.flags & OpRecord::kHandle)) touch_variable(read.input[0]);
}

void StepParser::end_call(std::uint32_t first, bool holds_gradient) {
  const auto own = std::span(view_.ops).subspan(first);
  for (OpRow& op : own) op.in_graph = !is_call(op);
  // The call's own op comes last, where no records were lost.
  if (own.empty() || !is_call(own.back()) || own.back().direction == Direction::backward) return;
  OpRow& call = own.back();
  for (const OpRow& op : own.first(own.size() - 1)) call.inside_us += op.duration_us;
  const auto end = static_cast<std::uint32_t>(view_.ops.size());
  if (holds_gradient) whole_steps_.push_back(end - 1);
  if (!call.recorded) return;
  taped_calls_.push_back({first, end});
  for (OpRow& op : own.first(own.size() - 1)) op.call = end - 1;
}

void StepParser::close_step(Walk& walk, std::uint64_t ticks) {
  if (walk.step == kNoOp) return;
  BackwardStep& step = view_.backward_steps[walk.step];
  step.ops = static_cast<std::uint32_t>(view_.ops.size()) - step.first_op;
  const auto own = std::span(view_.ops).subspan(step.first_op);
  // The step of a function's call runs the graph of its gradient.
  if (std::any_of(own.begin(), own.end(), is_call)) {
    for (OpRow& op : own) op.in_graph = !is_call(op);
  }
  if (ticks) step.duration_us = since_begin(ticks) - step.start_us;
  --open_steps_;
}

void StepParser::backward_step(const Record& record, bool home) {
  if (walks_.empty()) walks_.push_back({});  // its beginning was lost
  Walk& walk = walks_.back();
  close_step(walk, record.x);
  walk.step = static_cast<std::uint32_t>(view_.backward_steps.size());
  BackwardStep step;
  step.tape = record.b;
  step.call = walk.call;
  step.first_op = static_cast<std::uint32_t>(view_.ops.size());
  step.start_us = since_begin(record.x);
  // The debugger stops at the outermost pass only.
  if (home && open_steps_ == 0) step.node = nodes_++;
  ++open_steps_;
  pending_.push_back({walk.step, record.y});
  view_.backward_steps.push_back(step);
  last_ticks_ = std::max(last_ticks_, record.x);
}

void StepParser::backward_end(const Record& record, bool home) {
  if (walks_.empty()) return;
  Walk walk = walks_.back();
  close_step(walk, record.x);
  walks_.pop_back();
  if (walk.call != kNoOp) {
    GradientCall& call = view_.calls[walk.call];
    call.start_us = since_begin(walk.begin);
    call.duration_us = since_begin(record.x) - call.start_us;
    call.raised = record.a != 0;
  }
  if (!home) return;
  phases_.end_walk(record.x);
  last_ticks_ = std::max(last_ticks_, record.x);
}

void StepParser::seen(const StepResultRecord& record) {
  SeenValues values{.forward = record.forward != 0,
                    .values = record.values,
                    .zero_operands = record.zero_operands,
                    .results = record.results,
                    .cotangents = record.cotangents};
  if (values.forward) {
    seen_forward_.push_back({static_cast<std::uint32_t>(view_.seen.size()), record.output});
  } else if (!walks_.empty()) {
    values.index = walks_.back().step;
  }
  view_.seen.push_back(values);
}

void StepParser::ask(const Record& record) {
  calls_[record.z] = static_cast<std::uint32_t>(view_.calls.size());
  GradientCall call;
  call.tape = record.b;
  call.id = record.z;
  call.location = texts_.location(static_cast<SiteId>(record.y));
  call.traced = record.a & GradientAskFlags::kTraced;
  if (const auto tape = tapes_.find(call.tape); tape != tapes_.end()) {
    call.persistent = tape->second.persistent;
    call.inside = tape->second.recording;
  }
  view_.calls.push_back(std::move(call));
}

void StepParser::tape_event(const Record& record) {
  TapeNow& tape = tapes_[record.b];
  if (record.kind == RecordKind::tape_enter) tape.persistent = (record.a & 1) != 0;
  tape.recording = record.kind == RecordKind::tape_enter || record.kind == RecordKind::tape_resume;
}

GradientCall* StepParser::asked() { return view_.calls.empty() ? nullptr : &view_.calls.back(); }

std::uint32_t StepParser::call_with_id(std::uint64_t id) {
  const auto found = calls_.find(id);
  return found == calls_.end() ? kNoOp : found->second;
}

void StepParser::touch_variable(TensorId handle) {
  if (variables_.contains(handle)) return;
  auto known = local_.find(handle);
  if (!known && data_.surroundings) known = data_.surroundings->find(handle);
  if (!known || !known->variable) return;
  variables_[handle] = static_cast<std::uint32_t>(view_.variables.size());
  view_.variables.push_back({.id = handle,
                             .name = name_text(known->name),
                             .location = texts_.location(known->site),
                             .type = type_with_id(known->type),
                             .trainable = known->trainable});
}

}  // namespace tapescope
