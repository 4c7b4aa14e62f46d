// Why a gradient is all zeros: by the values that went back where they are known, else judged by the ops its
// way passes. Each kind of op makes zeros in its own manner.
#include "viewer/store/zero_reason.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <ranges>

#include <fmt/format.h>

#include "engine/explain/explain.h"
#include "engine/explain/python_words.h"
#include "engine/explain/zero_rules.h"

namespace tapescope {
namespace {

// Shapes, places and conditions are made of a tensor and do not follow it.
bool passes_gradients(const OpRow& row) {
  if (row.op == "OnesLike" || row.op == "ZerosLike") return false;
  return row.outputs != 1 || !row.type || is_trainable(row.type->dtype);
}

// Ops that lie between the source and the target, the last one first; of a gradient's gradient some of them
// went backward. A target that no op of the step made, a node of a traced graph, lies beyond all forward ops
// that the source leads to.
std::vector<std::uint32_t> ops_between(const StepView& view, TensorId target, TensorId source) {
  std::vector<bool> from_source(view.ops.size(), false), to_target(view.ops.size(), false);
  const std::uint32_t end = view.op_of_tensor(target);
  for (std::uint32_t i = 0; i < view.ops.size(); ++i) {
    const OpRow& row = view.ops[i];
    if (row.direction == Direction::backward && (end == kNoOp || i > end || !passes_gradients(row))) continue;
    from_source[i] = source >= row.output && source < row.output + row.outputs;
    for (std::uint32_t k = 0; k < row.inputs; ++k) {
      const std::uint32_t producer = view.producers[row.first_input + k];
      if (view.inputs[row.first_input + k] == source ||
          (producer != kNoOp && producer < i && from_source[producer])) {
        from_source[i] = true;
      }
    }
  }
  if (end == kNoOp) to_target.assign(view.ops.size(), true);
  else to_target[end] = true;
  std::vector<std::uint32_t> found;
  for (auto i = end == kNoOp ? static_cast<std::uint32_t>(view.ops.size()) : end + 1; i-- > 0;) {
    if (!to_target[i] || !from_source[i]) continue;
    found.push_back(i);
    for (std::uint32_t producer : view.producers_of(view.ops[i])) {
      if (producer != kNoOp && producer < i) to_target[producer] = true;
    }
  }
  return found;
}

// The op that an operand's zeros come from, past those that only move or convert elements and reads of
// variables; no op where it is a variable or a tensor that no op of the step made.
std::uint32_t maker_of_operand(const StepView& view, const OpRow& op, std::uint32_t k) {
  constexpr std::array<std::string_view, 12> kPasses{
      "Cast", "Identity",    "Reshape",      "ExpandDims", "Squeeze",  "Transpose",
      "Tile", "BroadcastTo", "StridedSlice", "GatherV2",   "ConcatV2", "ReadVariableOp"};
  std::uint32_t at = view.producers[op.first_input + k];
  for (int i = 0; i < 16 && at != kNoOp && std::ranges::find(kPasses, view.ops[at].op) != kPasses.end(); ++i)
    at = view.ops[at].inputs > 0 ? view.producers[view.ops[at].first_input] : kNoOp;
  return at;
}

// A product with the zeros and ones of a mask, such as booleans made numbers; what where() chose is no mask.
bool is_masked(const StepView& view, const OpRow& op) {
  if (op.op != "Mul") return false;
  for (std::uint32_t k = 0; k < op.inputs; ++k) {
    const std::uint32_t maker = maker_of_operand(view, op, k);
    if (maker == kNoOp || view.ops[maker].op.starts_with("Select")) continue;
    const Type* type = view.ops[maker].type;
    if (makes_mask(view.ops[maker].op) || (type && type->dtype == DType::boolean)) return true;
  }
  return false;
}

// A place on the way: where something arrived and nothing went on, or where what arrived adds up to nothing:
// there the op in which its ways meet, if they do.
struct Place {
  std::uint32_t op = kNoOp;
  bool adds_up = false;
};

// The walk of one gradient call over the ops between its target and a source.
class Walk {
 public:
  Walk(const StepView& view, const BackwardNodes& nodes, const GradientRow& row)
      : view_(view), row_(row), between_(ops_between(view, row.target_id, row.source_id)) {
    on_way_.assign(view.ops.size(), false);
    values_.assign(view.ops.size(), nullptr);
    reached_.assign(view.ops.size(), false);
    for (const std::uint32_t op : between_) on_way_[op] = true;
    for (const BackwardStep& step : view.backward_steps) {
      if (step.call != row.call || step.forward_op == kNoOp) continue;
      if (const auto found = nodes.find(step.node); found != nodes.end())
        values_[step.forward_op] = &found->second;
    }
    for (const std::uint32_t op : std::views::reverse(between_))
      reached_[op] = passed_by(op) || (values_[op] && values_[op]->arrives && !values_[op]->ends);
  }

