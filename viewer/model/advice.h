// What to change in a program, and why: read from the tables of its last step.
//
// Kinds are those of design/interfaces.md. Savings are in µs a step. Where an op would not run any more it is
// the op's time in that step; where the same arithmetic would be done by fewer calls it is the calls alone;
// else none is given.
#pragma once
#include <optional>
#include <vector>

#include "viewer/model/statistics.h"
#include "viewer/store/snapshot.h"

namespace tapescope {

// Most to save first; general remarks (many_small_ops, fusable_chain, precision) last. Linear in the step's
// ops.
std::vector<AdviceRow> advise(const Snapshot& snapshot);

// A's rows beside those of a program that ran interleaved with it. Where B has followed one advice and no
// other, and is quicker for it (`step` is B over A, with an interval), that row's saving is what was
// measured: of A's median step, in µs.
void measure(std::vector<AdviceRow>& a, const std::vector<AdviceRow>& b, const Ratio& step,
             double a_median_us);

// The rules, each a pure function that adds what it finds.
namespace advice {

// Backward work whose result reaches no gradient that was asked for; recorded work that reaches no target.
void unneeded(const Snapshot& snapshot, const StepView& step, std::vector<AdviceRow>& to);
// How tapes are used: gradients taken inside the block, persistent tapes asked once, a Jacobian row by row.
void tapes(const StepView& step, std::vector<AdviceRow>& to);
// The same op on the same operands in a step; ops that change nothing. `sources`: the program's text where it
// is at hand, else null.
void repeated(const StepView& step, const SourceFiles* sources, std::vector<AdviceRow>& to);
// What each round computes from the same tensors and numbers alone, where that is much of the forward pass:
// a matrix of the data's, a factorization of it, what a frozen model makes of the same examples; or a table
// that many calls make of numbers.
void lasting(const Snapshot& snapshot, const StepView& step, std::vector<AdviceRow>& to);
// Of a step that another one follows, as the last step has no part of the next: what stands between its last
// question and the next step, where a loop computes before its tape.
void lasting_between(const Snapshot& snapshot, const StepView& step, std::vector<AdviceRow>& to);
// Values that the host reads and gives back. `sources` as above.
void round_trips(const StepView& step, const SourceFiles* sources, std::vector<AdviceRow>& to);
// Numbers that a line reads for the host one after the other, such as a norm of each gradient. `before`: the
// step before, null where there is none.
void reads_one_by_one(const StepView& step, const StepView* before, std::vector<AdviceRow>& to);
// A number, such as the loss, that a line reads for the host in each of many steps.
void reads_each_step(const Snapshot& snapshot, std::vector<AdviceRow>& to);
// One op per example; tables used whole whose rows are looked up.
void batches(const StepView& step, const SourceFiles* sources, std::vector<AdviceRow>& to);
// One tape per example where each is a step, as nothing is updated.
void tapes_for_examples(const Snapshot& snapshot, std::vector<AdviceRow>& to);
// Chains that one pass over memory would do, ops too small for their own cost, dtypes.
void shapes(const StepView& step, std::vector<AdviceRow>& to);
// Values saved for the backward pass that are cheap to compute again.
void memory(const StepView& step, std::vector<AdviceRow>& to);
void gradients(const Snapshot& snapshot, std::vector<AdviceRow>& to);
// Retraces, and loops that were unrolled.
void functions(const Snapshot& snapshot, std::vector<AdviceRow>& to);

// Elements that are worth a remark: a few scalars twice are not worth a person's time.
inline constexpr double kWorthMending = 1000;
// The handle of the variable that an op reads; 0 for any other op.
TensorId handle_read(const StepView& step, const OpRow& op);
// Whether a question of the run, in whichever step or inside a function, was about the variable.
bool asked_in_run(const Snapshot& snapshot, TensorId handle);

// The "s" of a noun, and of its verb, that go with a number: "1 op leads", "2 ops lead".
inline std::string_view noun_s(std::uint64_t count) { return count == 1 ? "" : "s"; }
inline std::string_view verb_s(std::uint64_t count) { return count == 1 ? "s" : ""; }

// Work of an op by its shapes: floating-point operations or, where those are fewer or unknown, elements of
// its result. Rows that name the largest op go by it and not by measured times, so that every run names the
// same op.
double work_of(const OpRow& op);
// What to do in the words of the program's language, by its file.
std::string fix_for(std::string_view location, std::string_view cpp, std::string_view python);
// Whether a source of both gradient() calls is assigned between them: they are steps then, not parts of one.
bool updated_between(const StepView& step, const GradientCall& first, const GradientCall& last);
// Of the ways to two ops (StepView::way_to) the line on the second's way where they part, or that they have
// in common where one op is on the other's way. Empty where the ways are one, or have nothing in common.
std::string meeting_line(const std::vector<SiteId>& one, const std::vector<SiteId>& other);
// The call, between a tape and the question to it, of the helper whose line that is; none for a line there.
std::optional<AdviceRow::Helper> called_in_block(const StepView& step, std::string_view location);
// What a call costs beside its arithmetic, in µs: no more than the step's shortest op, which does next to
// none.
double call_us(const StepView& step);

}  // namespace advice
}  // namespace tapescope
