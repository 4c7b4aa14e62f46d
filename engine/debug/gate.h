// The debugger's gate: where an engine thread stops between two tape nodes and waits for a command.
//
// The cursor is the number of tape nodes executed in the current step: forward nodes, then backward ones. Ops
// that run inside a node (a function's graph) have own positions; only a target among them stops there.
// The engine never calls the viewer; the viewer posts commands and reads a frame while the thread is parked.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/debug/breakpoint.h"
#include "engine/debug/frame.h"

namespace tapescope {

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
  // Engine thread: whether one of the next ops inside the node that comes, which are so many, may be a place
  // to stop at; if not, they may run as one and be counted by pass_inside.
  bool may_stop_inside(std::uint64_t ops) const {
    return (obey_ && breakpoints_.armed()) || TapePlace(place_.node, place_.inner + ops) >= target_;
  }
  // Engine thread: whether the next op inside the node that comes is the place to stop at, breakpoints aside.
  bool steps_inside() const {
    return place_ < target_ && TapePlace(place_.node, place_.inner + 1) >= target_;
  }
  void pass_inside(std::uint64_t ops) { place_.inner += ops; }
  // Engine thread: a forward node that is no place to stop at; a target there is met at the next place.
  void pass_node() {
    place_ = {place_.node + 1};
    ++forward_;
  }
  // Engine thread, at each tape node and each op inside one. Parks where it is asked to; throws StepAbandoned
  // when the step is given up.
  void arrive(const GatePoint& point, const FrameSource& source);
  // Engine thread, between two nodes, for breakpoints of one kind: backward (a backward pass is about to
  // begin), none (of the gradient of the source with that name and id) or retrace.
  void arrive_between(Breakpoint::Kind kind, const GatePoint& point, const FrameSource& source,
                      const std::string& name = {}, TensorId id = 0);

  // Engine thread, while a node waits for another process: parks where a pause is asked for, at the place it
  // has reached.
  void arrive_waiting(const GatePoint& point, const FrameSource& source);

  // The thread is parked when this is called (on the engine thread, before it waits). It returns what to do.
  struct Move {
    enum class Kind : std::uint8_t { go_on, abandon } kind = Kind::go_on;
    TapePlace target = kNever;  // where to stop next
  };
  using ParkHandler = std::function<Move(StopReason, const Frame&, const Breakpoint*)>;
  void on_park(ParkHandler handler) { handler_ = std::move(handler); }

  // Any thread: stop at the next node.
  void request_pause() { pause_.store(true, std::memory_order_relaxed); }
  bool pause_requested() const { return pause_.load(std::memory_order_relaxed); }
  void cancel_requests(bool but_a_pause = false) {
    if (!but_a_pause) pause_.store(false, std::memory_order_relaxed);
    abandon_.store(false, std::memory_order_relaxed);
  }
  // Any thread: unwind at the next node.
  void request_abandon() { abandon_.store(true, std::memory_order_relaxed); }
  Breakpoints& breakpoints() { return breakpoints_; }
  const Breakpoints& breakpoints() const { return breakpoints_; }
  // Engine thread: whether breakpoints are evaluated; off while a step is replayed to a known place.
  void obey_breakpoints(bool on) { obey_ = on; }
  // Engine thread: ops that no tape recorded are places too, inside the node that comes, and so are those
  // that a backward step runs. Off, places are what stepping knows.
  void visit_all_ops(bool on) { all_ops_ = on; }
  bool visits_all_ops() const { return all_ops_; }
  // Engine thread: what is met at this place was met before, when the step ran the first time; it counts
  // again from the next node on.
  void overlook_here() { overlooked_ = place_; }

  // The gate this thread obeys, or null.
  static DebugGate* bound();

 private:
  void park(StopReason reason, const FrameSource& source, const GatePoint& point,
            const std::optional<Breakpoint>& hit);
  bool obeys() const { return obey_ && breakpoints_.armed() && overlooked_ != place_; }

  TapePlace place_;
  std::uint64_t forward_ = 0;
  TapePlace target_ = kNever;
  TapePlace overlooked_ = kNever;
  bool obey_ = true;
  bool all_ops_ = false;
  std::atomic<bool> pause_{false};
  std::atomic<bool> abandon_{false};
  Breakpoints breakpoints_;
  ParkHandler handler_;
};

}  // namespace tapescope