  // The first place on the way back; no op when the values show none, or it is the source itself.
  Place first_zero() const {
    Place partly;
    for (const std::uint32_t op : between_) {
      const BackwardValues* values = values_[op];
      if (!values || passed_by(op)) continue;
      if (!values->arrives) {
        if (something_sent_to(op)) {
          const std::uint32_t meeting = meeting_of(op);
          return {meeting != kNoOp ? meeting : op, true};
        }
        continue;
      }
      bool all = true, any = false;
      for (std::uint32_t k = 0; k < view_.ops[op].inputs; ++k) {
        if (!leads_to_source(op, k)) continue;
        const bool leaves = k < values->leaves.size() && values->leaves[k];
        all &= !leaves;
        any |= !leaves;
      }
      if (all) return {op};
      if (any && partly.op == kNoOp) partly.op = op;
    }
    if (partly.op == kNoOp) return {where_ways_part(), true};
    return partly;
  }
  const BackwardValues* values(std::uint32_t op) const { return values_[op]; }
  // Whether the source leads to that input of the op.
  bool leads_to(std::uint32_t op, std::uint32_t input) const { return leads_to_source(op, input); }
  bool leads_here(std::uint32_t op) const { return on_way_[op]; }
  // What an earlier call answered with zeros and the op takes; null where it takes none such.
  const GradientRow* zero_answer_in(std::uint32_t op, const std::vector<GradientRow>& rows) const {
    for (const TensorId operand : view_.inputs_of(view_.ops[op])) {
      const auto found = std::ranges::find_if(rows, [&](const GradientRow& row) {
        return row.tensor == operand && row.call < row_.call && row.status == GradientStatus::zero &&
               view_.holds(row.step);
      });
      if (found != rows.end()) return &*found;
    }
    return nullptr;
  }
  // The op on the way that takes such an answer; no op where none does.
  std::uint32_t takes_zero_answer(const std::vector<GradientRow>& rows) const {
    const auto found =
        std::ranges::find_if(between_, [&](std::uint32_t op) { return zero_answer_in(op, rows) != nullptr; });
    return found == between_.end() ? kNoOp : *found;
  }
  // That op, or where it only moves elements the first one towards the target that makes some of them zero.
  // No op where there is none.
  std::uint32_t maker_of(std::uint32_t op) const {
    if (op == kNoOp || zero_rule_of(view_.ops[op].op)) return op;
    // One that no way to the target passes by comes before those that others pass by.
    for (std::uint32_t at = consumer_of(op); at != kNoOp; at = consumer_of(at)) {
      if (makes_some_zero(at) && alone_leads(op, at)) return at;
    }
    do op = consumer_of(op);
    while (op != kNoOp && !makes_some_zero(op));
    return op;
  }
  // Whether all that is made of these shares is the sum of each row, or of all: it does not depend on them.
  bool sums_its_shares(std::uint32_t op) const {
    const Type* shares = view_.ops[op].type;
    if (view_.ops[op].op != "Softmax" || !shares || shares->shape.rank() == 0) return false;
    bool any = false;
    for (const std::uint32_t user : between_) {
      if (user <= op) break;
      if (std::ranges::find(view_.producers_of(view_.ops[user]), op) ==
          view_.producers_of(view_.ops[user]).end())
        continue;
      const Type* sum = view_.ops[user].type;
      const bool adds = view_.ops[user].op == "Sum" || view_.ops[user].op == "Mean";
      if (!adds || !sum ||
          (sum->numel != 1 && sum->numel * shares->shape[shares->shape.rank() - 1] != shares->numel))
        return false;
      any = true;
    }
    return any;
  }
  // log(1 + exp(x)) and 1 / (1 + exp(-x)) written out are flat there, as the functions are.
  bool in_softplus(std::uint32_t exp) const {
    const std::uint32_t user = consumer_of(exp);
    if (user == kNoOp) return false;
    const OpRow& row = view_.ops[user];
    const auto is_number = [&](std::uint32_t made_by) {
      return made_by == kNoOp || view_.ops[made_by].inputs == 0;
    };
    return row.op == "Log1p" ||
           (row.op == "AddV2" && std::ranges::any_of(view_.producers_of(row), is_number));
  }
  // From the target down to `op`.
  std::vector<PathItem> path_to(std::uint32_t op) const {
    std::vector<PathItem> path;
    for (std::uint32_t at = op; at != kNoOp; at = consumer_of(at)) path.insert(path.begin(), item(at));
    return path;
  }
  PathItem item(std::uint32_t op) const {
    const OpRow& row = view_.ops[op];
    PathItem item;
    item.op = row.op;
    item.name = row.name;
    item.location = row.location;
    item.output = row.output;
    return item;
  }

