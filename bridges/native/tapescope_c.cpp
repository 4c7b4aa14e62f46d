// Ids, tensors, ops and tapes of the C interface.
#include "bridges/native/tapescope_c.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <span>
#include <string_view>

#include "bridges/native/thread.h"
#include "bridges/native/types.h"
#include "engine/core/names.h"
#include "engine/core/type.h"
#include "engine/events/clock.h"
#include "engine/events/records/callers.h"
#include "engine/events/records/ops.h"
#include "engine/events/records/tapes.h"
#include "engine/events/records/tensors.h"

using namespace tapescope;
using bridge::FollowedInput;
using bridge::FollowedTape;
using bridge::KnownTensor;
using bridge::shared;
using bridge::this_thread;

namespace {

void note_tape(RecordKind kind, std::uint32_t tape, std::uint32_t site) {
  this_thread().note(TapeRecord{.kind = kind, .tape = tape, .site = site});
}

std::shared_ptr<FollowedTape> tape_of(std::uint32_t id) {
  std::lock_guard lock(shared().mutex);
  const auto known = shared().tapes.find(id);
  return known == shared().tapes.end() ? nullptr : known->second;
}

// Flags of OpRecord for a mask of inputs that never get a gradient.
std::uint8_t rule_flags(std::uint32_t never, std::size_t inputs) {
  if (never == TAPESCOPE_NO_GRADIENT || never == TAPESCOPE_STOPS_GRADIENTS) return OpRecord::kNoGradient;
  std::uint8_t flags = 0;
  if (never & 1) flags |= OpRecord::kNeverFirst;
  if (never & 2) flags |= OpRecord::kNeverSecond;
  const std::uint32_t others = inputs > 2 ? ((1u << std::min<std::size_t>(inputs, 31)) - 1) & ~3u : 0;
  if (others != 0 && (never & others) == others) flags |= OpRecord::kNeverOthers;
  return flags;
}

bool any_recorded(std::uint32_t answers) {
  for (; answers != 0; answers >>= 4) {
    if ((answers & 15u) == static_cast<std::uint32_t>(TapeAnswer::recorded)) return true;
  }
  return false;
}

void write_operands(bridge::Thread& thread, const tapescope_op_call& call, std::uint32_t answers) {
  const auto inputs = static_cast<std::uint32_t>(call.inputs);
  for (std::uint32_t first = 0; first == 0 || first < inputs; first += 3) {
    // In its place: copied from one that was just filled, its fields would be waited for.
    OperandsRecord& operands = *new (thread.writer.reserve(1)) OperandsRecord;
    if (first == 0) {
      operands.inputs = static_cast<std::uint8_t>(std::min(inputs, 255u));
      operands.outputs = static_cast<std::uint16_t>(std::min<std::size_t>(call.outputs, 65535));
    }
    operands.answers = first == 0 ? answers : first;
    for (std::uint32_t k = 0; k < 3 && first + k < inputs; ++k) operands.input[k] = call.input[first + k];
    thread.writer.publish(1);
  }
}

}  // namespace

int tapescope_listening(void) { return this_thread().listens(); }

static_assert(TAPESCOPE_HEARD == kListenEvents && TAPESCOPE_MAY_STOP == kListenGate);
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
const uint32_t* tapescope_listen_word(void) {
  return reinterpret_cast<const uint32_t*>(&this_thread().listen);
}

