// Builds the history from records.
#include "engine/explain/history.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "engine/events/branch_records.h"
#include "engine/events/function_records.h"

namespace tapescope {
namespace {

constexpr std::size_t kNumbers = 8;  // an op takes few
constexpr std::size_t kReadsLookedAt = 64;

template <class To>
To as(const Record& record) {
  To to;
  static_assert(sizeof to == sizeof record);
  std::memcpy(static_cast<void*>(&to), &record, sizeof to);
  return to;
}

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
      case RecordKind::op: add_op(id, thread, record); break;
      case RecordKind::operands: add_operands(id, thread, record); break;
      case RecordKind::output: add_output(thread, record); break;
      case RecordKind::create:
        if (record.a !=
            0) {  // a number in the text of an expression: nobody asks for it, but a trace may take it
          if (thread.numbers.size() == kNumbers) thread.numbers.erase(thread.numbers.begin());
          thread.numbers.emplace_back(record.x, record.h);
          number_marks_[record.x] = record.h;
          break;
        }
        creates_[record.x] = {static_cast<std::uint32_t>(record.y), id, record.h, record.b};
        note_made(id, thread, record.x, record.x + 1);
        break;
      case RecordKind::host_read:
        if (record.a != 0) {
          const auto branch = static_cast<std::uint32_t>(record.a - 1);
          if (record.h & kBranchOfNode) {
            thread.branch_ran = NodeBranch{branch, record.y, record.z};
            break;
          }
          branches_.push_back({record.b, branch, id, (record.h & kBranchTraced) != 0, record.y, record.z});
          break;
        }
        reads_.push_back({record.x, record.z, id, record.h, record.b,
                          thread.reads.empty() ? kNoIndex : thread.reads.back()});
        thread.reads.push_back(static_cast<std::uint32_t>(reads_.size() - 1));
        note_made(id, thread, record.z, record.z);
        break;
      case RecordKind::tensor_name: add_name(thread, record); break;
      case RecordKind::variable: add_variable(id, record); break;
      case RecordKind::assign: add_assign(id, record); break;
      case RecordKind::tape_enter:
      case RecordKind::tape_exit:
      case RecordKind::tape_pause:
      case RecordKind::tape_resume:
      case RecordKind::tape_reset:
      case RecordKind::tape_consumed:
      case RecordKind::tape_destroyed: add_tape_event(id, thread, record); break;
      case RecordKind::watch: add_watch(id, record); break;
      case RecordKind::silence_begin: thread.silencers.push_back(record.b); break;
      case RecordKind::silence_end:
        if (!thread.silencers.empty()) thread.silencers.pop_back();
        break;
      case RecordKind::gradient_ask: add_question(id, thread, record); break;
      case RecordKind::target:
        if (thread.question != kNoIndex) questions_[thread.question].targets.push_back(record.x);
        break;
      case RecordKind::source:
        if (thread.question != kNoIndex)
          questions_[thread.question].sources.push_back({.id = record.x, .name = record.b});
        break;
      case RecordKind::backward_begin: {
        thread.backward_of = 0;
        const auto tape = tapes_.find(record.b);
        if (tape != tapes_.end()) tape->second.asking = false;
        break;
      }
      case RecordKind::backward_step: add_backward_step(thread, record); break;
      case RecordKind::backward_end: thread.backward_of = 0; break;
      case RecordKind::result: add_result(thread, record); break;
      case RecordKind::step_begin: thread.step_starts.push_back(std::max(thread.stamp, record.z)); break;
      case RecordKind::function_made: functions_[record.b] = static_cast<NameId>(record.y); break;
      case RecordKind::function_call: add_function_call(thread, record); break;
      case RecordKind::function_end: thread.called = 0; break;
      case RecordKind::lost: lost_ += record.x; break;
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

void History::add_op(std::uint32_t id, Thread& thread, const Record& record) {
  const auto told = as<OpRecord>(record);
  HistoryOp op;
  op.op = told.name;
  op.flags = told.flags;
  op.site = told.site;
  op.thread = id;
  op.silencer = told.flags & OpRecord::kSilenced && !thread.silencers.empty() ? thread.silencers.back() : 0;
  op.output = told.output;
  op.type = told.type;
  op.first_input = static_cast<std::uint32_t>(inputs_.size());
  op.tapes = thread.tapes;
  op.ticks = told.ticks;
  op.duration = told.duration;
  if (told.flags & OpRecord::kBackward) {
    op.backward_of = thread.backward_of;
    if (thread.question != kNoIndex) op.call = questions_[thread.question].call;
  }
  if (op.op == call_op_ && !(op.flags & OpRecord::kBackward)) {
    op.trace = op.flags & OpRecord::kTraced ? std::exchange(thread.taken_in, 0) : thread.called;
  }
  if (const auto ran = std::exchange(thread.branch_ran, std::nullopt)) branch_of_node_[op.output] = *ran;
  thread.open_op = static_cast<std::uint32_t>(ops_.size());
  ops_.push_back(op);
  index_op(thread.open_op);
  note_made(id, thread, told.output, told.output + 1);
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

void History::add_operands(std::uint32_t id, Thread& thread, const Record& record) {
  if (thread.open_op == kNoIndex) return;
  const auto told = as<OperandsRecord>(record);
  HistoryOp& op = ops_[thread.open_op];
  const bool first = op.inputs == 0 && told.outputs != 0;
  if (first) {
    op.outputs = told.outputs;
    op.answers = told.answers;
    // A tape that was entered before the history began answers too, and all positions are off.
    const int expected = static_cast<int>(std::min<std::size_t>(tape_sets_[op.tapes].size(), kMaxAnswers));
    if (op.tapes != kUnknownSet && answered(told.answers) != expected) op.tapes = kUnknownSet;
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
  for (const TensorId input : told.input) {
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
    add_assign(id,
               {.kind = RecordKind::assign, .b = op.site, .x = input[0], .y = input[1], .z = thread.stamp});
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
      if (certain || (!found && only_symbols_between(read.stamp, input))) found = &read;
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

// Which trace a parameter is of is told by the call that the trace was made for.
void History::add_name(Thread& thread, const Record& record) {
  if (record.y == 0) {
    names_[record.x] = record.b;
    return;
  }
  if (record.y & kValueOf) {
    value_of_[record.x] = record.y & ~kValueOf;
    return;
  }
  if (record.y & kResultPlace) {
    thread.results.push_back(
        {record.x, static_cast<std::uint32_t>((record.y & ~kResultPlace) - 1), record.h});
    return;
  }
  parameters_[record.x] = {0, static_cast<std::uint32_t>(record.y - 1), record.b};
  thread.parameters.emplace_back(record.x, record.h);
}

void History::add_function_call(Thread& thread, const Record& record) {
  const std::uint64_t key = trace_key(record.b, record.z);
  std::erase_if(thread.parameters, [&](const auto& known) {
    const bool of_trace = known.second > record.h;
    if (of_trace) parameters_[known.first].trace = key;
    return of_trace;
  });
  std::erase_if(thread.results, [&](const auto& known) {
    const bool of_trace = known.depth > record.h;
    if (of_trace) results_[{key, known.place}] = known.symbol;
    return of_trace;
  });
  if (record.a & FunctionCallFlags::kNested) {
    thread.taken_in = key;
    // Its nodes are part of the enclosing trace too, also where it was traced before.
    if (record.a & FunctionCallFlags::kTraced) traces_[key] = thread.baked;
    else if (const auto known = traces_.find(key); known != traces_.end()) {
      thread.baked.insert(thread.baked.end(), known->second.begin(), known->second.end());
    }
    return;
  }
  if (!thread.baked.empty()) traces_[key] = std::exchange(thread.baked, {});
  thread.called = record.a & FunctionCallFlags::kNotCalled ? 0 : key;
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

void History::add_output(Thread& thread, const Record& record) {
  if (thread.open_op == kNoIndex) return;
  producer_.set(record.x, thread.open_op);
  other_types_[record.x] = static_cast<std::uint32_t>(record.y);
}

void History::add_variable(std::uint32_t id, const Record& record) {
  HistoryVariable& variable = variables_[record.x];
  variable.trainable = record.a != 0;
  if (record.z & kTrainableSet) variable.trainable_site = static_cast<SiteId>(record.y >> 32);
  if (record.z & kTrainableSet && variable.site != 0) return;
  variable.name = record.b;
  variable.type = static_cast<std::uint32_t>(record.y);
  variable.site = static_cast<SiteId>(record.y >> 32);
  variable.thread = id;
  own_block(record.x, id);
  // Only an initial value that is known by an id smaller than the handle's can be told from an order stamp.
  if (record.z != 0 && record.z < record.x && variable.assigns.empty()) {
    variable.assigns.push_back(static_cast<std::uint32_t>(assigns_.size()));
    assigns_.push_back({record.x, record.z, record.x, id, variable.site, kNoIndex});
  }
}

void History::add_assign(std::uint32_t id, const Record& record) {
  HistoryVariable& variable = variables_[record.x];
  const std::uint32_t previous = variable.assigns.empty() ? kNoIndex : variable.assigns.back();
  variable.assigns.push_back(static_cast<std::uint32_t>(assigns_.size()));
  assigns_.push_back({record.x, record.y, record.z, id, record.b, previous});
}

void History::add_tape_event(std::uint32_t id, Thread& thread, const Record& record) {
  HistoryTape& tape = tapes_[record.b];
  tape.id = record.b;
  const SiteId site = static_cast<SiteId>(record.x);
  ++arrivals_;
  auto on =
      std::find_if(tape.threads.begin(), tape.threads.end(), [&](const auto& t) { return t.thread == id; });
  if (on == tape.threads.end()) on = tape.threads.insert(on, {id, {}});
  const TapePhase before = on->events.empty() ? TapePhase::never : on->events.back().phase;
  TapePhase phase = before;
  bool active = std::find(thread.active.begin(), thread.active.end(), tape.id) != thread.active.end();
  const auto end_recording = [&] {
    if (tape.generation == 0) tape.generation = 1, tape.ends.resize(1);
    tape.ends[tape.generation - 1] = {record.kind, site};
  };
  switch (record.kind) {
    case RecordKind::tape_enter:
      tape.persistent = record.a & 1;
      tape.watch_accessed = record.a & 2;
      if (tape.generation == 0 || !(record.a & 4)) {
        tape.ends.resize(++tape.generation);
        tape.site = site;
      }
      tape.consumed_order = 0;
      tape.asking = false;
      phase = TapePhase::recording;
      if (!active) thread.active.push_back(tape.id);
      active = true;
      break;
    case RecordKind::tape_exit:
      // gradient() leaves the block it was called in: what follows there finds the tape used up.
      phase = tape.asking ? TapePhase::used_up : TapePhase::exited;
      active = false;
      break;
    case RecordKind::tape_pause: phase = TapePhase::paused; break;
    case RecordKind::tape_resume: phase = TapePhase::recording; break;
    case RecordKind::tape_reset:
      end_recording();
      tape.ends.resize(++tape.generation);
      break;
    case RecordKind::tape_consumed:
      end_recording();
      tape.consumed_order = arrivals_;
      tape.consumed_site = site;
      if (active) phase = TapePhase::used_up;
      active = false;
      break;
    default:
      tape.destroyed = true;
      if (active) phase = TapePhase::exited;
      active = false;
      break;
  }
  if (!active) std::erase(thread.active, tape.id);
  thread.tapes = set_of(thread.active);
  on->events.push_back({record.kind, phase, tape.generation, arrivals_, record.z, site});
  note_made(id, thread, record.z, record.z);
}

void History::add_watch(std::uint32_t id, const Record& record) {
  HistoryTape& tape = tapes_[record.b];
  tape.id = record.b;
  tape.watches[record.x].push_back(
      {static_cast<WatchKind>(record.a), id, tape.generation, record.z, static_cast<SiteId>(record.y)});
}

void History::add_question(std::uint32_t id, Thread& thread, const Record& record) {
  thread.question = static_cast<std::uint32_t>(questions_.size());
  Question question;
  question.tape = record.b;
  question.flags = record.a;
  question.thread = id;
  question.order = ++arrivals_;
  question.site = static_cast<SiteId>(record.y);
  question.call = record.z;
  question.target_count = static_cast<std::uint32_t>(record.x);
  question.source_count = static_cast<std::uint32_t>(record.x >> 32);
  questions_.push_back(std::move(question));
  const auto tape = tapes_.find(record.b);
  if (tape != tapes_.end()) tape->second.asking = true;
}

void History::add_result(Thread& thread, const Record& record) {
  // A gradient call inside a backward pass (a custom gradient's) asks in between; its results come first.
  for (std::uint32_t q = thread.question; q != kNoIndex; q = q == 0 ? kNoIndex : q - 1) {
    std::vector<Question::Source>& sources = questions_[q].sources;
    if (record.z >= 1 && record.z <= sources.size() && sources[record.z - 1].id == record.x &&
        !sources[record.z - 1].answered) {
      Question::Source& source = sources[record.z - 1];
      source.answered = true;
      source.result = static_cast<ResultKind>(record.a);
      source.gradient = record.y;
      return;
    }
    if (thread.question - q >= 8) return;  // deeper nesting than any program has
  }
}

void History::add_backward_step(Thread& thread, const Record& record) {
  thread.backward_of = record.y;
  const std::uint32_t op = producer_.find(record.y);
  if (op == kNoIndex) return;
  if (thread.question != kNoIndex) ops_[op].walked = questions_[thread.question].call;
  ops_[op].custom = record.a & 1;
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