 private:
  // Each way carried something up to the source: the op nearest the target from which several lead there. No
  // op where the values of one are not known.
  std::uint32_t where_ways_part() const {
    std::uint32_t part = kNoOp;
    for (const std::uint32_t op : between_) {
      if (!values_[op]) return kNoOp;
      std::uint32_t ways = 0;
      for (std::uint32_t k = 0; k < view_.ops[op].inputs; ++k)
        ways += leads_to_source(op, k) && k < values_[op]->leaves.size() && values_[op]->leaves[k];
      if (ways > 1 && part == kNoOp) part = op;
    }
    return part;
  }
  // Whether something arrived nearer the source, by another way.
  bool passed_by(std::uint32_t op) const {
    return std::ranges::any_of(view_.producers_of(view_.ops[op]),
                               [&](std::uint32_t made_by) { return made_by < op && reached_[made_by]; });
  }
  bool leads_to_source(std::uint32_t op, std::uint32_t input) const {
    const std::uint32_t at = view_.ops[op].first_input + input, made_by = view_.producers[at];
    return view_.inputs[at] == row_.source_id || (made_by != kNoOp && made_by < op && on_way_[made_by]);
  }
  // Consumers run later, hence stand before what they consume.
  bool something_sent_to(std::uint32_t op) const {
    for (const std::uint32_t user : between_) {
      if (user <= op) break;
      const auto made_by = view_.producers_of(view_.ops[user]);
      for (std::uint32_t k = 0; k < made_by.size(); ++k) {
        if (made_by[k] == op && values_[user] && k < values_[user]->leaves.size() && values_[user]->leaves[k])
          return true;
      }
    }
    return false;
  }
  // The first op that takes what `op` made in two ways, each of which sends something back; no op where they
  // never meet.
  std::uint32_t meeting_of(std::uint32_t op) const {
    std::vector<std::uint64_t> ways(view_.ops.size(), 0);  // a bit for each user
    std::uint32_t users = 0;
    for (const std::uint32_t later : std::views::reverse(between_)) {
      if (later <= op || !values_[later]) continue;
      const auto made_by = view_.producers_of(view_.ops[later]);
      std::uint64_t mask = 0;
      std::uint32_t taken = 0;
      const std::size_t known = std::min<std::size_t>(made_by.size(), values_[later]->leaves.size());
      for (std::size_t k = 0; k < known; ++k) {
        if (made_by[k] == kNoOp || !values_[later]->leaves[k]) continue;
        taken += made_by[k] == op;
        mask |= ways[made_by[k]];
      }
      if (taken > 0) mask |= std::uint64_t{1} << std::min(users++, 63u);
      if (taken > 1 || std::popcount(mask) > 1) return later;
      ways[later] = mask;
    }
    return kNoOp;
  }
  // Whether every way from the one op to the target leads through the other.
  bool alone_leads(std::uint32_t from, std::uint32_t through) const {
    std::vector<bool> reached(view_.ops.size(), false);
    reached[from] = true;
    for (const std::uint32_t op : std::views::reverse(between_)) {
      if (op <= from || op == through) continue;
      reached[op] = std::ranges::any_of(view_.producers_of(view_.ops[op]), [&](std::uint32_t made_by) {
        return made_by != kNoOp && reached[made_by];
      });
    }
    return !reached[between_.front()];
  }
  bool makes_some_zero(std::uint32_t op) const {
    return values_[op] && (zeroes_some(view_.ops[op].op) || is_masked(view_, view_.ops[op]));
  }
  std::uint32_t consumer_of(std::uint32_t op) const {
    for (std::size_t i = between_.size(); i-- > 0;) {
      const auto made_by = view_.producers_of(view_.ops[between_[i]]);
      if (between_[i] > op && std::find(made_by.begin(), made_by.end(), op) != made_by.end())
        return between_[i];
    }
    return kNoOp;
  }

