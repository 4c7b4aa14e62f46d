// Why a gradient that exists is all zeros: "dead_relu" and so on.
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "viewer/store/snapshot.h"

namespace tapescope {

struct ZeroReason {
  std::string reason, message, location, fix;
};
// For a step whose values are not known: judged by the ops on the way, and marked as probable. Of several the
// one whose rule comes first in engine/explain/zero_rules.cpp, then the one nearest to the target.
ZeroReason zero_reason(const StepView& view, TensorId target, TensorId source, std::string_view source_name);

// What went through a node that was walked backwards, as its values show.
struct BackwardValues {
  bool arrives = false;       // a cotangent that is not zero everywhere
  std::vector<bool> leaves;   // by input: the same of what it sends there
  bool ends = false;          // no gradient for any input, whatever arrives: ZerosLike
  unsigned zero_operands = 0;  // mask of the inputs that it kept for this and that are zero everywhere
};
// By the tape node's number in the step.
using BackwardNodes = std::unordered_map<std::int64_t, BackwardValues>;

// As the program itself saw what its backward steps returned: empty where it did not look.
BackwardNodes seen_nodes(const StepView& view);

// The op of a step that made the gradient of a source zero.
struct ZeroProof {
  std::uint32_t call = 0;  // into StepView::calls
  TensorId source = 0;
  std::uint32_t op = kNoOp;  // into StepView::ops
  std::string reason;
};
// For each row of that step that is zero the op that made the zeros first: the first on the way back where
// something arrived and nothing left towards the source, or where contributions add up to nothing. None for
// rows whose values are not known.
std::vector<ZeroProof> prove_zeros(const StepView& view, const BackwardNodes& nodes,
                                   const std::vector<GradientRow>& rows);
// Puts what was proved into the row it is of, with path and edge.
void apply_proof(const StepView& view, const ZeroProof& proof, std::vector<GradientRow>& rows);

}  // namespace tapescope
