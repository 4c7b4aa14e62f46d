// Ops as they begin and end, and what is recorded of them.
#pragma once
#include <ATen/SequenceNumber.h>
#include <ATen/record_function.h>

#include <cstring>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "bridges/torch_observer/state.h"
#include "bridges/torch_observer/stops.h"

namespace tapescope_observer {

// Exchanges with other processes, waits for them, and what DistributedDataParallel does with what it got.
constexpr std::string_view kExchange = "c10d::";
constexpr std::string_view kWait = "c10d::wait";
constexpr std::string_view kCopy = "torch.distributed.ddp.reducer::copy_bucket_to_grad";
constexpr std::string_view kRegion = "Torch-Compiled Region: ";

template <class Visit>
inline void each_tensor(const c10::IValue& value, Visit visit) {
  if (value.isTensor()) {
    if (is_plain(value.toTensor())) visit(value.toTensor());
  } else if (value.isTensorList() || value.isOptionalTensorList()) {
    for (const c10::IValue& item : value.toListRef())
      if (item.isTensor() && is_plain(item.toTensor())) visit(item.toTensor());
  }
}

inline Kind& kind_of(Thread& thread, const char* text) {
  Thread::Recent& recent =
      thread.recent[(reinterpret_cast<std::uintptr_t>(text) >> 4) % std::size(thread.recent)];
  if (recent.text == text && std::strcmp(recent.kind->text.c_str(), text) == 0) return *recent.kind;
  auto known = thread.kinds.find(std::string_view(text));
  if (known == thread.kinds.end()) {
    Kind kind;
    kind.text = text;
    std::string_view name = text;
    kind.of_interest = !name.starts_with("profiler::") && name != "CheckpointFunction";
    kind.region = name.starts_with(kRegion);
    if (name.starts_with("torch::autograd::")) name.remove_prefix(17);
    if (name.starts_with("aten::")) name.remove_prefix(6);
    kind.name = table->op_name(name.data(), name.size());
    known = thread.kinds.emplace(text, std::move(kind)).first;
  }
  recent = {text, &known->second};
  return known->second;
}

// What regions of compiled code are called, by torch.compile's name for each: Python says it, as they are
// compiled. tensors_lock guards it.
struct Region {
  std::uint16_t name = 0;
  std::uint64_t runs = 0;
};
inline std::unordered_map<std::string, Region>& regions() {
  static std::unordered_map<std::string, Region> all;
  return all;
}

// Of an op that ended; of a region it counts the run.
inline std::uint16_t name_of_run(const Kind& kind) {
  if (!kind.region) return kind.name;
  const std::lock_guard lock(tensors_lock);
  Region& region = regions()[kind.text];
  ++region.runs;
  return region.name != 0 ? region.name : kind.name;
}

inline void open(Thread& thread, const void* what, bool silent) {
  thread.open = what;
  // A profiler of the program hears the inside as ever.
  thread.inner_off = silent && !at::hasThreadLocalCallbacks();
  if (thread.inner_off) at::enableRecordFunction(false);
  thread.number = static_cast<std::int64_t>(at::sequence_number::peek());
}

inline void close(Thread& thread) {
  thread.open = nullptr;
  if (thread.inner_off) at::enableRecordFunction(true);
  thread.inner_off = false;
}

inline void write(Thread& thread, std::uint16_t name, std::uint8_t flags, std::uint32_t site,
                  std::uint64_t end, tapescope_tensor* first, bool unfollowed = false) {
  tapescope_op_call call{};
  call.op = name;
  call.flags = flags;
  call.unfollowed = unfollowed;
  call.site = site;
  call.begin = thread.begin;
  call.end = end;
  call.inputs = thread.inputs.size();
  call.input = thread.inputs.data();
  call.input_type = thread.input_types.data();
  call.outputs = thread.output_types.size();
  call.output_type = thread.output_types.data();
  *first = table->op(&call);
}

// From the end of the thread's last op to now the backward pass waited for other processes.
inline void write_wait(Thread& thread) {
  thread.inputs.clear();
  thread.input_types.clear();
  thread.output_types.clear();
  thread.begin = thread.ended;
  thread.ended = ticks();
  tapescope_tensor first = 0;
  const std::uint16_t name = table->op_name(kWait.data(), kWait.size());
  write(thread, name, TAPESCOPE_BACKWARD, thread.lines.site(), thread.ended, &first);
}

// What runs until call_ends() is the inside of one op.
inline void call_begins(Thread& thread) {
  if (thread.open || !thread.heard()) return;
  thread.kind = nullptr;
  open(thread, &thread, true);
  thread.begin = ticks();
}

// `name` null: the call ended by an error. What a signal's handler raised where a viewer stopped it is left
// set.
inline void call_ends(Thread& thread, const char* name) {
  if (thread.open != &thread) return;
  const std::uint64_t end = ticks();
  close(thread);
  if (!name) return;
  thread.inputs.clear();
  thread.input_types.clear();
  thread.outputs.clear();
  thread.output_types.clear();
  tapescope_tensor first = 0;
  const std::uint16_t op = kind_of(thread, name).name;
  const std::uint32_t site = thread.lines.site();
  write(thread, op, 0, site, end, &first);
  if (!thread.may_stop()) return;
  const tapescope_place place{0, TAPESCOPE_BESIDE, op, first, site, nullptr, nullptr};
  table->arrive(&place);
}

}  // namespace tapescope_observer