  const StepView& view_;
  const GradientRow& row_;
  std::vector<std::uint32_t> between_;  // the last first
  std::vector<bool> on_way_, reached_;
  std::vector<const BackwardValues*> values_;  // by op
};

// A product with zeros: of what float16 could not hold, or of weights.
std::string_view reason_of_operand(const StepView& view, const OpRow& op, unsigned zeros,
                                   std::string_view otherwise) {
  for (std::uint32_t k = 0; k < std::min<std::uint32_t>(op.inputs, 16); ++k) {
    if ((zeros >> k & 1) == 0) continue;
    const std::uint32_t maker = maker_of_operand(view, op, k);
    if (maker == kNoOp) continue;
    const ZeroRule* rule = zero_rule_of(view.ops[maker].op);
    if (op.dtype == "float16" && (!rule || rule->product)) return kUnderflow.reason;
  }
  return otherwise;
}

// The op that made what a product multiplied by, or the input of a square, all 0: a Relu without a positive
// input, or on the way to the source one that took a bound or another branch everywhere. No op where zeros
// went into a Relu already, of weights that start at 0.
std::uint32_t maker_of_zeros(const StepView& view, const Walk& walk, std::uint32_t product) {
  const OpRow& op = view.ops[product];
  const unsigned zeros = walk.values(product)->zero_operands;
  for (std::uint32_t k = 0; k < std::min<std::uint32_t>(op.inputs, 16); ++k) {
    const std::uint32_t maker = (zeros >> k & 1) != 0 ? maker_of_operand(view, op, k) : kNoOp;
    if (maker == kNoOp || zero_rule_of(view.ops[maker].op) == nullptr || is_slope(view.ops[maker].op))
      continue;
    const std::string_view name = view.ops[maker].op;
    const bool cut =
        name.starts_with("Select") || name == "Maximum" || name == "Minimum" || name == "ClipByValue";
    if (cut && walk.leads_here(maker)) return maker;
    // Zeros that these make are flat ends: nothing else of theirs is 0.
    if (name == "Exp" || name == "Sigmoid") return maker;
    if (!name.starts_with("Relu")) continue;
    // What it was given came from a product, past a bias.
    const auto producer = [&](std::uint32_t at) {
      return view.ops[at].inputs > 0 ? view.producers[view.ops[at].first_input] : kNoOp;
    };
    std::uint32_t before = producer(maker);
    if (before != kNoOp && (view.ops[before].op == "BiasAdd" || view.ops[before].op == "AddV2"))
      before = producer(before);
    const BackwardValues* values = before == kNoOp ? nullptr : walk.values(before);
    if (!values || values->zero_operands == 0) return maker;
  }
  return kNoOp;
}

// A product of tensors that are not zero is zero where it is too small, or where its terms cancel.
std::string_view reason_at(const StepView& view, const OpRow& op, const BackwardValues& values,
                           bool adds_up) {
  const ZeroRule* rule = zero_rule_of(op.op);
  if (adds_up || !rule) return kCancels.reason;
  if (is_masked(view, op)) return kMasked.reason;
  if (rule->reason == kZeroWeights.reason && values.zero_operands != 0)
    return reason_of_operand(view, op, values.zero_operands, rule->reason);
  // The slope of a power is 0 where its input is 0 alone.
  if ((op.op == "Square" || op.op == "Pow") && op.dtype == "float16" && values.zero_operands == 0)
    return kUnderflow.reason;
  if (!rule->product || values.zero_operands != 0) return rule->reason;
  const bool too_small = op.elementwise || op.dtype == "float16" || op.dtype == "bfloat16";
  return too_small ? kUnderflow.reason : kCancels.reason;
}

// Bounds are what the program wrote; two computed operands compete.
bool competes(const StepView& view, const OpRow& op) {
  if ((op.op != "Maximum" && op.op != "Minimum") || op.inputs != 2) return false;
  const auto written = [&](std::uint32_t k) {
    const std::uint32_t from = view.producers[op.first_input + k];
    return from == kNoOp || view.ops[from].op == "ReadVariableOp" || view.ops[from].inputs == 0;
  };
  return !written(0) && !written(1);
}

const ZeroRule& rule_for(const OpRow& op, std::string_view reason) {
  if (has_single_shares(op.op, op.type)) return kOneShare;
  if (op.op == "Softmax" && reason == kEqualShares.reason) return kEqualShares;
  const ZeroRule* rule = zero_rule_of(op.op);
  if (rule && rule->reason == reason) return *rule;
  if (op.op == "Exp" && reason == kVanished.reason) return kVanished;
  if (reason == kMaxLoser.reason) return kMaxLoser;
  if (reason == kMasked.reason) return kMasked;
  if (reason == kDeadUnits.reason) return kDeadUnits;
  return reason == kUnderflow.reason ? kUnderflow : kCancels;
}

}  // namespace

BackwardNodes seen_nodes(const StepView& view) {
  BackwardNodes nodes;
  // Where hooks look at each step's values, none that is worth a remark is known as well.
  const bool looked = std::ranges::any_of(
      view.calls, [](const GradientCall& call) { return !call.traced && is_python(call.location); });
  if (view.seen.empty() && !looked) return nodes;
  // Steps that were not worth a remark: something arrived, and something left to each input.
  for (const BackwardStep& step : view.backward_steps) {
    if (step.node < 0 || step.forward_op == kNoOp) continue;
    nodes[step.node] = {.arrives = true, .leaves = std::vector<bool>(view.ops[step.forward_op].inputs, true)};
  }
  for (const SeenValues& seen : view.seen) {
    if (seen.forward || seen.index == kNoOp) continue;
    const auto known = nodes.find(view.backward_steps[seen.index].node);
    if (known == nodes.end()) continue;
    BackwardValues& values = known->second;
    const unsigned nothing = seen.results.none | seen.results.zero;
    for (std::size_t i = 0; i < std::min<std::size_t>(values.leaves.size(), 16); ++i) {
      values.leaves[i] = (nothing >> i & 1) == 0;
    }
    const unsigned inputs = (1u << std::min<std::size_t>(values.leaves.size(), 16)) - 1;
    values.ends = (seen.results.none & inputs) == inputs;
    const unsigned arrived = seen.cotangents.none | seen.cotangents.zero;
    const unsigned outputs = view.ops[view.backward_steps[seen.index].forward_op].outputs;
    values.arrives = arrived != (outputs >= 16 ? 0xffffu : (1u << outputs) - 1);
    values.zero_operands = seen.zero_operands;
  }
  return nodes;
}

namespace {

class Prover {
 public:
  Prover(const StepView& view, const BackwardNodes& nodes, const std::vector<GradientRow>& rows)
      : view_(view), nodes_(nodes), rows_(rows) {}

