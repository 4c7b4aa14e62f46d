// Runs a sample on a separate thread: start, pause, stop, step in both directions, compare two variants.
//
// The window and the command line drive the same object; the command line without a gate. Every command
// returns at once; status() reports what became of it.
#pragma once
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/debug/gate.h"
#include "engine/events/session.h"
#include "engine/recording/frame_codec.h"
#include "samples/sample.h"
#include "viewer/debugger/arrived.h"
#include "viewer/model/compared.h"

namespace tapescope {
namespace record {
class ValueKeeper;
}
class StepVisitor;

enum class RunMode : std::uint8_t { idle, running, paused, finished };
// "idle", "running", "paused", "finished"
std::string_view name_of(RunMode mode);

struct RunRequest {
  std::string sample;
  SampleOptions options;     // variant, seed, steps, parameters
  std::string compare_with;  // a second variant, run interleaved as program B; empty for none
  bool events = true;
  // Results keep the losses and times of the first 512 steps and of at least so many of the latest: of a run
  // of days they take no more than 128 MiB.
  std::size_t kept_steps = std::size_t{1} << 22;
};

// Where a paused program stands; immutable, shared with the viewer.
struct FrameView {
  StopReason reason = StopReason::none;
  std::string breakpoint;  // what was hit, "norm above 1000 of MatMul"
  Frame frame;
  std::vector<Arrived> arrived;               // arrived_at_sources(frame)
  std::vector<record::PlacedDigest> digests;  // of tensors that are kept in part
  bool foreign = false;  // read from a file or another process: it is looked at, nothing of it is executed
  std::uint64_t hash = 0;
  std::uint64_t step = 0;
  std::uint64_t cursor = 0;
  std::uint64_t cursor_count = 0;  // tape nodes of this step: forward, then backward
  std::uint64_t forward_count = 0;
  std::vector<SampleOutput>
      values;  // of the variables, by name; those too large to copy at each stop are left out
};

struct RunStatus {
  RunMode mode = RunMode::idle;
  std::uint64_t generation = 0;     // grows with every load(): what belongs to an older one is stale
  std::uint64_t step = 0;           // training steps completed
  std::uint64_t steps = 0;          // to do
  std::uint64_t commands_done = 0;  // commands carried out so far; equals the number given when all caught up
  std::shared_ptr<const FrameView> frame;  // while paused
  std::string error;                       // what ended the run early, one sentence
  std::string unseen;  // what its program was not observed for, one sentence; mostly empty
};

// What a program answered, for reports and comparisons. Complete once the mode is finished.
struct ProgramResult {
  std::string variant;
  std::vector<double> loss;     // per step; empty when the sample has none
  std::vector<double> step_us;  // wall time of each step
  // Steps that `loss` and `step_us` no longer have: those that followed the first kFirstSteps.
  std::uint64_t left = 0;
  static constexpr std::size_t kFirstSteps = 512;
  std::map<std::string, double> metrics;
  std::vector<SampleOutput> outputs;
  std::vector<SampleError> errors;
  std::vector<SampleOutput> gradients;          // of the last step, by source name
  std::vector<SampleOutput> earlier_gradients;  // of the step before
  std::vector<SampleOutput> values;             // of the variables after the last step, by name
};

// What two programs run side by side have in common, gathered while they run.
struct ComparisonResult {
  bool same_loss = true;
  bool same_gradients = true;
  double max_loss_difference = 0;          // over all steps, absolute
  double max_gradient_difference = 0;      // over all steps, relative to the largest element
  std::string first_difference;            // "gradient of weights at step 3", empty when none
  Compared compared = Compared::elements;  // `norms`: the maximum is of norms
};

class RunControl {
 public:
  // Without a debugger steps cannot be paused inside, and cost nothing for it.
  explicit RunControl(bool debugger = true);
  ~RunControl();
  RunControl(const RunControl&) = delete;
  RunControl& operator=(const RunControl&) = delete;

  // Makes the sample ready; nothing runs yet. Ends what ran before. Throws Error for unusable options.
  void load(const RunRequest& request);
  const RunRequest& request() const { return request_; }

  void run();    // starts or continues
  void pause();  // at the next tape node
  void stop();   // ends the run; the program is made again by the next run()
  // The step under way is the last: the run finishes after it, and its results stay.
  void finish_early();
  // Moves the cursor by `nodes` tape nodes, back when negative; at an end of the step it stays there.
  void step_nodes(std::int64_t nodes);
  // To the next op inside the node that comes, of a function's graph; past the node when nothing is left in
  // it.
  void step_into();
  void step_training(std::uint64_t steps);  // to the same cursor place of a later step
  void seek(std::uint64_t cursor);          // any place of the paused step; clamped
  void run_until(Breakpoint breakpoint);    // continues; this breakpoint counts once
  // As Breakpoints::set().
  void set_breakpoints(std::vector<Breakpoint> breakpoints);
  std::vector<Breakpoint> breakpoints() const;
  // The frames of these steps of program A, every place of them, by running each once more without a record.
  // At rest alone; the keeper is the runner's until it rests again, and a paused program then stands where it
  // stood.
  void keep_values(std::vector<std::uint64_t> steps, record::ValueKeeper& keeper);
  // The same for any visitor, which is held until it has seen them.
  void visit(std::vector<std::uint64_t> steps, std::shared_ptr<StepVisitor> visitor);

  RunStatus status() const;
  // Blocks until the mode is idle, paused or finished, or `seconds` have passed; false when they have.
  bool wait_at_rest(double seconds) const;
  // Called on the runner's thread after each step and at each change of mode.
  void on_change(std::function<void()> callback);

  // Programs A and B; B only in a comparison. Valid at rest.
  const ProgramResult& result(int program) const;
  const ComparisonResult& comparison() const;
  // What ended the run early, to be thrown again where its kind matters; null when nothing did.
  std::exception_ptr failure() const;

 private:
  RunRequest request_;
  struct Runner;
  std::unique_ptr<Runner> runner_;
};

}  // namespace tapescope
