// Every place of whole steps, by running them once more.
#pragma once
#include <cstdint>
#include <memory>
#include <span>

#include "engine/debug/frame.h"
#include "engine/recording/step_values.h"
#include "viewer/debugger/running_sample.h"

namespace tapescope {

// Is shown the places of steps, in order. On the thread that runs the program.
class StepVisitor {
 public:
  virtual ~StepVisitor() = default;
  virtual void begin_step(std::uint64_t step) = 0;
  virtual void visit(const Frame& frame) = 0;
  virtual void end_step(std::uint64_t nodes, std::uint64_t forward_nodes) = 0;
  // Ops that no tape recorded are places as well, and those that backward steps run.
  virtual bool wants_all_ops() const { return true; }
};

// Runs each of these steps once more without a record; the program then stands in the last of them. On the
// thread that runs the program, between two steps.
void keep_frames(RunningSample& program, std::span<const std::uint64_t> steps, StepVisitor& visitor);

// Hands them to the keeper of a recording, in which places are what stepping knows.
std::shared_ptr<StepVisitor> into_keeper(record::ValueKeeper& keeper);

}  // namespace tapescope
