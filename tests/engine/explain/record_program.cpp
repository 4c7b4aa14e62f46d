// The records of a program that never ran.
#include "tests/engine/explain/record_program.h"

#include <algorithm>

#include "engine/events/records/ops.h"

namespace tapescope {

TensorId RecordProgram::peek() {
  Thread& thread = at();
  if (thread.next == thread.end) {
    thread.next = next_block_;
    thread.end = next_block_ += 1024;
  }
  return thread.next;
}

TensorId RecordProgram::take() {
  const TensorId id = peek();
  ++at().next;
  return id;
}

TensorId RecordProgram::variable(std::string_view name, int line, bool trainable, DType dtype,
                                 TensorId initial) {
  const TensorId id = take();
  variables_[id] = trainable;
  types_[id] = DType::resource;
  emit(VariableRecord{.trainable = trainable,
                      .name = intern_name(name),
                      .handle = id,
                      .type = scalar(dtype),
                      .site = site(line),
                      .initial = initial ? initial : peek()});
  types_[id + (std::uint64_t{1} << 40)] = dtype;  // of its value, beside its handle's
  return id;
}

TensorId RecordProgram::constant(int line, std::string_view given, DType dtype, std::uint16_t mark) {
  const TensorId id = take();
  types_[id] = dtype;
  emit(CreateRecord{.mark = mark, .site = site(line), .tensor = id, .type = scalar(dtype), .order = id});
  if (!given.empty()) name(id, given);
  return id;
}

TensorId RecordProgram::number() { return take(); }

void RecordProgram::name(TensorId tensor, std::string_view name) {
  emit(TensorNameRecord{.name = intern_name(name), .tensor = tensor});
}

TensorId RecordProgram::read(TensorId variable, int line) {
  if (at().silenced == 0 && variables_[variable]) {
    for (const TapeId tape : at().active) {
      TapeState& state = tapes_[tape];
      if (state.watch_accessed && !state.paused && !state.followed.contains(variable)) {
        watch(tape, variable, line, WatchKind::by_read);
      }
    }
  }
  return op("ReadVariableOp", {variable}, line, types_[variable + (std::uint64_t{1} << 40)],
            OpRecord::kHandle);
}

TensorId RecordProgram::op(std::string_view type, std::initializer_list<TensorId> inputs, int line,
                           DType dtype, std::uint8_t flags, int outputs) {
  Thread& thread = at();
  const TensorId output = take();
  for (int k = 1; k < outputs; ++k) take();
  std::uint32_t answers = 0;
  int position = 0;
  for (const TapeId id : thread.active) {
    TapeState& tape = tapes_[id];
    bool any = false, floating = false;
    for (const TensorId input : inputs) {
      if (!tape.followed.contains(input)) continue;
      any = true;
      floating |= is_trainable(types_[input]);
    }
    TapeAnswer answer = TapeAnswer::recorded;
    if (thread.silenced) answer = TapeAnswer::silenced;
    else if (tape.paused) answer = TapeAnswer::paused;
    else if (!any) answer = TapeAnswer::no_watched_input;
    else if (!floating) answer = TapeAnswer::not_floating;
    else
      for (int k = 0; k < outputs; ++k) tape.followed.insert(output + static_cast<TensorId>(k));
    answers |= static_cast<std::uint32_t>(answer) << (4 * position++);
  }
  OpRecord record;
  record.flags = static_cast<std::uint8_t>(flags | (thread.backward ? OpRecord::kBackward : 0) |
                                           (thread.silenced ? OpRecord::kSilenced : 0));
  record.name = intern_op_name(type);
  record.site = site(line);
  record.output = output;
  record.type = scalar(dtype);
  OperandsRecord operands;
  operands.inputs = static_cast<std::uint8_t>(inputs.size());
  operands.outputs = static_cast<std::uint16_t>(outputs);
  operands.answers = answers;
  std::copy_n(inputs.begin(), std::min<std::size_t>(inputs.size(), 3), operands.input.begin());
  thread.records.push_back(record);
  thread.records.push_back(operands);
  for (std::size_t i = 3; i < inputs.size(); i += 3) {
    OperandsRecord more;
    more.answers = static_cast<std::uint32_t>(i);
    for (std::size_t k = 0; k < 3 && i + k < inputs.size(); ++k) more.input[k] = inputs.begin()[i + k];
    thread.records.push_back(more);
  }
  types_[output] = dtype;
  // Outputs but the first are positions, as top_k's are.
  for (int k = 1; k < outputs; ++k) {
    const TensorId id = output + static_cast<TensorId>(k);
    types_[id] = DType::i32;
    thread.records.push_back(
        OutputRecord{.index = static_cast<std::uint16_t>(k), .tensor = id, .type = scalar(DType::i32)});
  }
  return output;
}

void RecordProgram::host_read(TensorId tensor, int line, std::uint16_t mark) {
  emit(HostReadRecord{.mark = mark, .site = site(line), .tensor = tensor});
}

void RecordProgram::assign(TensorId variable, TensorId value, int line) {
  emit(AssignRecord{.site = site(line), .variable = variable, .value = value});
}

TensorId RecordProgram::stop_gradient(TensorId x, int line) {
  silence("stop_gradient");
  const TensorId result = op("Identity", {x}, line);
  unsilence();
  return result;
}

void RecordProgram::enter(TapeId tape, int line, bool watch_accessed, bool persistent) {
  TapeState& state = tapes_[tape];
  const bool again = state.entered && !state.consumed;
  if (!again) state.followed.clear();
  state.watch_accessed = watch_accessed;
  state.recording = state.entered = true;
  state.consumed = false;
  at().active.push_back(tape);
  emit(TapeEnterRecord{
      .flags = static_cast<std::uint8_t>((persistent ? TapeEnterRecord::kPersistent : 0) |
                                         (watch_accessed ? TapeEnterRecord::kWatchesAccessed : 0) |
                                         (again ? TapeEnterRecord::kAgain : 0)),
      .tape = tape,
      .site = site(line)});
}

void RecordProgram::exit(TapeId tape, int line) {
  std::erase(at().active, tape);
  tapes_[tape].recording = false;
  emit(TapeRecord{.kind = TapeRecord::kExit, .tape = tape, .site = site(line)});
}

void RecordProgram::pause(TapeId tape, int line) {
  tapes_[tape].paused = true;
  emit(TapeRecord{.kind = TapeRecord::kPause, .tape = tape, .site = site(line)});
}

void RecordProgram::resume(TapeId tape, int line) {
  tapes_[tape].paused = false;
  emit(TapeRecord{.kind = TapeRecord::kResume, .tape = tape, .site = site(line)});
}

void RecordProgram::reset(TapeId tape, int line) {
  tapes_[tape].followed.clear();
  emit(TapeRecord{.kind = TapeRecord::kReset, .tape = tape, .site = site(line)});
}

void RecordProgram::watch(TapeId tape, TensorId what, int line, WatchKind kind) {
  if (kind == WatchKind::by_hand || kind == WatchKind::by_read) tapes_[tape].followed.insert(what);
  emit(WatchRecord{.how = kind, .tape = tape, .watched = what, .site = site(line)});
}

}  // namespace tapescope
