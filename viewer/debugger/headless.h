// Runs a sample without a window: what every command that is not `gui` does.
#pragma once
#include <csignal>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/recording/contents.h"
#include "engine/recording/step_values.h"
#include "viewer/debugger/run_control.h"
#include "viewer/model/compare.h"
#include "viewer/model/report.h"
#include "viewer/model/verdict.h"
#include "viewer/store/nonfinite.h"
#include "viewer/store/snapshot.h"
#include "viewer/store/zero_reason.h"

namespace tapescope {

// While it lives, Ctrl+C and a polite kill arrive here instead of ending the process. One at a time.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  // Whether one came since the last call.
  bool take();

 private:
  struct sigaction interrupt_before_, terminate_before_;
};

struct HeadlessRun {
  ProgramResult programs[2];  // B only in a comparison
  ComparisonResult comparison;
  std::shared_ptr<const Snapshot> snapshots[2];  // null without events
  RunEnding ending;
  // As an older recording says that a second run found them; else the snapshots know.
  std::optional<NonFiniteOrigin> origins[2];  // where the first value that is not finite came from
  std::vector<ZeroProof> zeros[2];            // of the last step: which ops made gradients zero
  RunRequest request;                         // with defaults filled in
  record::ProgramFacts facts;  // of its recording or the attached program; empty for a run of this process
  std::uint64_t steps = 0;     // completed
  std::uint64_t planned = 0;   // to do
  bool interrupted = false;
  std::exception_ptr failure;  // what ended the run early; null when nothing did
  std::string
      record_failure;  // why its recording is missing or ends early; reported on standard error already
};

// Runs to the end, or to Ctrl+C. Progress goes to standard error where that is a terminal.
// Throws Error for unusable options; what fails later is in the result. `record` is the recording to write,
// empty for none; it keeps the values of the steps that `values` names, which are run once more for that at
// the end.
HeadlessRun run_headless(const RunRequest& request, const std::string& record = {},
                         const record::ValueOptions& values = {});
// The steps a sample takes by default. Throws Error for unusable options.
std::uint64_t default_steps_of(const RunRequest& request);

RunReport report_of(const HeadlessRun& run, int program);
Comparison comparison_of(const HeadlessRun& run);

}  // namespace tapescope
