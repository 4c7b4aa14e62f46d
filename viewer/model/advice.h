// What to change in a program, and why: read from the tables of its last step.
//
// Kinds are those of design/interfaces.md. Savings are estimates from the durations of the ops concerned, in µs a step.
#pragma once
#include <vector>

#include "viewer/store/snapshot.h"

namespace tapescope {

// Most to save first; general remarks (many_small_ops, fusable_chain, precision) last. Linear in the step's ops.
std::vector<AdviceRow> advise(const Snapshot& snapshot);

// The rules, each a pure function that adds what it finds.
namespace advice {

// Backward work whose result reaches no gradient that was asked for; recorded work that reaches no target.
void unneeded(const StepView& step, std::vector<AdviceRow>& to);
// How tapes are used: gradients taken inside the block, persistent tapes asked once, a Jacobian row by row.
void tapes(const StepView& step, std::vector<AdviceRow>& to);
// The same op on the same operands; ops that change nothing; one op per example.
void repeated(const StepView& step, std::vector<AdviceRow>& to);
// Chains that one pass over memory would do, ops too small for their own cost, dtypes.
void shapes(const StepView& step, std::vector<AdviceRow>& to);
// Values saved for the backward pass that are cheap to compute again.
void memory(const StepView& step, std::vector<AdviceRow>& to);
void gradients(const Snapshot& snapshot, std::vector<AdviceRow>& to);
void functions(const Snapshot& snapshot, std::vector<AdviceRow>& to);

// Whether the op computes each element of its output from one element of each input.
bool elementwise(const OpRow& op);

}  // namespace advice
}  // namespace tapescope
