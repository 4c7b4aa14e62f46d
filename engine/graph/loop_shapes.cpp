// Comparing the shapes of loop variables with their invariants.
#include "engine/graph/loop_shapes.h"

#include <fmt/format.h>

#include "engine/graph/trace_type.h"

namespace tapescope {
namespace {

// Each is a copy of the body in the graph. No use needs as many; a condition that never fails would otherwise
// not end.
constexpr std::int64_t kMostRounds = 10'000;

TraceType shape_of(const TensorSpec& spec) {
  return TypeReader::of_spec({.dims = spec.dims, .name = {}, .ranked = spec.ranked});
}
TraceType shape_of(const Tensor& tensor) {
  const auto dims = tensor.shape().dims();
  return TypeReader::of_spec({.dims = {dims.begin(), dims.end()}, .name = {}});
}

std::size_t first_change(std::span<const Tensor> before, std::span<const Tensor> after) {
  std::size_t v = 0;
  while (v < before.size() && before[v].shape() == after[v].shape()) ++v;
  return v;
}

}  // namespace

LoopShapes::LoopShapes(const WhileLoopOptions& options, std::span<const Tensor> loop_vars,
                       const Location& location)
    : invariants_(options.shape_invariants), location_(location) {
  for (const Tensor& var : loop_vars) names_.push_back(var.impl()->name);
  if (invariants_.empty()) return;
  if (invariants_.size() != loop_vars.size()) {
    fail(ErrorKind::value, "while_loop",
         fmt::format(
             "got {} shape invariants for {} loop variables; give one for each tensor among them, in order",
             invariants_.size(), loop_vars.size()),
         &location);
  }
  for (std::size_t v = 0; v < loop_vars.size(); ++v) {
    const TraceType allowed = shape_of(invariants_[v]);
    if (allowed.accepts(shape_of(loop_vars[v]))) continue;
    fail(ErrorKind::value, "while_loop",
         fmt::format("{} enters the loop as {}, which its shape invariant {} does not allow; leave the "
                     "dimensions that differ open",
                     variable(v), loop_vars[v].type().text(), allowed.words()),
         &location);
  }
}

bool LoopShapes::keeps(std::span<const Tensor> before, std::span<const Tensor> after) const {
  bool kept = true;
  for (std::size_t v = 0; v < before.size(); ++v) {
    if (before[v].shape() == after[v].shape()) continue;
    kept = false;
    const bool free = !invariants_.empty();
    if (free && shape_of(invariants_[v]).accepts(shape_of(after[v]))) continue;
    fail(ErrorKind::value, "while_loop",
         fmt::format(
             "{} is {} before a round and {} after it, {}", variable(v), before[v].type().text(),
             after[v].type().text(),
             free ? fmt::format(
                        "which its shape invariant {} does not allow; leave the dimensions that differ open",
                        shape_of(invariants_[v]).words())
                  : "but the values of a graph have one shape each; give shape_invariants in which the "
                    "dimensions that differ are "
                    "open (TensorSpec::kAny), or pad or reshape it"),
         &location_);
  }
  return kept;
}

void LoopShapes::refuse_unknown_round(std::span<const Tensor> before, std::span<const Tensor> after) const {
  const std::size_t v = first_change(before, after);
  fail(ErrorKind::value, "while_loop",
       fmt::format("{} is {} before a round and {} after it, and only a call will know whether that round "
                   "runs; let the condition depend on "
                   "shapes, constants and counters made in the function, or pad it to one shape",
                   variable(v), before[v].type().text(), after[v].type().text()),
       &location_);
}

void LoopShapes::check_rounds(std::int64_t rounds) const {
  if (rounds < kMostRounds) return;
  fail(ErrorKind::value, "while_loop",
       fmt::format("{} rounds changed a shape and the condition still holds; each of them is traced on its "
                   "own, so give maximum_iterations "
                   "or pad the loop variables to one shape",
                   rounds),
       &location_);
}

std::string LoopShapes::variable(std::size_t v) const {
  return names_[v] == 0 ? fmt::format("loop variable {}", v + 1)
                        : fmt::format("loop variable {} ('{}')", v + 1, name_text(names_[v]));
}

}  // namespace tapescope
