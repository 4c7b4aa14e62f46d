// Checkpoints by copy, replay by running again: samples are deterministic by seed and step.
#include "viewer/debugger/running_sample.h"

#include <utility>

#include "engine/gate/state.h"
#include "engine/program.h"

namespace tapescope {

RunningSample::RunningSample(const SampleInfo& info, const SampleOptions& options, std::uint32_t id)
    : info_(info), options_(options), id_(id) {
  result.variant = options.variant;
  make();
}

void RunningSample::make() {
  VariableCollector collector;
  sample_ = info_.make(options_);
  variables_ = collector.variables();
  next_step_ = 0;
  checkpoint(true);
}

void RunningSample::run_step() {
  context_ = StepContext{};
  context_.step = next_step_;
  note_step_begin(next_step_, id_);
  struct End {
    RunningSample& program;
    bool abandoned = true;
    ~End() { note_step_end(program.next_step_, program.id_, abandoned); }
  } end{*this};
  VariableCollector collector;
  struct Take {
    RunningSample& program;
    VariableCollector& collector;
    ~Take() {
      const auto& made = collector.variables();
      program.variables_.insert(program.variables_.end(), made.begin(), made.end());
    }
  } take{*this, collector};
  sample_->step(context_);
  end.abandoned = false;
}

void let_go_of_middle(ProgramResult& result, std::size_t kept) {
  const auto shorten = [kept](std::vector<double>& values) -> std::size_t {
    // Seldom, as what follows moves up.
    if (values.size() / 2 < kept || values.size() <= kept + ProgramResult::kFirstSteps) return 0;
    const std::size_t gone = values.size() - kept - ProgramResult::kFirstSteps;
    const auto from = values.begin() + ProgramResult::kFirstSteps;
    values.erase(from, from + static_cast<std::ptrdiff_t>(gone));
    return gone;
  };
  shorten(result.loss);
  result.left += shorten(result.step_us);
}

void RunningSample::accept_step(double microseconds, std::size_t kept) {
  if (context_.loss_value) result.loss.push_back(*context_.loss_value);
  result.step_us.push_back(microseconds);
  let_go_of_middle(result, kept);
  for (const auto& [name, value] : context_.metrics) result.metrics[name] = value;
  for (const SampleOutput& output : context_.outputs) {
    bool known = false;
    for (SampleOutput& before : result.outputs) {
      if (before.name != output.name) continue;
      before.value = output.value;
      known = true;
    }
    if (!known) result.outputs.push_back(output);
  }
  // A sample that shows the same error at each step shows it once.
  for (const SampleError& error : context_.errors) {
    bool known = false;
    for (const SampleError& before : result.errors) known |= before.message == error.message;
    if (!known) result.errors.push_back(error);
  }
  result.earlier_gradients = std::exchange(result.gradients, context_.gradients);
  ++next_step_;
}

std::vector<SampleOutput> RunningSample::values() const {
  constexpr std::int64_t kMost = 4 << 20;  // bytes: a copy at each stop stays below a millisecond
  std::vector<SampleOutput> values;
  for (const Variable& variable : variables_) {
    const Tensor& value = variable.peek();
    if (!value || value.bytes() > kMost) continue;
    values.push_back({std::string(variable.name()),
                      make_from_bytes(value.dtype(), value.shape(), value.raw()), variable.id()});
  }
  return values;
}

void RunningSample::finish() {
  StepContext context;
  context.step = next_step_;
  sample_->finish(context);
  for (const auto& [name, value] : context.metrics) result.metrics[name] = value;
  for (SampleOutput& output : context.outputs) result.outputs.push_back(std::move(output));
  result.values = values();
}

void RunningSample::checkpoint(bool always) {
  // A quarter of a second bounds both what a checkpoint costs a run and how long going back takes.
  constexpr auto kInterval = std::chrono::milliseconds(250);
  const auto now = std::chrono::steady_clock::now();
  if (!always && now - checkpoint_time_ < kInterval) return;
  checkpoint_.step = next_step_;
  checkpoint_.values.clear();
  for (const Variable& variable : variables_) {
    const Tensor& value = variable.peek();
    checkpoint_.values.push_back(make_from_bytes(value.dtype(), value.shape(), value.raw()));
  }
  checkpoint_.state = sample_->save_state();
  checkpoint_time_ = now;
}

void RunningSample::restore() {
  if (checkpoint_.values.size() != variables_.size()) {
    // A step after the checkpoint made variables: their first values are only to be had by beginning again.
    make();
    return;
  }
  for (std::size_t i = 0; i < variables_.size(); ++i) variables_[i].assign(checkpoint_.values[i]);
  sample_->restore_state(checkpoint_.state);
  next_step_ = checkpoint_.step;
}

void RunningSample::go_to(std::uint64_t step, const std::stop_token& stop) {
  Mute mute;
  if (checkpoint_.step > step) {
    make();
  } else {
    restore();
  }
  while (next_step_ < step && !stop.stop_requested()) {
    run_step();
    ++next_step_;
  }
  checkpoint(true);
}

}  // namespace tapescope
