// A separate gate that stops everywhere and goes on at once.
#include "viewer/debugger/keep_frames.h"

#include "engine/debug/gate.h"
#include "engine/gate/state.h"

namespace tapescope {
namespace {

// Bound for a while, in the place of the gate that the thread obeys.
class Bound {
 public:
  explicit Bound(DebugGate& gate) : before_(DebugGate::bound()) { gate.bind(); }
  ~Bound() {
    if (before_) before_->bind();
    else DebugGate::bound()->unbind();
  }
  Bound(const Bound&) = delete;
  Bound& operator=(const Bound&) = delete;

 private:
  DebugGate* before_;
};

class KeeperVisitor final : public StepVisitor {
 public:
  explicit KeeperVisitor(record::ValueKeeper& keeper) : keeper_(keeper) {}
  void begin_step(std::uint64_t step) override { keeper_.begin_step(0, step); }
  void visit(const Frame& frame) override { keeper_.add(frame); }
  void end_step(std::uint64_t nodes, std::uint64_t forward_nodes) override {
    keeper_.end_step(nodes, forward_nodes);
  }
  bool wants_all_ops() const override { return false; }

 private:
  record::ValueKeeper& keeper_;
};

}  // namespace

void keep_frames(RunningSample& program, std::span<const std::uint64_t> steps, StepVisitor& visitor) {
  DebugGate gate;
  gate.visit_all_ops(visitor.wants_all_ops());
  gate.on_park([&](StopReason, const Frame& frame, const Breakpoint*) {
    visitor.visit(frame);
    return DebugGate::Move{DebugGate::Move::Kind::go_on, {frame.cursor, frame.inner + 1}};
  });
  const Bound bound(gate);
  const Mute mute;
  for (const std::uint64_t step : steps) {
    gate.begin_step(DebugGate::kNever);
    program.go_to(step);
    visitor.begin_step(step);
    // Places inside of the first node come before it.
    gate.begin_step(TapePlace(0, 1));
    try {
      program.run_step();
    } catch (const std::exception&) {  // what ended the run ends the step here too
    }
    visitor.end_step(gate.cursor(), gate.forward_nodes());
  }
}

std::shared_ptr<StepVisitor> into_keeper(record::ValueKeeper& keeper) {
  return std::make_shared<KeeperVisitor>(keeper);
}

}  // namespace tapescope
