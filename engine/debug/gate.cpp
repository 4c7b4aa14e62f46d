// Stopping conditions, parking and the frame's hash.
#include "engine/debug/gate.h"

#include <cmath>
#include <cstring>
#include <utility>

#include "engine/core/slices.h"
#include "engine/debug/process_gate.h"
#include "engine/events/stats.h"
#include "engine/events/threads.h"

namespace tapescope {
namespace {

thread_local DebugGate* bound_gate = nullptr;

// FNV-1a, 64 bits: the hash is compared, never attacked.
struct Hash {
  std::uint64_t value = 0xcbf29ce484222325u;
  void bytes(const void* data, std::size_t count) {
    const auto* p = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < count; ++i) value = (value ^ p[i]) * 0x100000001b3u;
  }
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

bool any_tensor(const Frame& frame, bool (*test)(const TensorStats&, double), double limit) {
  const auto& list = frame.backward ? frame.cotangents_out : frame.outputs;
  for (const FrameTensor& item : list) {
    if (item.value && is_floating(item.value.dtype()) && test(tensor_stats(item.value), limit)) return true;
  }
  return false;
}

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
}

void DebugGate::set_breakpoints(std::vector<Breakpoint> breakpoints) {
  std::lock_guard lock(mutex_);
  breakpoints_ = std::move(breakpoints);
  have_breakpoints_.store(!breakpoints_.empty(), std::memory_order_relaxed);
}

std::vector<Breakpoint> DebugGate::breakpoints() const {
  std::lock_guard lock(mutex_);
  return breakpoints_;
}

void DebugGate::arrive(const GatePoint& point, const FrameSource& source) {
  if (abandon_.exchange(false, std::memory_order_relaxed)) throw StepAbandoned{};
  if (point.inside) {
    ++place_.inner;
  } else if (!point.before_backward) {
    place_ = {place_.node + 1};
    forward_ += !point.backward;
  }
  StopReason reason = StopReason::none;
  std::optional<Breakpoint> hit;  // as it was then: others may be set at any time
  if (place_ >= target_ && !point.before_backward) {
    reason = StopReason::target;
  } else if (!point.inside && pause_.load(std::memory_order_relaxed)) {
    reason = StopReason::pause;
  } else if (obey_ && have_breakpoints_.load(std::memory_order_relaxed)) {
    std::lock_guard lock(mutex_);
    for (Breakpoint& breakpoint : breakpoints_) {
      if (!matches(breakpoint, point, source)) continue;
      ++breakpoint.hits;
      if (!hit) hit = breakpoint;
    }
    if (hit) {
      reason = point.before_backward && point.op == 0 ? StopReason::backward_begin : StopReason::breakpoint;
    }
  }
  if (reason != StopReason::none) park(reason, source, point, std::move(hit));
}

void DebugGate::result_none(const std::string& source_name, const GatePoint& point,
                            const FrameSource& source) {
  stop_on(Breakpoint::Kind::none, source_name, point, source);
}

void DebugGate::retraced(const std::string& function, const GatePoint& point, const FrameSource& source) {
  stop_on(Breakpoint::Kind::retrace, function, point, source);
}

void DebugGate::stop_on(Breakpoint::Kind kind, const std::string& name, const GatePoint& point,
                        const FrameSource& source) {
  if (!obey_ || !have_breakpoints_.load(std::memory_order_relaxed)) return;
  std::optional<Breakpoint> hit;  // as it was then: others may be set at any time
  {
    std::lock_guard lock(mutex_);
    for (Breakpoint& breakpoint : breakpoints_) {
      if (breakpoint.kind != kind) continue;
      if (!breakpoint.text.empty() && breakpoint.text != name) continue;
      ++breakpoint.hits;
      hit = breakpoint;
    }
  }
  if (hit) park(StopReason::breakpoint, source, point, std::move(hit));
}

bool DebugGate::matches(Breakpoint& breakpoint, const GatePoint& point, const FrameSource& source) {
  using Kind = Breakpoint::Kind;
  // A point before anything ran names what comes: a function that was traced again, else a backward pass.
  const bool retraced = point.before_backward && point.op != 0;
  if (breakpoint.kind == Kind::retrace) return retraced;
  if (breakpoint.kind == Kind::backward) return point.before_backward && !retraced;
  if (point.before_backward) return false;
  switch (breakpoint.kind) {
    case Kind::op: return op_name_text(point.op) == breakpoint.text;
    case Kind::line: return location_text(site_with_id(point.site)) == breakpoint.text;
    case Kind::name: {
      Frame frame;
      source.describe(frame);
      for (const auto* list : {&frame.inputs, &frame.outputs, &frame.cotangents_out}) {
        for (const FrameTensor& item : *list) {
          if (item.name == breakpoint.text) return true;
        }
      }
      return false;
    }
    case Kind::nonfinite:
    case Kind::norm_above:
    case Kind::norm_below: {
      Frame frame;
      frame.backward = point.backward;
      source.describe(frame);
      if (breakpoint.kind == Kind::nonfinite) {
        return any_tensor(
            frame, [](const TensorStats& s, double) { return s.nans + s.infinities > 0; }, 0);
      }
      // Norms are those of gradients, as everywhere on screen.
      if (!point.backward) return false;
      if (breakpoint.kind == Kind::norm_above) {
        return any_tensor(
            frame, [](const TensorStats& s, double limit) { return s.norm > limit; }, breakpoint.limit);
      }
      return any_tensor(
          frame, [](const TensorStats& s, double limit) { return s.norm < limit; }, breakpoint.limit);
    }
    default: return false;
  }
}

void DebugGate::park(StopReason reason, const FrameSource& source, const GatePoint& point,
                     std::optional<Breakpoint> hit) {
  // Whoever asked for a pause gets this stop, even where the handler would not have stopped for the
  // breakpoint.
  if (pause_.exchange(false, std::memory_order_relaxed) && hit) {
    reason = StopReason::pause;
    hit.reset();
  }
  if (!handler_) return;
  Frame frame;
  frame.cursor = place_.node;
  frame.inner = place_.inner;
  frame.backward = point.backward;
  frame.op = point.op;
  frame.output = point.output;
  frame.site = point.site;
  source.describe(frame);
  const Command command = handler_(reason, frame, hit ? &*hit : nullptr);
  if (command.kind == Command::Kind::abandon) throw StepAbandoned{};
  target_ = command.target;
}

}  // namespace tapescope
