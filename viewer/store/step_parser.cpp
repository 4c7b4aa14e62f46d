// First pass: records to rows.
#include "viewer/store/step_parser.h"

#include <algorithm>
#include <span>

#include "engine/events/clock.h"
#include "engine/events/records/functions.h"
#include "engine/events/records/steps.h"
#include "engine/events/records/tapes.h"
#include "engine/events/records/tensors.h"
#include "viewer/store/distinct_names.h"
#include "viewer/store/tape_holds.h"

namespace tapescope {

void StepParser::run() {
  view_.surroundings = data_.surroundings;
  for (std::size_t i = 0; i < data_.segments.size(); ++i) {
    segment(data_.segments[i], data_.segments[i].thread == data_.home);
  }
  tell_sources_apart(view_);
  link();
  describe();
  directions();
  times();
  memory();
  if (around_ != nullptr) number_inner_ops();
  view_.index();
  expansions();
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
    switch (record.kind) {
      case OpRecord::kKind: {
        const auto read = record.as<OpRecord>();
        op(read, segment.thread, home);
        // The gradient in a function's graph is a pass as well.
        if (walks_.empty() && (read.flags & OpRecord::kBackward) && !(read.flags & OpRecord::kTraced)) {
          graph_gradients_ = true;
          last_backward = static_cast<std::uint32_t>(view_.ops.size());
        }
        break;
      }
      case OperandsRecord::kKind: operands(record.as<OperandsRecord>()); break;
      case OutputRecord::kKind: {
        const auto output = record.as<OutputRecord>();
        later_outputs_[output.tensor] = output.type;
        if (current_op_ != kNoOp && view_.ops[current_op_].outputs < stated_outputs_)
          ++view_.ops[current_op_].outputs;
        break;
      }
      case CreateRecord::kKind: {
        const auto create = record.as<CreateRecord>();
        if (create.mark != 0) {
          view_.host_made.push_back(
              {create.tensor, create.type, create.is_number ? SiteId{0} : SiteId{create.site}, create.mark});
        }
        local_.learn(record);
        break;
      }
      case HostReadRecord::kKind: {
        const auto read = record.as<HostReadRecord>();
        if (read.printed == 0) view_.host_reads.push_back({read.tensor, read.order, read.site, read.mark});
        break;
      }
      case TensorNameRecord::kKind: {
        const auto given = record.as<TensorNameRecord>();
        names_[given.tensor] = given.name;
        break;
      }
      case TraceParameterRecord::kKind: {
        const auto parameter = record.as<TraceParameterRecord>();
        names_[parameter.tensor] = parameter.name;
        break;
      }
      case EarlierTensorRecord::kKind:
      case VariableRecord::kKind:
      case TrainableRecord::kKind: local_.learn(record); break;
      case VariableValueRecord::kKind: {
        const auto holds = record.as<VariableValueRecord>();
        names_[holds.value] = holds.name;
        break;
      }
      case AssignRecord::kKind: {
        const auto assign = record.as<AssignRecord>();
        touch_variable(assign.variable);
        view_.assigns.push_back({assign.variable, assign.value, texts_.location(assign.site),
                                 static_cast<std::uint32_t>(view_.ops.size())});
        break;
      }
      case WatchRecord::kKind: {
        const auto watch = record.as<WatchRecord>();
        touch_variable(watch.watched);
        if (watch.how == WatchKind::by_hand) view_.watched.push_back(watch.watched);
        break;
      }
      case SilenceBeginRecord::kKind:
        silencers_.push_back(name_text(record.as<SilenceBeginRecord>().by));
        break;
      case SilenceEndRecord::kKind:
        if (!silencers_.empty()) silencers_.pop_back();
        break;
      case TapeEnterRecord::kKind: {
        const auto enter = record.as<TapeEnterRecord>();
        tapes_[enter.tape] = {(enter.flags & TapeEnterRecord::kPersistent) != 0, true, place_of(enter)};
        break;
      }
      case TapeRecord::kExit:
      case TapeRecord::kPause: tapes_[record.as<TapeRecord>().tape].recording = false; break;
      case TapeRecord::kResume: tapes_[record.as<TapeRecord>().tape].recording = true; break;
      case GradientAskRecord::kKind: ask(record.as<GradientAskRecord>()); break;
      case TargetRecord::kKind: target(record.as<TargetRecord>()); break;
      case SourceRecord::kKind: source(record.as<SourceRecord>()); break;
      case ResultRecord::kKind:
        result(record.as<ResultRecord>());
        if (walks_.empty()) last_backward = put_together(last_backward, home);
        break;
      case BackwardBeginRecord::kKind: {
        const auto begin = record.as<BackwardBeginRecord>();
        if (home) phases_.begin_walk(begin.ticks);
        walks_.push_back({call_with_id(begin.call), kNoOp, begin.ticks});
        last_ticks_ = std::max<std::uint64_t>(last_ticks_, begin.ticks);
        break;
      }
      case BackwardStepRecord::kKind: backward_step(record.as<BackwardStepRecord>(), home); break;
      case StepResultRecord::kKind: seen(record.as<StepResultRecord>()); break;
      case BackwardEndRecord::kKind:
        backward_end(record.as<BackwardEndRecord>(), home);
        last_backward = static_cast<std::uint32_t>(view_.ops.size());
        break;
      case FunctionCallRecord::kKind: {
        constexpr auto kElsewhere = FunctionCallRecord::kNested | FunctionCallRecord::kNotCalled;
        if (!(record.as<FunctionCallRecord>().flags & kElsewhere))
          called = static_cast<std::uint32_t>(view_.ops.size());
        break;
      }
      case FunctionEndRecord::kKind:
        end_call(called, last_backward > called);
        called = static_cast<std::uint32_t>(view_.ops.size());
        break;
      case StepBeginRecord::kKind:
        view_.starts.push_back({record.as<StepBeginRecord>().step,
                                static_cast<std::uint32_t>(view_.ops.size()),
                                static_cast<std::uint32_t>(view_.calls.size())});
        break;
      case ExpansionRecord::kKind:
      case InnerOpRecord::kKind:
      case InnerOperandsRecord::kKind:
      case ExpansionEndRecord::kKind: expand(record, segment.thread); break;
      case LostRecord::kKind: view_.lost_events += record.as<LostRecord>().records; break;
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
  row.type = read.output != 0 ? type_with_id(read.type) : nullptr;  // 0 is a type, too
  row.first_input = static_cast<std::uint32_t>(view_.inputs.size());
  if (read.ticks != 0) {
    row.start_us = since_begin(read.ticks - std::min<std::uint64_t>(read.duration, read.ticks));
    row.duration_us = microseconds(read.duration);
    if (home) last_ticks_ = std::max<std::uint64_t>(last_ticks_, read.ticks);
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

// A damaged record may state thousands of outputs, of which each is looked up and held in memory: one counts
// when its own record comes, but for inner ops, which have no such records.
void StepParser::count_outputs(OpRow& row, std::uint32_t stated) {
  constexpr std::size_t kFew = 64, kEach = 8;  // further outputs of all inner ops, and for each of them
  stated_outputs_ = stated;
  row.outputs = std::min(stated, 1u);
  if (around_ == nullptr || stated <= 1) return;
  const std::size_t most = kFew + kEach * view_.ops.size();
  const std::size_t more = std::min<std::size_t>(stated - 1, most - std::min(most, inner_outputs_));
  inner_outputs_ += more;
  row.outputs += static_cast<std::uint32_t>(more);
}

void StepParser::operands(const OperandsRecord& read) {
  if (current_op_ == kNoOp) return;
  OpRow& row = view_.ops[current_op_];
  const bool first =
      row.inputs == 0 && row.first_input == view_.inputs.size() && (read.inputs || read.outputs);
  if (first) {
    count_outputs(row, read.outputs);
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
    // What a graph runs that holds its gradient is stopped at, forward and backward.
    const bool in_step = seen == TapeAnswer::in_graph && row.thread == data_.home && row.outputs > 0;
    if (in_step) row.answer = TapeAnswer::absent;
    if (in_step || (row.node == -2 && row.recorded)) row.node = nodes_++;
    else row.node = -1;
    if (row.node >= 0 && !(row.flags & OpRecord::kBackward)) ++view_.forward_nodes;
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

void StepParser::backward_step(const BackwardStepRecord& record, bool home) {
  if (walks_.empty()) walks_.push_back({});  // its beginning was lost
  Walk& walk = walks_.back();
  close_step(walk, record.ticks);
  walk.step = static_cast<std::uint32_t>(view_.backward_steps.size());
  BackwardStep step;
  step.tape = record.tape;
  step.call = walk.call;
  step.first_op = static_cast<std::uint32_t>(view_.ops.size());
  step.start_us = since_begin(record.ticks);
  // The debugger stops at the outermost pass only.
  if (home && open_steps_ == 0) step.node = nodes_++;
  ++open_steps_;
  pending_.push_back({walk.step, record.output});
  view_.backward_steps.push_back(step);
  last_ticks_ = std::max<std::uint64_t>(last_ticks_, record.ticks);
}

void StepParser::backward_end(const BackwardEndRecord& record, bool home) {
  if (walks_.empty()) return;
  Walk walk = walks_.back();
  close_step(walk, record.ticks);
  walks_.pop_back();
  if (walk.call != kNoOp) {
    GradientCall& call = view_.calls[walk.call];
    call.start_us = since_begin(walk.begin);
    call.duration_us = since_begin(record.ticks) - call.start_us;
    call.raised = record.raised != 0;
  }
  if (!home) return;
  phases_.end_walk(record.ticks);
  last_ticks_ = std::max<std::uint64_t>(last_ticks_, record.ticks);
}

void StepParser::seen(const StepResultRecord& record) {
  if (!record.forward && walks_.empty()) return;  // looked at after the walk: engine/explain reads these
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

void StepParser::ask(const GradientAskRecord& record) {
  calls_[record.call] = static_cast<std::uint32_t>(view_.calls.size());
  GradientCall call;
  call.tape = record.tape;
  call.id = record.call;
  call.location = texts_.location(record.site);
  call.traced = record.flags & GradientAskRecord::kTraced;
  if (const auto tape = tapes_.find(call.tape); tape != tapes_.end()) {
    call.persistent = tape->second.persistent;
    call.inside = tape->second.recording;
    call.tape_made = texts_.location(tape->second.site);
  }
  view_.calls.push_back(std::move(call));
}

void StepParser::target(const TargetRecord& record) {
  GradientCall* call = asked();
  if (!call) return;
  call->targets.push_back(record.tensor);
  // A nameless target in a graph is called by its op.
  const auto traced = traced_.find(record.tensor);
  const bool nameless = record.name == 0 || name_text(record.name).starts_with("tensor:");
  const bool by_op = nameless && traced != traced_.end();
  call->target_names.push_back(by_op ? intern_name(op_name_text(traced->second)) : NameId{record.name});
}

void StepParser::source(const SourceRecord& record) {
  GradientCall* call = asked();
  if (!call) return;
  view_.answers.push_back({.call = static_cast<std::uint32_t>(view_.calls.size() - 1),
                           .index = static_cast<std::uint32_t>(call->sources.size()),
                           .name = record.name,
                           .source = record.tensor,
                           .answered = false});
  call->sources.push_back(record.tensor);
  touch_variable(record.tensor);
}

// The answers of a call come in the order of its sources, right after its walk.
void StepParser::result(const ResultRecord& record) {
  for (auto answer = view_.answers.rbegin(); answer != view_.answers.rend(); ++answer) {
    if (answer->source != record.source || answer->answered) continue;
    if (record.index != 0 && answer->index + 1 != record.index) continue;
    answer->gradient = record.gradient;
    answer->kind = record.result;
    answer->answered = true;
    return;
  }
}

// What ran since the walk made its answer: no part of an update. Returns the number of ops.
std::uint32_t StepParser::put_together(std::uint32_t first, bool home) {
  const auto end = static_cast<std::uint32_t>(view_.ops.size());
  if (first == 0) return first;  // no walk ended before
  for (OpRow& row : std::span(view_.ops).subspan(first, end - first)) {
    if (!row.recorded) row.direction = Direction::backward;
  }
  if (home && end > first) phases_.answer(last_ticks_);
  return end;
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
