// The debugger's gate: where an engine thread stops between two tape nodes and waits to be told on.
//
// The cursor is the number of tape nodes executed in the current step: forward nodes, then backward ones. Ops
// that run inside a node (a function's graph) are places of their own, which only who asks for them stops at.
// The engine never calls the viewer; the viewer posts commands and reads a frame while the thread is parked.
#pragma once
#include <atomic>
#include <compare>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/attrs.h"
#include "engine/core/tensor.h"
#include "engine/events/records/record.h"

namespace tapescope {

struct FrameTensor {
  std::string name;
  Tensor value;  // absent: no cotangent arrived
};

// A place in a step: tape nodes executed, and of the node after them the ops that have run inside it.
struct TapePlace {
  std::uint64_t node = 0, inner = 0;
  constexpr TapePlace() = default;
  constexpr TapePlace(std::uint64_t nodes, std::uint64_t inside = 0) : node(nodes), inner(inside) {}
  auto operator<=>(const TapePlace&) const = default;
};

// What is to be seen where the thread stands: a consistent snapshot, all by reference.
struct Frame {
  std::uint64_t cursor = 0;
  std::uint64_t inner = 0;  // ops that have run inside the node after the cursor
  bool backward = false;
  OpNameId op = 0;      // the node executed last
  TensorId output = 0;  // its first output; for a backward node, that of its forward op
  SiteId site = 0;
  Attrs attrs;                              // of the call
  std::vector<FrameTensor> inputs;          // forward: inputs; backward: saved tensors used
  std::vector<FrameTensor> outputs;         // forward: outputs
  std::vector<FrameTensor> cotangents_in;   // backward: of the forward op's outputs
  std::vector<FrameTensor> cotangents_out;  // backward: of the forward op's inputs
  std::vector<FrameTensor>
      accumulated;  // backward: what has arrived at each variable and watched tensor so far
  // Covers the op, cotangents, accumulations and saved values; never a time or an address.
  std::uint64_t hash() const;
};

enum class StopReason : std::uint8_t { none, target, pause, breakpoint, backward_begin };

// A condition that stops the thread. Each is evaluated on the engine thread, and only while armed.
struct Breakpoint {
  enum class Kind : std::uint8_t {
    op,
    name,
    line,
    backward,
    nonfinite,
    norm_above,
    norm_below,
    none,
    retrace
  } kind;
  std::string text;  // op type, variable or tensor name, or "file.cpp:12"
  double limit = 0;  // norms
  std::uint32_t id = 0;
  std::uint64_t hits = 0;
};

// Where a thread is when it arrives: fills the frame only when somebody wants it.
class FrameSource {
 public:
  virtual ~FrameSource() = default;
  virtual void describe(Frame& frame) const = 0;
};

struct GatePoint {
  bool backward = false;
  bool before_backward = false;  // a backward pass is about to begin; no node was executed
  bool inside = false;           // an op inside a node, of a function's graph; no node was executed
  OpNameId op = 0;
  TensorId output = 0;
  SiteId site = 0;
};

// Thrown at the gate to unwind a step that is to be replayed or given up. Not an Error: nothing went wrong.
struct StepAbandoned {};

class DebugGate {
 public:
  static constexpr TapePlace kNever{~std::uint64_t{0}};

  // Arms every thread's listen word; the thread that calls bind() is the one that stops.
  DebugGate();
  ~DebugGate();

  // Engine thread: this thread obeys the gate from now on.
  void bind();
  void unbind();
  // Engine thread: a step begins; the cursor returns to 0. Run to `target`, or to the first place after it,
  // and stop there (kNever: do not).
  void begin_step(TapePlace target);
  std::uint64_t cursor() const { return place_.node; }
  TapePlace place() const { return place_; }
  // Forward nodes among those executed in this step.
  std::uint64_t forward_nodes() const { return forward_; }
  // Engine thread, at each tape node. Parks where it is told to; throws StepAbandoned when told to give up.
  void arrive(const GatePoint& point, const FrameSource& source);
  // Engine thread: a gradient came out None (breakpoint kind none).
  void result_none(const std::string& source_name, const GatePoint& point, const FrameSource& source);

  // Engine thread: a function is traced again (breakpoint kind retrace).
  void retraced(const std::string& function, const GatePoint& point, const FrameSource& source);

  // The thread is parked when this is called (on the engine thread, before it waits). It returns what to do.
  struct Command {
    enum class Kind : std::uint8_t { go_on, abandon } kind = Kind::go_on;
    TapePlace target = kNever;  // where to stop next
  };
  using ParkHandler = std::function<Command(StopReason, const Frame&, const Breakpoint*)>;
  void on_park(ParkHandler handler) { handler_ = std::move(handler); }

  // Any thread: stop at the next node.
  void request_pause() { pause_.store(true, std::memory_order_relaxed); }
  void cancel_requests() {
    pause_.store(false, std::memory_order_relaxed);
    abandon_.store(false, std::memory_order_relaxed);
  }
  // Any thread: unwind at the next node.
  void request_abandon() { abandon_.store(true, std::memory_order_relaxed); }
  void set_breakpoints(std::vector<Breakpoint> breakpoints);
  std::vector<Breakpoint> breakpoints() const;
  // Whether conditions are looked at; off while a step is replayed to a known place.
  void obey_breakpoints(bool on) { obey_ = on; }

  // The gate this thread obeys, or null.
  static DebugGate* bound();

 private:
  void park(StopReason reason, const FrameSource& source, const GatePoint& point,
            std::optional<Breakpoint> hit);
  void stop_on(Breakpoint::Kind kind, const std::string& name, const GatePoint& point,
               const FrameSource& source);
  bool matches(Breakpoint& breakpoint, const GatePoint& point, const FrameSource& source);

  TapePlace place_;
  std::uint64_t forward_ = 0;
  TapePlace target_ = kNever;
  bool obey_ = true;
  std::atomic<bool> pause_{false};
  std::atomic<bool> abandon_{false};
  std::atomic<bool> have_breakpoints_{false};
  mutable std::mutex mutex_;
  std::vector<Breakpoint> breakpoints_;
  ParkHandler handler_;
};

}  // namespace tapescope
