// Builds the history from records.
#include "engine/explain/history.h"

#include <algorithm>
#include <utility>

#include "engine/events/records/functions.h"
#include "engine/events/records/gradients.h"
#include "engine/events/records/ops.h"
#include "engine/events/records/steps.h"
#include "engine/events/records/tapes.h"
#include "engine/events/records/tensors.h"
#include "engine/explain/breaks.h"

namespace tapescope {
namespace {

constexpr std::size_t kNumbers = 8;  // an op takes few
constexpr std::size_t kReadsLookedAt = 64;
constexpr auto kInGraph = static_cast<std::uint32_t>(TapeAnswer::in_graph);

// Answers of 32 bits that say anything; beyond kMaxAnswers tapes they say nothing.
int answered(std::uint32_t answers) {
  int count = 0;
  for (; answers != 0; answers >>= 4) ++count;
  return count;
}

}  // namespace

History::History()
    : call_op_(intern_op_name("PartitionedCall")),
      assign_op_(intern_op_name("AssignVariableOp")),
      tape_sets_(2) {
  set_index_[{}] = 0;
}

void History::clear() { *this = History(); }

void History::add(std::uint32_t id, std::span<const Record> records) {
  Thread& thread = threads_[id];
  for (const Record& record : records) {
    switch (record.kind) {
      case OpRecord::kKind: add_op(id, thread, record.as<OpRecord>()); break;
      case OperandsRecord::kKind: add_operands(id, thread, record.as<OperandsRecord>()); break;
      case OutputRecord::kKind: add_output(thread, record.as<OutputRecord>()); break;
      case CreateRecord::kKind: add_create(id, thread, record.as<CreateRecord>()); break;
      case HostReadRecord::kKind: add_read(id, thread, record.as<HostReadRecord>()); break;
      case BranchRecord::kKind: add_branch(id, record.as<BranchRecord>()); break;
      case NodeBranchRecord::kKind: {
        const auto ran = record.as<NodeBranchRecord>();
        thread.branch_ran = NodeBranch{ran.branch, ran.inputs, ran.begin};
        break;
      }
      case TensorNameRecord::kKind: {
        const auto given = record.as<TensorNameRecord>();
        names_[given.tensor] = given.name;
        break;
      }
      case TraceParameterRecord::kKind: add_parameter(thread, record.as<TraceParameterRecord>()); break;
      case TraceResultRecord::kKind: {
        const auto result = record.as<TraceResultRecord>();
        thread.results.push_back({result.tensor, static_cast<std::uint32_t>(result.place), result.depth});
        break;
      }
      case VariableRecord::kKind: add_variable(id, record.as<VariableRecord>()); break;
      case VariableValueRecord::kKind: {
        const auto holds = record.as<VariableValueRecord>();
        value_of_[holds.value] = holds.variable;
        break;
      }
      case TrainableRecord::kKind: add_trainable(id, record.as<TrainableRecord>()); break;
      case AssignRecord::kKind: add_assign(id, record.as<AssignRecord>()); break;
      case TapeEnterRecord::kKind: add_tape_enter(id, thread, record.as<TapeEnterRecord>()); break;
      case TapeRecord::kExit:
      case TapeRecord::kPause:
      case TapeRecord::kResume:
      case TapeRecord::kReset:
      case TapeRecord::kConsumed:
      case TapeRecord::kDestroyed: add_tape_event(id, thread, record.as<TapeRecord>()); break;
      case WatchRecord::kKind: add_watch(id, record.as<WatchRecord>()); break;
      case SilenceBeginRecord::kKind: thread.silencers.push_back(record.as<SilenceBeginRecord>().by); break;
      case SilenceEndRecord::kKind:
        if (!thread.silencers.empty()) thread.silencers.pop_back();
        break;
      case GradientAskRecord::kKind: add_question(id, thread, record.as<GradientAskRecord>()); break;
      case TargetRecord::kKind:
        if (thread.question != kNoIndex)
          questions_[thread.question].targets.push_back(record.as<TargetRecord>().tensor);
        break;
      case SourceRecord::kKind:
        if (thread.question != kNoIndex) {
          const auto source = record.as<SourceRecord>();
          questions_[thread.question].sources.push_back({.id = source.tensor, .name = source.name});
        }
        break;
      case GraphAskRecord::kKind: add_graph_question(thread, record.as<GraphAskRecord>()); break;
      case BackwardBeginRecord::kKind: {
        begin_walk(thread);
        const auto tape = tapes_.find(record.as<BackwardBeginRecord>().tape);
        if (tape != tapes_.end()) tape->second.asking = false;
        break;
      }
      case BackwardStepRecord::kKind: add_backward_step(thread, record.as<BackwardStepRecord>()); break;
      case BackwardEndRecord::kKind: end_walk(thread); break;
      case ResultRecord::kKind: add_result(thread, record.as<ResultRecord>()); break;
      case StepResultRecord::kKind: add_step_result(thread, record.as<StepResultRecord>()); break;
      case TensorValuesRecord::kKind: {
        const auto seen = record.as<TensorValuesRecord>();
        values_[seen.tensor] = seen;
        break;
      }
      case StepBeginRecord::kKind:
        if (record.as<StepBeginRecord>().implied) break;  // the program may ask across them
        thread.step_starts.push_back(std::max<TensorId>(thread.stamp, record.as<StepBeginRecord>().order));
        break;
      case FunctionMadeRecord::kKind: {
        const auto made = record.as<FunctionMadeRecord>();
        functions_[made.function] = made.name;
        break;
      }
      case FunctionCallRecord::kKind: add_function_call(thread, record.as<FunctionCallRecord>()); break;
      case FunctionEndRecord::kKind: thread.called = 0; break;
      case UntakenRecord::kKind: {
        const auto untaken = record.as<UntakenRecord>();
        constexpr std::ptrdiff_t kMostOfASource = 3;
        const auto [first, end] = untaken_.equal_range(untaken.source);
        if (std::distance(first, end) < kMostOfASource &&
            std::none_of(first, end, [&](const auto& known) { return known.second.site == untaken.site; }))
          untaken_.emplace(untaken.source, untaken);
        break;
      }
      case LostRecord::kKind: lost_ += record.as<LostRecord>().records; break;
      default: break;
    }
  }
}

void History::note_made(std::uint32_t id, Thread& thread, TensorId made, TensorId next) {
  thread.stamp = std::max(thread.stamp, next);
  own_block(made, id);
}

void History::own_block(TensorId id, std::uint32_t thread) {
  if (id != 0) block_owners_.try_emplace((id - 1) / 1024, thread);
}

std::uint32_t History::set_of(const std::vector<TapeId>& tapes) {
  const auto [entry, fresh] = set_index_.try_emplace(tapes, static_cast<std::uint32_t>(tape_sets_.size()));
  if (fresh) tape_sets_.push_back(tapes);
  return entry->second;
}

void History::add_op(std::uint32_t id, Thread& thread, const OpRecord& record) {
  HistoryOp op;
  op.op = record.name;
  op.flags = record.flags;
  op.site = record.site;
  op.thread = id;
  op.silencer = record.flags & OpRecord::kSilenced && !thread.silencers.empty() ? thread.silencers.back() : 0;
  op.output = record.output;
  op.type = record.type;
  op.first_input = static_cast<std::uint32_t>(inputs_.size());
  op.tapes = thread.tapes;
  op.ticks = record.ticks;
  op.duration = record.duration;
  if (record.flags & OpRecord::kBackward) {
    op.backward_of = thread.backward_of;
    if (thread.walked() != kNoIndex) op.call = questions_[thread.walked()].call;
  }
  if (op.op == call_op_ && !(op.flags & OpRecord::kBackward)) {
    op.trace = op.flags & OpRecord::kTraced ? std::exchange(thread.taken_in, 0) : thread.called;
  }
  if (const auto ran = std::exchange(thread.branch_ran, std::nullopt)) branch_of_node_[op.output] = *ran;
  thread.open_op = static_cast<std::uint32_t>(ops_.size());
  ops_.push_back(op);
  index_op(thread.open_op);
  note_made(id, thread, record.output, record.output + 1);
}

void History::index_op(std::uint32_t index) {
  const HistoryOp& op = ops_[index];
  if (op.output == 0) return;
  for (std::uint32_t k = 0; k < op.outputs; ++k) {
    // What a call returns was made by an op of its graph, which came before.
    const std::uint32_t inner = op.trace != 0 ? producer_.find(op.output + k) : kNoIndex;
    if (inner != kNoIndex && inner != index) inner_producer_.set(op.output + k, inner);
    producer_.set(op.output + k, index);
  }
}

void History::add_operands(std::uint32_t id, Thread& thread, const OperandsRecord& record) {
  if (thread.open_op == kNoIndex) return;
  HistoryOp& op = ops_[thread.open_op];
  const bool first = op.inputs == 0 && record.outputs != 0;
  if (first) {
    op.outputs = record.outputs;
    op.answers = record.answers == kInGraph ? 0 : record.answers;
    // A tape that was entered before the history began answers too, and all positions are off.
    const int expected = static_cast<int>(std::min<std::size_t>(tape_sets_[op.tapes].size(), kMaxAnswers));
    if (op.tapes != kUnknownSet && answered(record.answers) != expected) op.tapes = kUnknownSet;
    index_op(thread.open_op);
    note_made(id, thread, op.output, op.output + op.outputs);
  }
  // Another thread's inputs may have come in between: an op's inputs stay together.
  if (op.first_input + op.inputs != inputs_.size()) {
    const auto moved = static_cast<std::uint32_t>(inputs_.size());
    for (std::uint32_t i = 0; i < op.inputs; ++i) inputs_.push_back(TensorId{inputs_[op.first_input + i]});
    op.first_input = moved;
  }
  const std::uint32_t from = op.inputs;
  for (const TensorId input : record.input) {
    if (input == 0) break;
    inputs_.push_back(input);
    ++op.inputs;
  }
  link_inputs(thread.open_op, from);
  if (!(op.flags & OpRecord::kTraced)) return;
  find_baked(id, thread, op, from);
  // An assignment that a function will run: what it reads later comes from there.
  if (op.op == assign_op_ && from == 0 && op.inputs >= 2) {
    const TensorId* input = inputs_.data() + op.first_input;
    add_assign(id, {.site = op.site, .variable = input[0], .value = input[1], .order = thread.stamp});
  }
}

// Inputs of a traced op that are values the host had read before, in the same step.
void History::find_baked(std::uint32_t id, Thread& thread, const HistoryOp& op, std::uint32_t from) {
  if (thread.reads.empty()) return;
  for (std::uint32_t i = from; i < op.inputs; ++i) {
    const TensorId input = inputs_[op.first_input + i];
    if (producer_.find(input) != kNoIndex || variables_.contains(input)) continue;
    const auto number = std::find_if(thread.numbers.begin(), thread.numbers.end(),
                                     [&](const auto& n) { return n.first == input; });
    const HistoryCreate* made = create(input);
    if (number == thread.numbers.end() && !made) continue;  // a parameter, or from before
    const std::uint16_t mark = made ? made->mark : number->second;
    const std::uint32_t step = step_at(id, input);
    const HistoryRead* found = nullptr;
    bool certain = false;
    const std::size_t oldest = thread.reads.size() - std::min(thread.reads.size(), kReadsLookedAt);
    for (std::size_t r = thread.reads.size(); r-- > oldest && !certain;) {
      const HistoryRead& read = reads_[thread.reads[r]];
      if (step_at(id, read.stamp) != step || read.stamp > input) continue;
      certain = mark != 0 && read.mark == mark;
      // Sizes and indices are no computed numbers.
      const bool numbers = !made || is_floating_type(made->type) || !is_floating_type(type_of(read.tensor));
      if (certain || (!found && numbers && only_symbols_between(read.stamp, input))) found = &read;
    }
    if (found)
      thread.baked.push_back({op.op, op.site, input, found->tensor, found->site, certain, made == nullptr});
  }
}

// Whether nothing was computed or made of host values between a read and a number: it was made right after
// the read.
bool History::only_symbols_between(TensorId read, TensorId number) const {
  if (number - read > kNearby) return false;
  for (TensorId id = read; id < number; ++id) {
    if (producer_.find(id) != kNoIndex || creates_.contains(id)) return false;
  }
  return true;
}

void History::add_create(std::uint32_t id, Thread& thread, const CreateRecord& record) {
  if (record.is_number) {
    if (thread.numbers.size() == kNumbers) thread.numbers.erase(thread.numbers.begin());
    thread.numbers.emplace_back(record.tensor, record.mark);
    number_marks_[record.tensor] = record.mark;
    return;
  }
  creates_[record.tensor] = {record.type, id, record.mark, record.site};
  note_made(id, thread, record.tensor, record.tensor + 1);
}

void History::add_read(std::uint32_t id, Thread& thread, const HostReadRecord& record) {
  const bool printed = record.printed == 1;
  // What a step's functions were traced from is kept for later steps, and comes twice in that step.
  while (!thread.reads.empty() && reads_[thread.reads.back()].stamp >= record.order) thread.reads.pop_back();
  reads_.push_back({record.tensor, record.order, id, record.mark, printed, record.site,
                    thread.reads.empty() ? kNoIndex : thread.reads.back()});
  // What was only written out came back nowhere.
  if (!printed) thread.reads.push_back(static_cast<std::uint32_t>(reads_.size() - 1));
  note_made(id, thread, record.order, record.order);
}

void History::add_branch(std::uint32_t id, const BranchRecord& record) {
  branches_.push_back({record.site, record.branch, id, record.traced != 0, record.begin, record.order});
}

// Which trace a parameter is of is known by the call that the trace was made for.
void History::add_parameter(Thread& thread, const TraceParameterRecord& record) {
  parameters_[record.tensor] = {0, static_cast<std::uint32_t>(record.place), record.name};
  thread.parameters.emplace_back(record.tensor, record.depth);
}

void History::add_function_call(Thread& thread, const FunctionCallRecord& record) {
  const std::uint64_t key = trace_key(record.function, record.trace);
  // What was read after the parameters were made went into the graph, and nowhere else.
  for (const auto& [symbol, depth] : thread.parameters) {
    if (depth <= record.depth) continue;
    for (auto r = thread.reads.rbegin(); r != thread.reads.rend() && reads_[*r].stamp > symbol; ++r)
      reads_[*r].in_trace = true;
  }
  std::erase_if(thread.parameters, [&](const auto& known) {
    const bool of_trace = known.second > record.depth;
    if (of_trace) parameters_[known.first].trace = key;
    return of_trace;
  });
  std::erase_if(thread.results, [&](const auto& known) {
    const bool of_trace = known.depth > record.depth;
    if (of_trace) results_[{key, known.place}] = known.symbol;
    return of_trace;
  });
  if (record.flags & FunctionCallRecord::kNested) {
    thread.taken_in = key;
    // Its nodes are part of the enclosing trace too, also where it was traced before.
    if (record.flags & FunctionCallRecord::kTraced) traces_[key] = thread.baked;
    else if (const auto known = traces_.find(key); known != traces_.end()) {
      thread.baked.insert(thread.baked.end(), known->second.begin(), known->second.end());
    }
    return;
  }
  if (!thread.baked.empty()) traces_[key] = std::exchange(thread.baked, {});
  note_uncalled(thread, key, !(record.flags & FunctionCallRecord::kNotCalled));
  thread.called = record.flags & FunctionCallRecord::kNotCalled ? 0 : key;
}

void History::note_uncalled(Thread& thread, std::uint64_t trace, bool called) {
  if (called && !uncalled_reads_.empty())
    std::erase_if(uncalled_reads_, [&](const auto& known) { return known.second.trace == trace; });
  const TensorId known = thread.traced_to;
  for (std::size_t i = ops_.size(); i-- > 0;) {
    const HistoryOp& op = ops_[i];
    if (!(op.flags & OpRecord::kTraced) || op.output <= known) break;
    thread.traced_to = std::max(thread.traced_to, op.output);
    if (called) break;
    for (const TensorId input : inputs(op)) {
      if (!producer(input)) uncalled_reads_[input] = {trace, op.op, op.site};
    }
  }
}

void History::link_inputs(std::uint32_t index, std::uint32_t from) {
  const HistoryOp& op = ops_[index];
  for (std::uint32_t i = from; i < op.inputs; ++i) {
    const TensorId input = inputs_[op.first_input + i];
    const std::uint32_t previous = last_use_.find(input);
    if (previous != kNoIndex && uses_[previous].op == index) continue;
    last_use_.set(input, static_cast<std::uint32_t>(uses_.size()));
    uses_.push_back({index, previous});
  }
}

void History::add_output(Thread& thread, const OutputRecord& record) {
  if (thread.open_op == kNoIndex) return;
  producer_.set(record.tensor, thread.open_op);
  other_types_[record.tensor] = record.type;
}

void History::add_variable(std::uint32_t id, const VariableRecord& record) {
  HistoryVariable& variable = variables_[record.handle];
  variable.name = record.name;
  variable.trainable = record.trainable != 0;
  variable.type = record.type;
  variable.site = record.site;
  variable.thread = id;
  own_block(record.handle, id);
  // Only an initial value that is known by an id smaller than the handle's can be distinguished from an order
  // stamp.
  if (record.initial != 0 && record.initial < record.handle && variable.assigns.empty()) {
    variable.assigns.push_back(static_cast<std::uint32_t>(assigns_.size()));
    assigns_.push_back({record.handle, record.initial, record.handle, id, variable.site, kNoIndex});
  }
}

void History::add_trainable(std::uint32_t id, const TrainableRecord& record) {
  HistoryVariable& variable = variables_[record.variable];
  variable.trainable = record.trainable != 0;
  variable.trainable_site = record.site;
  if (variable.site != 0) return;
  // Its making was not recorded.
  variable.name = record.name;
  variable.type = record.type;
  variable.site = record.site;
  variable.thread = id;
  own_block(record.variable, id);
}

void History::add_assign(std::uint32_t id, const AssignRecord& record) {
  HistoryVariable& variable = variables_[record.variable];
  const std::uint32_t previous = variable.assigns.empty() ? kNoIndex : variable.assigns.back();
  variable.assigns.push_back(static_cast<std::uint32_t>(assigns_.size()));
  assigns_.push_back({record.variable, record.value, record.order, id, record.site, previous});
}

void History::add_tape_enter(std::uint32_t id, Thread& thread, const TapeEnterRecord& record) {
  HistoryTape& tape = tapes_[record.tape];
  tape.id = record.tape;
  tape.persistent = record.flags & TapeEnterRecord::kPersistent;
  tape.watch_accessed = record.flags & TapeEnterRecord::kWatchesAccessed;
  if (tape.generation == 0 || !(record.flags & TapeEnterRecord::kAgain)) {
    tape.ends.resize(++tape.generation);
    tape.site = record.site;
  }
  tape.consumed_order = 0;
  tape.asking = false;
  if (std::find(thread.active.begin(), thread.active.end(), tape.id) == thread.active.end())
    thread.active.push_back(tape.id);
  add_tape_phase(
      id, thread, tape,
      {.kind = record.kind, .phase = TapePhase::recording, .stamp = record.order, .site = record.site});
}

void History::add_tape_event(std::uint32_t id, Thread& thread, const TapeRecord& record) {
  HistoryTape& tape = tapes_[record.tape];
  tape.id = record.tape;
  const SiteId site = record.site;
  const auto& events = events_on(tape, id);
  TapePhase phase = events.empty() ? TapePhase::never : events.back().phase;
  const bool active = std::find(thread.active.begin(), thread.active.end(), tape.id) != thread.active.end();
  const auto end_recording = [&] {
    if (tape.generation == 0) tape.generation = 1, tape.ends.resize(1);
    tape.ends[tape.generation - 1] = {record.kind, site};
  };
  switch (record.kind) {
    case TapeRecord::kExit:
      // gradient() leaves the block it was called in: what follows there finds the tape used up.
      phase = tape.asking ? TapePhase::used_up : TapePhase::exited;
      std::erase(thread.active, tape.id);
      break;
    case TapeRecord::kPause: phase = TapePhase::paused; break;
    case TapeRecord::kResume: phase = TapePhase::recording; break;
    case TapeRecord::kReset:
      end_recording();
      tape.ends.resize(++tape.generation);
      break;
    case TapeRecord::kConsumed:
      end_recording();
      tape.consumed_order = arrivals_ + 1;
      tape.consumed_site = site;
      if (active) phase = TapePhase::used_up;
      std::erase(thread.active, tape.id);
      break;
    default:
      tape.destroyed = true;
      if (active) phase = TapePhase::exited;
      std::erase(thread.active, tape.id);
      break;
  }
  add_tape_phase(id, thread, tape,
                 {.kind = record.kind, .phase = phase, .stamp = record.order, .site = site});
}

// The event counts for the tape's present recording; what else it says is set.
void History::add_tape_phase(std::uint32_t id, Thread& thread, HistoryTape& tape, TapeEvent event) {
  thread.tapes = set_of(thread.active);
  event.generation = tape.generation;
  event.order = ++arrivals_;
  events_on(tape, id).push_back(event);
  note_made(id, thread, event.stamp, event.stamp);
}

std::vector<TapeEvent>& History::events_on(HistoryTape& tape, std::uint32_t thread) {
  for (HistoryTape::OnThread& on : tape.threads) {
    if (on.thread == thread) return on.events;
  }
  return tape.threads.emplace_back(HistoryTape::OnThread{thread, {}}).events;
}

void History::add_watch(std::uint32_t id, const WatchRecord& record) {
  HistoryTape& tape = tapes_[record.tape];
  tape.id = record.tape;
  tape.watches[record.watched].push_back({record.how, id, tape.generation, record.order, record.site});
}

void History::add_question(std::uint32_t id, Thread& thread, const GradientAskRecord& record) {
  thread.question = static_cast<std::uint32_t>(questions_.size());
  Question question;
  question.tape = record.tape;
  question.flags = record.flags;
  question.thread = id;
  question.order = ++arrivals_;
  question.site = record.site;
  question.call = record.call;
  question.target_count = record.targets;
  question.source_count = record.sources;
  questions_.push_back(std::move(question));
  const auto tape = tapes_.find(record.tape);
  if (tape != tapes_.end()) tape->second.asking = true;
}

// The same question once more, by the tensors of the trace.
void History::add_graph_question(Thread& thread, const GraphAskRecord& record) {
  thread.question = kNoIndex;
  const auto traced = std::find_if(questions_.rbegin(), questions_.rend(),
                                   [&](const Question& q) { return q.call == record.call; });
  if (traced == questions_.rend()) return;
  Question question = *traced;
  question.order = ++arrivals_;
  question.flags = static_cast<std::uint8_t>(question.flags & ~GradientAskRecord::kTraced);
  thread.question = static_cast<std::uint32_t>(questions_.size());
  questions_.push_back(std::move(question));
}

void History::add_result(Thread& thread, const ResultRecord& record) {
  // A gradient call inside a backward pass (a custom gradient's) asks in between; its results come first.
  for (std::uint32_t q = thread.question; q != kNoIndex; q = q == 0 ? kNoIndex : q - 1) {
    std::vector<Question::Source>& sources = questions_[q].sources;
    if (record.index >= 1 && record.index <= sources.size() &&
        sources[record.index - 1].id == record.source && !sources[record.index - 1].answered) {
      Question::Source& source = sources[record.index - 1];
      source.answered = true;
      source.result = record.result;
      source.gradient = record.gradient;
      return;
    }
    if (thread.question - q >= 8) return;  // deeper nesting than any program has
  }
}

void History::add_step_result(const Thread& thread, const StepResultRecord& record) {
  if (!record.forward) {
    if (thread.walked() != kNoIndex)
      step_results_[{questions_[thread.walked()].call, record.output}] = record;
    return;
  }
  for (unsigned i = 0; i < 16; ++i) {
    if ((record.results.nonfinite() >> i & 1) == 0) continue;
    TensorValuesRecord& seen = values_[record.output + i];
    seen.tensor = record.output + i;
    if (record.results.nan >> i & 1) seen.flags |= TensorValuesRecord::kNan;
    if (record.results.infinity >> i & 1) seen.flags |= TensorValuesRecord::kInfinity;
  }
}

void History::begin_walk(Thread& thread) {
  constexpr std::size_t kMostWalks = 64;  // of records that lack the ends of walks, the oldest are forgotten
  if (thread.walks.size() == kMostWalks) thread.walks.erase(thread.walks.begin());
  thread.walks.push_back({thread.question, std::exchange(thread.backward_of, 0)});
}

void History::end_walk(Thread& thread) {
  thread.backward_of = thread.walks.empty() ? 0 : thread.walks.back().outer_backward_of;
  if (!thread.walks.empty()) thread.walks.pop_back();
}

void History::add_backward_step(Thread& thread, const BackwardStepRecord& record) {
  thread.backward_of = record.output;
  const std::uint32_t op = producer_.find(record.output);
  if (op == kNoIndex) return;
  if (thread.walked() != kNoIndex) ops_[op].walked = questions_[thread.walked()].call;
  ops_[op].custom = record.custom != 0;
}

void History::mark_recorded(TapeId tape, TensorId output) {
  const std::uint32_t index = producer_.find(output);
  if (index == kNoIndex) return;
  HistoryOp& op = ops_[index];
  const std::optional<TapeAnswer> known = answer(op, tape);
  if (known == TapeAnswer::recorded) return;
  std::vector<TapeId> set;
  std::uint32_t answers = 0;
  if (op.tapes != kUnknownSet && tape_sets_[op.tapes].size() < kMaxAnswers) {
    set = tape_sets_[op.tapes];
    answers = op.answers;
  }
  auto at = static_cast<std::size_t>(std::find(set.begin(), set.end(), tape) - set.begin());
  if (at == set.size()) set.push_back(tape);
  answers &= ~(std::uint32_t{15} << (4 * at));
  op.answers = answers | static_cast<std::uint32_t>(TapeAnswer::recorded) << (4 * at);
  op.tapes = set_of(set);
}

}  // namespace tapescope
