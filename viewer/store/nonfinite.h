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
  std::string dtype = {};  // of what the op made, where that is known
};

// Whether the program saw a value of the step that is not finite.
bool has_nonfinite(const StepData& data);
// As the program itself saw its values while they were there; nothing where it saw none that are not finite.
std::optional<NonFiniteOrigin> seen_origin(const StepView& view);

// Puts what was found into the first alert of that kind, at the head of the list.
void apply_origin(const NonFiniteOrigin& origin, std::vector<AlertRow>& alerts);

// The op whose kernel ran at that node: a tape node that ran one op backwards is that op; of several, the op
// whose gradient they are. kNoOp where the step has no such node.
std::uint32_t op_at(const NonFiniteOrigin& origin, const StepView& view);
// The op it names, in the view of a step: of its own, or of one that looks alike there. kNoOp where the step
// has no such op.
std::uint32_t op_of(const NonFiniteOrigin& origin, const StepView& view);

}  // namespace tapescope
