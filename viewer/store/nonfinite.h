// Where the first value that is not finite was made, and the alert that says so.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "viewer/store/snapshot.h"
#include "viewer/store/step_data.h"

namespace tapescope {

struct NonFiniteOrigin {
  std::uint64_t step = 0;
  std::int64_t node = -1;  // tape node of the step; -1 for an op that no tape recorded
  bool backward = false;
  std::string value;  // "nan", "inf", "-inf"
  std::string op, op_type, location;
  std::string dtype = {};                      // of what the op made, where that is known
  std::string what = {}, when = {}, fix = {};  // where the values of the step say more
  std::vector<std::string> reached = {};       // likewise: "the loss", "the gradient of w"
  bool skipped = false;                        // likewise: the program noticed, and updated nothing
};

// What a program's own look at its values says.
struct NonFiniteLook {
  std::optional<NonFiniteOrigin> origin;
  // Of calls that the program skipped on purpose (engine/explain/skipped.h).
  std::vector<TensorId> skipped_gradients, skipped_sources;
};

// Whether the program saw a value of the step that is not finite.
bool has_nonfinite(const StepData& data);
// As the program itself saw its values while they were there; no origin where all that count are finite.
// `prologue`: what ran before the first step; null where there is none.
NonFiniteLook seen_origin(const StepView& view, const StepData& data, const std::vector<Segment>* prologue);

// Puts what was found into the first alert of that kind of the step, at the head of the list; makes one where
// there is none. Alerts about what the value reached later go.
// Steps are called from `step_base` on (Snapshot::step_base).
void apply_origin(const NonFiniteOrigin& origin, std::vector<AlertRow>& alerts, std::uint64_t step_base);

// The op whose kernel ran at that node: a tape node that ran one op backwards is that op; of several, the op
// whose gradient they are. kNoOp where the step has no such node.
std::uint32_t op_at(const NonFiniteOrigin& origin, const StepView& view);
// The op it names, in the view of its step, or of one that looks alike there; on the way back the first op
// of the backward step that differentiates it. kNoOp where the step has no such op.
std::uint32_t op_of(const NonFiniteOrigin& origin, const StepView& view);

}  // namespace tapescope