  std::optional<ZeroProof> prove(const GradientRow& row) const {
    const Walk walk(view_, nodes_, row);
    Place place = walk.first_zero();
    if (const std::uint32_t maker = place.adds_up ? kNoOp : walk.maker_of(place.op);
        maker != kNoOp || (place.op != kNoOp && !place.adds_up && is_call(view_.ops[place.op])))
      place.op = maker;  // nothing is known of what a call did inside
    if (place.op == kNoOp) return std::nullopt;
    const auto proof = [&](std::uint32_t op, std::string_view reason) {
      return ZeroProof{row.call, row.source_id, op, std::string(reason)};
    };
    const OpRow& op = view_.ops[place.op];
    if (op.op == "Exp" && !place.adds_up && !walk.in_softplus(place.op))
      return proof(place.op, kVanished.reason);
    const std::string_view reason = reason_of(walk, place);
    if (reason != kZeroWeights.reason) return proof(place.op, reason);
    if (const GradientRow* const factor = walk.zero_answer_in(place.op, rows_)) {
      if (const std::optional<ZeroProof> why = prove(*factor)) return proof(why->op, why->reason);
    }
    const std::uint32_t maker = maker_of_zeros(view_, walk, place.op);
    if (maker == kNoOp) return proof(place.op, reason);
    const OpRow& made = view_.ops[maker];
    const bool vanished = made.op == "Exp" && !walk.in_softplus(maker);
    return proof(maker, vanished                ? kVanished.reason
                        : competes(view_, made) ? kMaxLoser.reason
                                                : zero_rule_of(made.op)->reason);
  }

