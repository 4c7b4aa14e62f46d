// Arriving, parking and the frame's hash.
#include "engine/debug/gate.h"

#include <utility>

#include "engine/core/hash.h"
#include "engine/core/slices.h"
#include "engine/debug/process_gate.h"
#include "engine/events/threads.h"

namespace tapescope {
namespace {

thread_local DebugGate* bound_gate = nullptr;

struct Hash {
  std::uint64_t value = kEmptyHash;
  void bytes(const void* data, std::size_t count) { value = hash_of(data, count, value); }
  void text(std::string_view s) {
    bytes(s.data(), s.size());
    bytes("", 1);
  }
  void elements(const Tensor& tensor) {
    if (tensor.raw()) bytes(tensor.raw(), static_cast<std::size_t>(tensor.bytes()));
  }
  void tensors(const std::vector<FrameTensor>& list) {
    const std::uint64_t count = list.size();
    bytes(&count, sizeof count);
    for (const FrameTensor& item : list) {
      text(item.name);
      if (!item.value) {
        text("none");
        continue;
      }
      text(item.value.type().text());
      if (const SlicesExtension* slices = slices_of(item.value.impl())) {
        elements(slices->values);
        elements(slices->indices);
      } else {
        elements(item.value);
      }
    }
  }
};

}  // namespace

std::uint64_t Frame::hash() const {
  Hash hash;
  hash.bytes(&cursor, sizeof cursor);
  if (inner != 0) hash.bytes(&inner, sizeof inner);
  hash.text(backward ? "backward" : "forward");
  hash.text(op_name_text(op));
  hash.text(location_text(site_with_id(site)));
  hash.tensors(inputs);
  hash.tensors(outputs);
  hash.tensors(cotangents_in);
  hash.tensors(cotangents_out);
  hash.tensors(accumulated);
  return hash.value;
}

DebugGate::DebugGate() { count_armed_gates(1); }

DebugGate::~DebugGate() {
  count_armed_gates(-1);
  if (bound_gate == this) bound_gate = nullptr;
}

DebugGate* DebugGate::bound() {
  if (bound_gate) return bound_gate;
  ProcessGate* of_process = process_gate();
  return of_process ? &of_process->gate() : nullptr;
}
void DebugGate::bind() { bound_gate = this; }
void DebugGate::unbind() { bound_gate = nullptr; }

void DebugGate::begin_step(TapePlace target) {
  place_ = {};
  forward_ = 0;
  target_ = target;
  overlooked_ = kNever;
  breakpoints_.begin_step();
}

void DebugGate::arrive(const GatePoint& point, const FrameSource& source) {
  if (abandon_.exchange(false, std::memory_order_relaxed)) throw StepAbandoned{};
  if (point.inside) {
    ++place_.inner;
  } else {
    place_ = {place_.node + 1};
    forward_ += !point.backward;
  }
  std::optional<Breakpoint> hit;
  if (obeys()) hit = breakpoints_.meet(point, source, place_.node);
  StopReason reason = hit ? StopReason::breakpoint : StopReason::none;
  // A request for this place, or for a pause, is met first.
  if (place_ >= target_) reason = StopReason::target;
  else if ((!point.inside || point.beside) && pause_.load(std::memory_order_relaxed))
    reason = StopReason::pause;
  if (reason != StopReason::none) park(reason, source, point, hit);
}

void DebugGate::arrive_waiting(const GatePoint& point, const FrameSource& source) {
  if (abandon_.exchange(false, std::memory_order_relaxed)) throw StepAbandoned{};
  if (pause_requested()) park(StopReason::pause, source, point, std::nullopt);
}

void DebugGate::arrive_between(Breakpoint::Kind kind, const GatePoint& point, const FrameSource& source,
                               const std::string& name, TensorId id) {
  if (abandon_.exchange(false, std::memory_order_relaxed)) throw StepAbandoned{};
  if (!obeys()) return;
  std::optional<Breakpoint> hit = breakpoints_.meet(kind, name, id, source);
  if (!hit) return;
  // What stops at any None says at which it does.
  if (kind == Breakpoint::Kind::none && hit->source.empty()) hit->source = name;
  park(kind == Breakpoint::Kind::backward ? StopReason::backward_begin : StopReason::breakpoint, source,
       point, hit);
}

void DebugGate::park(StopReason reason, const FrameSource& source, const GatePoint& point,
                     const std::optional<Breakpoint>& hit) {
  const bool pauses = pause_.exchange(false, std::memory_order_relaxed);
  if (pauses && hit) reason = StopReason::pause;
  if (breakpoints_.armed()) breakpoints_.forget_once();
  if (!handler_) return;
  Frame frame;
  frame.cursor = place_.node;
  frame.inner = place_.inner;
  frame.backward = point.backward;
  frame.op = point.op;
  frame.output = point.output;
  frame.site = point.site;
  source.describe(frame);
  const bool met = reason == StopReason::breakpoint || reason == StopReason::backward_begin;
  const Move move = handler_(reason, frame, met ? &*hit : nullptr);
  if (move.kind == Move::Kind::abandon) throw StepAbandoned{};
  target_ = move.target;
}

}  // namespace tapescope