uint32_t tapescope_name(const char* text, size_t size) { return intern_name({text, size}); }
uint16_t tapescope_op_name(const char* text, size_t size) {
  try {
    return intern_op_name({text, size});
  } catch (const Error&) {
    return 0;  // 65,535 names: functions are called by one name each
  }
}
uint32_t tapescope_scope(uint32_t parent, uint32_t name) { return intern_scope(parent, name); }
uint32_t tapescope_site(const char* file, const char* function, uint32_t line, uint32_t, uint32_t scope) {
  thread_local std::string noted;  // most follow another one of their file
  if (noted != file) note_source_path(noted = file);
  return intern_site(file, function, line, scope);
}
void tapescope_callers(uint32_t site, const uint32_t* caller, size_t callers) {
  constexpr std::size_t kOfRecord = 4;
  const auto at = [&](std::size_t i) { return i < callers ? caller[i] : 0; };
  for (std::size_t i = 0; i == 0 || i < callers; i += kOfRecord) {
    this_thread().note(CallersRecord{.first = static_cast<std::uint8_t>(i / kOfRecord),
                                     .site = site,
                                     .nearest = at(i),
                                     .second = at(i + 1),
                                     .third = at(i + 2),
                                     .fourth = at(i + 3)});
  }
}
uint32_t tapescope_type(const char* dtype, int rank, const int64_t* sizes) {
  return bridge::type_id(dtype, {sizes, static_cast<std::size_t>(std::max(rank, 0))});
}
int tapescope_is_trainable(uint32_t type) { return bridge::is_trainable_type(type); }
int tapescope_is_floating(uint32_t type) {
  const Type* known = type_with_id(type);
  return known && is_floating(known->dtype);
}
size_t tapescope_bytes(uint32_t type) {
  const Type* known = type_with_id(type);
  return known ? static_cast<std::size_t>(known->bytes) : 0;
}

tapescope_tensor tapescope_known(int64_t identity, uint32_t* type) {
  std::lock_guard lock(shared().mutex);
  const KnownTensor known = shared().ids.find(identity);
  if (type) *type = known.type;
  return known.id;
}

tapescope_tensor tapescope_tensor_made(int64_t identity, uint32_t type) {
  const TensorId id = next_tensor_ids(1);
  std::lock_guard lock(shared().mutex);
  shared().ids.set(identity, id, type);
  return id;
}

tapescope_tensor tapescope_tensor_met(int64_t identity, uint32_t type) {
  const TensorId id = tapescope_tensor_made(identity, type);
  this_thread().note(EarlierTensorRecord{.tensor = id, .type = type});
  return id;
}

void tapescope_same_tensor(int64_t identity, tapescope_tensor id, uint32_t type) {
  std::lock_guard lock(shared().mutex);
  shared().ids.set(identity, id, type);
}

tapescope_tensor tapescope_created(int64_t identity, uint32_t type, uint32_t site, uint16_t mark,
                                   int number) {
  const TensorId id = tapescope_tensor_made(identity, type);
  this_thread().note(CreateRecord{.is_number = static_cast<std::uint8_t>(number),
                                  .mark = mark,
                                  .site = site,
                                  .tensor = id,
                                  .type = type,
                                  .order = id});
  return id;
}

void tapescope_host_read(tapescope_tensor id, uint32_t site, uint16_t mark, int by_library) {
  // `printed` above 1: the program gets nothing back that it could write out or compute with.
  this_thread().note(HostReadRecord{
      .mark = mark, .site = site, .tensor = id, .printed = by_library != 0 ? std::uint64_t{2} : 0});
}

void tapescope_tensor_name(tapescope_tensor id, uint32_t name) {
  this_thread().note(TensorNameRecord{.name = name, .tensor = id});
}

tapescope_tensor tapescope_handle_made(int64_t identity, uint32_t type, uint32_t site) {
  const TensorId id = tapescope_tensor_made(identity, type);
  std::lock_guard lock(shared().mutex);
  shared().ids.keep(identity);
  shared().handles[id].site = site;
  return id;
}

void tapescope_handle_site(tapescope_tensor handle, uint32_t site) {
  std::lock_guard lock(shared().mutex);
  shared().handles[handle].site = site;
}

void tapescope_variable(tapescope_tensor handle, uint32_t name, int trainable, uint32_t type) {
  bridge::Thread& thread = this_thread();
  std::lock_guard lock(shared().mutex);
  bridge::Handle& known = shared().handles[handle];
  // The first value is its initial one where it was made before the handle: what follows are assignments.
  const bool initial = !known.waiting.empty() && known.waiting.front().value < handle;
  const VariableRecord record{.trainable = trainable != 0,
                              .name = name,
                              .handle = handle,
                              .type = type,
                              .site = known.site,
                              .initial = initial ? known.waiting.front().value : 0};
  if (thread.listens()) {
    thread.writer.write(record);
    for (std::size_t i = initial; i < known.waiting.size(); ++i) thread.writer.write(known.waiting[i]);
  }
  known.waiting.clear();
  if (!known.variable) known.variable = std::make_unique<LastingRecord>();
  known.variable->keep(record);
}

