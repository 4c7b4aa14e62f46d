// Advice from single ops: repeated ones, chains, sizes, what they keep.
#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "engine/explain/python_words.h"
#include "viewer/model/advice.h"
#include "viewer/model/report.h"
#include "viewer/model/units.h"

namespace tapescope::advice {
namespace {

template <std::size_t N>
bool among(const std::array<std::string_view, N>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

constexpr double kWorthMending = 1000;  // elements: a few scalars twice are not worth a person's time

struct Key {
  OpNameId op;
  std::uint32_t type;
  std::vector<std::uint64_t> inputs;
  bool operator<(const Key& other) const {
    return std::tie(op, type, inputs) < std::tie(other.op, other.type, other.inputs);
  }
};

// Numbers values: equal numbers are equal tensors. A variable's reads are equal until it is assigned.
class Numbering {
 public:
  explicit Numbering(const StepView& step) : step_(step), of_op_(step.ops.size(), kNoOp) {}

  // The op that computed the same before, or kNoOp.
  std::uint32_t add(std::uint32_t index) {
    const OpRow& op = step_.ops[index];
    const bool read = (op.flags & OpRecord::kHandle) != 0 && op.op == "ReadVariableOp";
    const bool product = op.op == "MatMul" && not_square(op);
    if (op.outputs != 1 || op.type == nullptr || !(read || product || op.elementwise)) return kNoOp;
    Key key{op.op_id, op.type->id, {}};
    for (std::uint32_t k = 0; k < op.inputs; ++k) {
      const std::uint32_t from = step_.producers[op.first_input + k];
      key.inputs.push_back(from != kNoOp && of_op_[from] != kNoOp ? std::uint64_t{of_op_[from]} << 32
                                                                  : step_.inputs[op.first_input + k]);
    }
    if (read) key.inputs.push_back(assigned_[step_.inputs[op.first_input]]);
    const auto [known, fresh] = first_.emplace(std::move(key), index);
    of_op_[index] = known->second;
    return fresh || read ? kNoOp : known->second;
  }
  void assigned(TensorId variable) { ++assigned_[variable]; }

 private:
  // Equal operands and an equal result leave no doubt about what was transposed.
  bool not_square(const OpRow& op) const {
    return op.type->shape.rank() == 2 && op.type->shape[0] != op.type->shape[1] && op.inputs == 2 &&
           step_.inputs[op.first_input] != step_.inputs[op.first_input + 1];
  }

  const StepView& step_;
  std::vector<std::uint32_t> of_op_;
  std::map<Key, std::uint32_t> first_;
  std::unordered_map<TensorId, std::uint64_t> assigned_;
};

// Ops that give back their operand.
bool changes_nothing(const StepView& step, const OpRow& op) {
  if (op.inputs == 0 || op.type == nullptr) return false;
  const std::uint32_t from = step.producers[op.first_input];
  if (from == kNoOp) return false;
  const OpRow& source = step.ops[from];
  if (source.type == op.type && (op.op == "Cast" || op.op == "Reshape" || op.op == "BroadcastTo"))
    return true;
  return source.op == op.op && (op.op == "Neg" || op.op == "Relu" || op.op == "Abs");
}

void repeated_work(const StepView& step, std::vector<AdviceRow>& to) {
  Numbering numbering(step);
  std::size_t assign = 0;
  std::uint32_t count = 0;
  double us = 0, elements = 0;
  const OpRow *first = nullptr, *original = nullptr;
  for (std::uint32_t i = 0; i < step.ops.size(); ++i) {
    for (; assign < step.assigns.size() && step.assigns[assign].after_op <= i; ++assign)
      numbering.assigned(step.assigns[assign].variable);
    const OpRow& op = step.ops[i];
    const std::uint32_t same = numbering.add(i);
    // What the backward pass repeats the program did not write.
    if (same == kNoOp || op.direction == Direction::backward ||
        step.ops[same].direction == Direction::backward)
      continue;
    if (first == nullptr || op.duration_us > first->duration_us) first = &op, original = &step.ops[same];
    ++count;
    us += op.duration_us;
    elements += static_cast<double>(op.type->numel);
  }
  if (first == nullptr || elements < kWorthMending) return;
  to.push_back(
      {.kind = "repeated_work",
       .subject = first->name,
       .evidence = fmt::format(
           "{} op{} a step compute{} what an earlier op of the step has computed, {}; {} repeats {}", count,
           noun_s(count), verb_s(count), format_us(us), first->name, original->name),
       .fix = fix_for(
           first->location,
           "keep the first result in a variable of the program, or let a function's optimizer find it",
           "compute it once and reuse the first result"),
       .location = std::string(first->location),
       .saving_us = us});
}

void redundant_ops(const StepView& step, std::vector<AdviceRow>& to) {
  std::uint32_t count = 0;
  double us = 0, elements = 0;
  const OpRow* first = nullptr;
  for (const OpRow& op : step.ops) {
    if (op.direction == Direction::backward || !changes_nothing(step, op)) continue;
    if (first == nullptr) first = &op;
    ++count;
    us += op.duration_us;
    elements += static_cast<double>(op.type->numel);
  }
  // A few that libraries leave in their helpers are nothing to mend.
  if (first == nullptr || (is_python(first->location) && elements < kWorthMending)) return;
  to.push_back({.kind = "redundant_ops",
                .subject = first->name,
                .evidence = fmt::format(
                    "{} op{} a step change{} nothing or undo{} the op before, {}; the first is {}", count,
                    noun_s(count), verb_s(count), count == 1 ? "es" : "", format_us(us), first->name),
                .fix = "leave them out",
                .location = std::string(first->location),
                .saving_us = us});
}

}  // namespace

double call_us(const StepView& step) {
  double shortest = 0;
  for (const OpRow& op : step.ops) {
    if (op.duration_us > 0 && (shortest == 0 || op.duration_us < shortest)) shortest = op.duration_us;
  }
  return shortest;
}

void repeated(const StepView& step, std::vector<AdviceRow>& to) {
  repeated_work(step, to);
  redundant_ops(step, to);
}

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
  constexpr double kMuch = 64 << 20;                // bytes; less is never short
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
