// Advice from the shapes, dtypes and sizes of single ops: chains, small ops, what they keep.
#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "viewer/model/advice.h"
#include "viewer/model/report.h"
#include "viewer/model/units.h"

namespace tapescope::advice {

void shapes(const StepView& step, std::vector<AdviceRow>& to) {
  // The longest run of elementwise ops of one large shape, each used by the next alone.
  constexpr std::int64_t kLarge = 1 << 16;
  constexpr std::uint32_t kChain = 3, kMany = 50;
  constexpr double kTinyUs = 2;
  // Of what the passes over memory beside the longest take. `tapescope bench` (engine.graph_chain) measured
  // five equal ops 1.7 to 2.8 times as fast in one pass: that is 0.5 to 0.8 of their four. The lower one is
  // promised.
  constexpr double kFused = 0.5;
  std::vector<std::uint32_t> uses(step.ops.size(), 0), length(step.ops.size(), 0),
      before(step.ops.size(), kNoOp);
  for (const std::uint32_t from : step.producers) {
    if (from != kNoOp) ++uses[from];
  }
  std::uint32_t longest = kNoOp, tiny = 0, eager = 0;
  double tiny_us = 0, wide_flops = 0, flops = 0;
  const OpRow* wide = nullptr;
  std::string_view eager_at;
  for (std::uint32_t i = 0; i < step.ops.size(); ++i) {
    const OpRow& op = step.ops[i];
    flops += op.flops;
    // What runs in a function's graph is there already.
    if (!op.in_graph) {
      ++eager, eager_at = op.location;
      if (op.duration_us > 0 && op.duration_us < kTinyUs) ++tiny, tiny_us += op.duration_us;
    }
    if (op.type != nullptr && op.type->dtype == DType::f64) {
      wide_flops += op.flops;
      if (wide == nullptr || op.flops > wide->flops) wide = &op;
    }
    if (op.type == nullptr || op.type->numel < kLarge || !op.elementwise) continue;
    length[i] = 1;
    for (const std::uint32_t from : step.producers_of(op)) {
      if (from == kNoOp || uses[from] != 1 || step.ops[from].type != op.type || length[from] < length[i])
        continue;
      length[i] = length[from] + 1;
      before[i] = from;
    }
    if (longest == kNoOp || length[i] > length[longest]) longest = i;
  }
  if (longest != kNoOp && length[longest] >= kChain) {
    const OpRow& op = step.ops[longest];
    double us = 0, most = 0;
    for (std::uint32_t i = longest; i != kNoOp; i = before[i]) {
      us += step.ops[i].duration_us;
      most = std::max(most, step.ops[i].duration_us);
    }
    to.push_back(
        {.kind = "fusable_chain",
         .subject = op.name,
         .evidence = fmt::format(
             "{} elementwise ops in a row on {} each pass over memory once, {}; {} ends the chain",
             length[longest], op.output_type, format_us(us), op.name),
         .fix = fix_for(op.location, "put them in a function with compiled = true: one pass does them all",
                        "put them in a tf.function with jit_compile=True: one pass does them all"),
         .location = std::string(op.location),
         .saving_us = kFused * (us - most)});
  }
  if (tiny >= kMany && tiny * 2 > eager) {
    to.push_back(
        {.kind = "many_small_ops",
         .subject = fmt::format("{} ops", tiny),
         .evidence = fmt::format("{} of the step's {} ops outside of functions take under {} each, {} in "
                                 "all: calling them costs more "
                                 "than what they compute",
                                 tiny, eager, format_us(kTinyUs), format_us(tiny_us)),
         .fix = fix_for(eager_at, "put the step in a function, which runs them without the calls between",
                        "put the step in a tf.function, which runs them without the calls between"),
         // A function's node costs some nanoseconds beside its kernel (engine.graph_node): the calls go.
         .saving_us = call_us(step) * tiny});
  }
  if (wide != nullptr && wide_flops > flops / 2 && wide_flops > 1e6) {
    to.push_back({.kind = "precision",
                  .subject = wide->name,
                  .evidence = fmt::format("{:.0f} % of the step's arithmetic is in float64, {} most of it",
                                          100 * wide_flops / flops, wide->name),
                  .fix = "float32 takes half the time and memory where fifteen digits are not needed",
                  .location = std::string(wide->location)});
  }
}

void memory(const StepView& step, std::vector<AdviceRow>& to) {
  constexpr double kMuch = 16 << 20;                // bytes; less is never short
  std::unordered_map<std::uint32_t, double> cheap;  // by the op that made what is kept
  double all = 0, again = 0, us = 0;
  const OpRow* largest = nullptr;
  double most = 0;
  for (const BufferLife& life : step.buffers) {
    if (life.saved_by == kNoOp || life.outside) continue;
    all += static_cast<double>(life.bytes);
    const OpRow& op = step.ops[life.from];
    if (!op.elementwise) continue;
    again += static_cast<double>(life.bytes);
    us += op.duration_us;
    if (static_cast<double>(life.bytes) > most) most = static_cast<double>(life.bytes), largest = &op;
  }
  if (largest == nullptr || again < kMuch || again < all / 2) return;
  to.push_back(
      {.kind = "checkpointing",
       .subject = largest->name,
       .evidence = fmt::format("{} of the {} kept for the backward pass are results of elementwise "
                               "ops, which take {} to compute again",
                               format_bytes(again), format_bytes(all), format_us(us)),
       .fix = fix_for(largest->location, "wrap the layers in recompute_grad: less memory for that time",
                      "wrap the layers in tf.recompute_grad: less memory for that time"),
       .location = std::string(largest->location)});
}

}  // namespace tapescope::advice