void tapescope_assign(tapescope_tensor handle, tapescope_tensor value, uint32_t site) {
  const AssignRecord record{.site = site, .variable = handle, .value = value, .order = peek_tensor_id()};
  {
    std::lock_guard lock(shared().mutex);
    const auto known = shared().handles.find(handle);
    if (known != shared().handles.end() && !known->second.variable) {
      known->second.waiting.push_back(record);
      return;
    }
  }
  this_thread().note(record);
}

uint64_t tapescope_ticks(void) { return ticks(); }

tapescope_tensor tapescope_op(const tapescope_op_call* call) {
  bridge::Thread& thread = this_thread();
  const TensorId first = call->outputs > 0 ? next_tensor_ids(static_cast<int>(call->outputs)) : 0;
  std::uint32_t never = 0;
  if (call->identity || shared().has_rules.load(std::memory_order_relaxed)) {
    std::lock_guard lock(shared().mutex);
    for (std::size_t i = 0; call->identity && i < call->outputs; ++i)
      shared().ids.set(call->identity[i], first + i, call->output_type[i]);
    if (call->op < shared().never.size()) never = shared().never[call->op];
  }
  std::uint32_t answers = 0;
  if (!thread.tapes.empty()) {
    std::vector<FollowedInput>& inputs = thread.offered;
    inputs.clear();
    for (std::size_t i = 0; i < call->inputs; ++i)
      inputs.push_back({call->input[i], call->input_type ? call->input_type + i : nullptr});
    answers = thread.tapes.offer(inputs, first, call->outputs,
                                 {.in_graph = (call->flags & TAPESCOPE_TRACED) != 0,
                                  .followable = never != TAPESCOPE_STOPS_GRADIENTS && !call->unfollowed,
                                  .through_silence = call->through_silence != 0});
  }
  thread.recorded = any_recorded(answers);
  if (!thread.listens()) return first;
  OpRecord& record = *new (thread.writer.reserve(1)) OpRecord;
  record.flags = static_cast<std::uint8_t>(call->flags | rule_flags(never, call->inputs) |
                                           (thread.tapes.silenced() ? OpRecord::kSilenced : 0));
  if (call->inputs > 0 && call->input_type && bridge::is_handle_type(call->input_type[0]))
    record.flags |= OpRecord::kHandle;
  record.name = call->op;
  record.site = call->site;
  record.ticks = call->end;
  record.output = first;
  record.type = call->outputs > 0 ? call->output_type[0] : 0;
  record.duration = static_cast<std::uint32_t>(std::min<std::uint64_t>(call->end - call->begin, 0xffffffffu));
  thread.writer.publish(1);
  write_operands(thread, *call, answers);
  for (std::size_t i = 1; i < call->outputs; ++i) {
    thread.writer.write(OutputRecord{.index = static_cast<std::uint16_t>(std::min<std::size_t>(i, 65535)),
                                     .tensor = first + i,
                                     .type = call->output_type[i]});
  }
  return first;
}

void tapescope_op_rule(uint16_t op, uint32_t never) {
  std::lock_guard lock(shared().mutex);
  auto& all = shared().never;
  if (all.size() <= op) all.resize(op + std::size_t{1});
  shared().has_rules.store(true, std::memory_order_relaxed);
  all[op] = never;
}

uint32_t tapescope_tape_made(int persistent, int watches_accessed) {
  static std::atomic<TapeId> next{1};
  auto tape = std::make_shared<FollowedTape>();
  tape->id = next.fetch_add(1, std::memory_order_relaxed);
  tape->persistent = persistent != 0;
  tape->watches_accessed = watches_accessed != 0;
  std::lock_guard lock(shared().mutex);
  if (auto& spare = shared().spare; !spare.empty()) {
    tape->followed = std::move(spare.back());
    spare.pop_back();
  }
  const TapeId id = tape->id;
  shared().tapes[id] = std::move(tape);
  return id;
}

