// One running sample: its variables, its checkpoint, and what it answered.
#pragma once
#include <chrono>
#include <memory>
#include <stop_token>
#include <vector>

#include "viewer/debugger/run_control.h"

namespace tapescope {

// The state at the start of a step: enough to run it again bit for bit.
struct Checkpoint {
  std::uint64_t step = 0;
  std::vector<Tensor> values;        // of each variable, in order of creation
  std::vector<std::uint64_t> state;  // Sample::save_state
};

class RunningSample {
 public:
  RunningSample(const SampleInfo& info, const SampleOptions& options, std::uint32_t id);

  std::uint64_t next_step() const { return next_step_; }
  std::uint64_t default_steps() const { return static_cast<std::uint64_t>(sample_->default_steps()); }
  // Runs step next_step(); leaves its records; does not advance. Its metrics and messages are in context().
  void run_step();
  // The step is done: takes its answers over and moves on. `kept`: of let_go_of_middle.
  void accept_step(double microseconds, std::size_t kept = ~std::size_t{0});
  void finish();
  StepContext& context() { return context_; }
  // Copies of the variables' present values, by name; those beyond 4 MiB are left out.
  std::vector<SampleOutput> values() const;

  // Keeps the present state, when the last checkpoint is older than a quarter of a second (or always).
  void checkpoint(bool always = false);
  // Goes back (or on) to the start of that step: restores the last checkpoint before it, or starts from the
  // beginning, and runs the steps between without a record. Ends before the next of them once a stop is
  // requested.
  void go_to(std::uint64_t step, const std::stop_token& stop = {});

  ProgramResult result;

 private:
  void make();
  void restore();

  const SampleInfo& info_;
  SampleOptions options_;
  std::uint32_t id_;
  std::unique_ptr<Sample> sample_;
  std::vector<Variable> variables_;
  Checkpoint checkpoint_;
  std::chrono::steady_clock::time_point checkpoint_time_;
  std::uint64_t next_step_ = 0;
  StepContext context_;
};

// Where there are many more, of the steps after the first kFirstSteps only the latest `kept` keep their loss
// and time.
void let_go_of_middle(ProgramResult& result, std::size_t kept);

}  // namespace tapescope
