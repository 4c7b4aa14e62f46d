// Where the first value that is not finite was made: found by running the step again under the debugger's
// gate.
#pragma once
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "viewer/debugger/run_control.h"
#include "viewer/store/snapshot.h"

namespace tapescope {

struct NonFiniteOrigin {
  std::uint64_t step = 0;
  std::int64_t node = -1;  // tape node of the step
  bool backward = false;
  std::string value;  // "nan", "inf", "-inf"
  std::string op, op_type, location;
};

// Runs the program anew, silently, up to the step of the first alert of kind nonfinite, and that step node by
// node. Takes about as long as those steps took. Nothing without such an alert, or when no tape node made the
// value (an op outside of every tape did), or once it is told to stop. `variant` is the program's; the
// snapshot gives readable names.
std::optional<NonFiniteOrigin> locate_nonfinite(const RunRequest& request, const std::string& variant,
                                                const Snapshot& snapshot, const std::stop_token& stop = {});

// Puts what was found into the first alert of that kind, at the head of the list.
void apply_origin(const NonFiniteOrigin& origin, std::vector<AlertRow>& alerts);

// The op it names, in the view of a step: of its own, or of one that looks alike there. kNoOp where the step
// has no such op.
std::uint32_t op_of(const NonFiniteOrigin& origin, const StepView& view);

}  // namespace tapescope