void tapescope_tape_enter(uint32_t id, int again, int in_graph, uint32_t site) {
  const auto tape = tape_of(id);
  if (!tape) return;
  bridge::Thread& thread = this_thread();
  tape->paused = false;
  tape->in_graph = in_graph != 0;
  if (!again) tape->followed.clear();
  thread.tapes.enter(tape);
  thread.note(TapeEnterRecord{
      .flags = static_cast<std::uint8_t>((tape->persistent ? TapeEnterRecord::kPersistent : 0) |
                                         (tape->watches_accessed ? TapeEnterRecord::kWatchesAccessed : 0) |
                                         (again ? TapeEnterRecord::kAgain : 0)),
      .tape = id,
      .site = site});
}

void tapescope_tape_exit(uint32_t id, uint32_t site) {
  bridge::Thread& thread = this_thread();
  thread.tapes.leave(id);
  note_tape(TapeRecord::kExit, id, site);
}

void tapescope_tape_pause(uint32_t id, uint32_t site) {
  if (const auto tape = tape_of(id)) tape->paused = true;
  note_tape(TapeRecord::kPause, id, site);
}

void tapescope_tape_resume(uint32_t id, uint32_t site) {
  if (const auto tape = tape_of(id)) tape->paused = false;
  note_tape(TapeRecord::kResume, id, site);
}

void tapescope_tape_reset(uint32_t id, uint32_t site) {
  if (const auto tape = tape_of(id)) tape->followed.clear();
  note_tape(TapeRecord::kReset, id, site);
}

void tapescope_tape_consumed(uint32_t id, uint32_t site) {
  if (const auto tape = tape_of(id)) tape->followed.clear();
  note_tape(TapeRecord::kConsumed, id, site);
}

void tapescope_tape_destroyed(uint32_t id) {
  bridge::Thread& thread = this_thread();
  thread.tapes.leave(id);
  note_tape(TapeRecord::kDestroyed, id, 0);
  constexpr std::size_t kSpare = 8;  // tapes inside each other
  std::lock_guard lock(shared().mutex);
  const auto known = shared().tapes.find(id);
  if (known == shared().tapes.end()) return;
  // A piece of memory of that size makes the allocator tidy up, which slows what the framework takes next.
  if (shared().spare.size() < kSpare && known->second.use_count() == 1) {
    known->second->followed.clear();
    shared().spare.push_back(std::move(known->second->followed));
  }
  shared().tapes.erase(known);
}

void tapescope_watch(uint32_t id, tapescope_tensor tensor, uint32_t type, uint32_t site) {
  const auto tape = tape_of(id);
  if (!tape) return;
  bridge::Thread& thread = this_thread();
  WatchKind kind = WatchKind::by_hand;
  if (!bridge::is_trainable_type(type)) {
    kind = WatchKind::refused_dtype;
  } else if (!thread.tapes.hears()) {
    kind = WatchKind::ignored;  // TensorFlow does nothing where no tape of the thread records
  } else {
    tape->followed.insert(tensor);
  }
  thread.note(WatchRecord{.how = kind, .tape = id, .watched = tensor, .site = site});
}

void tapescope_variable_read(tapescope_tensor handle, int trainable, uint32_t site) {
  if (!trainable) return;
  bridge::Thread& thread = this_thread();
  for (const TapeId tape : thread.tapes.read(handle)) {
    thread.note(WatchRecord{.how = WatchKind::by_read, .tape = tape, .watched = handle, .site = site});
  }
}

void tapescope_silence_begin(uint32_t name) {
  bridge::Thread& thread = this_thread();
  thread.note(SilenceBeginRecord{.by = name});
  thread.tapes.silence();
}

void tapescope_silence_end(void) {
  bridge::Thread& thread = this_thread();
  thread.tapes.unsilence();
  thread.note(SilenceEndRecord{});
}

int tapescope_followed(tapescope_tensor id, uint32_t type) {
  return bridge::is_trainable_type(type) && this_thread().tapes.follows(id);
}

int tapescope_active_tapes(void) { return static_cast<int>(this_thread().tapes.active().size()); }
