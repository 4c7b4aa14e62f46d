// Where the first value that is not finite was made, and the alert that says so.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "viewer/store/gradient_table.h"
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
  std::vector<TensorId> skipped_gradients, skipped_sources, skipped_wrong;
  bool recovered = false;  // one of them was followed by a call that updated
};

// Whether the program saw a value of the step that is not finite.
bool has_nonfinite(const Segments& segments);
// As the program itself saw its values while they were there; no origin where all that count are finite.
// `prologue`: what ran before the first step; null where there is none.
NonFiniteLook seen_origin(const StepView& view, const StepData& data, const std::vector<Segment>* prologue);

// What the steps of a run showed, one after the other.
class NonFiniteFindings {
 public:
  // Whether an origin is known that stands whatever comes: no further look is needed.
  bool decided() const { return origin_.has_value(); }
  // Whether it was a step that the program skipped that showed something so far.
  bool only_skipped() const { return skipped_origin_.has_value(); }
  void look(const StepView& view, const StepData& data, const std::vector<Segment>* prologue);
  // Drops what that step or a later one showed.
  void forget_from(std::uint64_t step);
  // Whether the program went on with finite gradients where it had skipped those that were not.
  bool recovered(const GradientTable& gradients) const;
  // Null where nothing is wrong.
  const NonFiniteOrigin* shown(const GradientTable& gradients) const;
  const std::unordered_set<TensorId>& skipped_gradients() const { return skipped_gradients_; }
  // What these are of, once the program recovered and nothing else is wrong; null before. The program's
  // values are recorded at its first, second, fourth ... question that is not finite: another gradient of
  // theirs was skipped as well, or an origin is found.
  const std::unordered_set<TensorId>* skipped_sources(const GradientTable& gradients) const;

 private:
  std::optional<NonFiniteOrigin> origin_;          // of the first step that had one
  std::optional<NonFiniteOrigin> skipped_origin_;  // likewise, of those that the program skipped for it
  std::unordered_set<TensorId> skipped_gradients_, skipped_sources_;
  std::unordered_set<TensorId> skipped_wrong_;  // of those sources: whose gradients were not finite then
  std::optional<std::uint64_t> skipped_step_;   // the first that was skipped
  bool recovered_ = false;                      // as the calls of one step show
};

// Puts what was found into the first alert of that kind of the step, at the head of the list; makes one where
// there is none. Alerts about what the value reached later go.
// Steps are called from `step_base` on (Snapshot::step_base).
void apply_origin(const NonFiniteOrigin& origin, std::vector<AlertRow>& alerts, std::uint64_t step_base);

// What to do about it, by the op's type and what it made.
std::string remedy_of(const NonFiniteOrigin& origin);

// The op whose kernel ran at that node: a tape node that ran one op backwards is that op; of several, the op
// whose gradient they are. kNoOp where the step has no such node.
std::uint32_t op_at(const NonFiniteOrigin& origin, const StepView& view);
// The op it names, in the view of its step, or of one that looks alike there; on the way back the first op
// of the backward step that differentiates it. kNoOp where the step has no such op.
std::uint32_t op_of(const NonFiniteOrigin& origin, const StepView& view);

}  // namespace tapescope
