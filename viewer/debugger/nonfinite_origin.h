// Where the first value that is not finite was made: found by running the step again under the debugger's
// gate.
#pragma once
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "viewer/debugger/run_control.h"
#include "viewer/store/nonfinite.h"
#include "viewer/store/snapshot.h"

namespace tapescope {

// Runs the program anew, silently, up to the step of the first alert of kind nonfinite, and that step node by
// node. Takes about as long as those steps took. Nothing without such an alert, or when no tape node made the
// value (an op outside of every tape did), or once it is told to stop. `variant` is the program's; the
// snapshot gives readable names.
std::optional<NonFiniteOrigin> locate_nonfinite(const RunRequest& request, const std::string& variant,
                                                const Snapshot& snapshot, const std::stop_token& stop = {});

}  // namespace tapescope