 private:
  std::string_view reason_of(const Walk& walk, Place place) const {
    const OpRow& op = view_.ops[place.op];
    if (!place.adds_up && competes(view_, op)) return kMaxLoser.reason;
    if (!place.adds_up && is_slope(op.op) && walk.leads_to(place.op, 0)) return kDeadUnits.reason;
    if (walk.sums_its_shares(place.op)) return kEqualShares.reason;
    return reason_at(view_, op, *walk.values(place.op), place.adds_up);
  }

  const StepView& view_;
  const BackwardNodes& nodes_;
  const std::vector<GradientRow>& rows_;
};

}  // namespace

std::vector<ZeroProof> prove_zeros(const StepView& view, const BackwardNodes& nodes,
                                   const std::vector<GradientRow>& rows) {
  const Prover prover(view, nodes, rows);
  std::vector<ZeroProof> proofs;
  for (const GradientRow& row : rows) {
    // Which branch ran is known without values.
    if (row.status != GradientStatus::zero || !view.holds(row.step) ||
        row.reason == name_of(Reason::branch_not_taken))
      continue;
    if (std::optional<ZeroProof> proof = prover.prove(row)) proofs.push_back(std::move(*proof));
  }
  return proofs;
}

void apply_proof(const StepView& view, const ZeroProof& proof, std::vector<GradientRow>& rows) {
  if (proof.op >= view.ops.size()) return;
  const OpRow& op = view.ops[proof.op];
  const ZeroRule& rule = rule_for(op, proof.reason);
  for (GradientRow& row : rows) {
    if (row.status != GradientStatus::zero || !view.holds(row.step) || row.call != proof.call ||
        row.source_id != proof.source)
      continue;
    const Walk walk(view, {}, row);
    row.reason = rule.reason;
    row.path = walk.path_to(proof.op);
    std::string cause = fmt::format("{} at {} {}", op.name, op.location, rule.what);
    // Of another gradient, which is zero for that reason.
    const std::uint32_t product =
        row.path.size() > 1 || walk.leads_here(proof.op) ? kNoOp : walk.takes_zero_answer(rows);
    if (product != kNoOp) {
      const OpRow& taker = view.ops[product];
      cause = fmt::format("{} at {} multiplies by a gradient that is zero itself, as {}", taker.name,
                          taker.location, cause);
      row.path = walk.path_to(product);
      row.path.push_back(walk.item(proof.op));
    }
    row.message = fmt::format("the gradient of {} is zero: {}", row.source, cause);
    row.location = op.location;
    row.fix = rule.fix;
    row.edge = walk.item(proof.op);
  }
}

ZeroReason zero_reason(const StepView& view, TensorId target, TensorId source, std::string_view source_name) {
  const OpRow* by = nullptr;
  const ZeroRule* rule = nullptr;
  const std::vector<std::uint32_t> between = ops_between(view, target, source);
  const auto leads = [&](const OpRow& op, std::uint32_t k) {
    const std::uint32_t at = op.first_input + k;
    return view.inputs[at] == source || std::ranges::find(between, view.producers[at]) != between.end();
  };
  for (const std::uint32_t op : between) {
    const OpRow& row = view.ops[op];
    const ZeroRule* found = zero_rule_of(row.op);
    // A difference cancels what both sides have of the source.
    if (row.op == "Sub" && row.inputs == 2 && !(leads(row, 0) && leads(row, 1))) continue;
    if (found && (!rule || zero_rank(found->op) < zero_rank(rule->op))) {
      rule = found;
      by = &view.ops[op];
    }
  }
  if (rule) {
    return {std::string(rule->reason),
            fmt::format("the gradient of {} is zero, probably because {} at {} {}", source_name, by->name,
                        by->location, rule->what),
            std::string(by->location), std::string(rule->fix)};
  }
  return {std::string(kCancels.reason),
          fmt::format("the gradient of {} is zero, probably because its contributions add up to nothing",
                      source_name),
          "", std::string(kCancels.fix)};
}

}  // namespace tapescope
