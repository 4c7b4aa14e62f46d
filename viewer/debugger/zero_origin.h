// Which op made a gradient zero: found by running the step again under the debugger's gate.
#pragma once
#include <stop_token>
#include <string>
#include <vector>

#include "engine/debug/gate.h"
#include "viewer/debugger/run_control.h"
#include "viewer/store/zero_reason.h"

namespace tapescope {

// Keeps what goes through each backward node that this thread walks while it lives. No other gate may be
// bound.
class BackwardWatch {
 public:
  BackwardWatch();
  ~BackwardWatch();
  BackwardWatch(const BackwardWatch&) = delete;
  BackwardWatch& operator=(const BackwardWatch&) = delete;
  const BackwardNodes& nodes() const { return nodes_; }

 private:
  BackwardNodes nodes_;
  DebugGate gate_;
};

// Which op made each zero of the snapshot's last step. Runs the program anew, silently, up to that step, and
// that step node by node; does nothing where no gradient is zero. `variant` is the program's. Nothing once it
// is told to stop.
std::vector<ZeroProof> locate_zeros(const RunRequest& request, const std::string& variant,
                                    const Snapshot& snapshot, const std::stop_token& stop = {});

}  // namespace tapescope
