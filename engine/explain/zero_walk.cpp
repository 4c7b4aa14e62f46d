// Which op on the way back made a gradient zero, by the values that each backward step took and returned.
#include <algorithm>
#include <bit>
#include <ranges>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "engine/core/dtype.h"
#include "engine/core/type.h"
#include "engine/explain/explain_zero.h"
#include "engine/explain/history.h"
#include "engine/explain/words.h"
#include "engine/explain/zero_rules.h"

namespace tapescope {
namespace {

using Values = TensorValuesRecord;

std::string_view name_of(const HistoryOp& op) { return op_name_text(op.op); }

bool is_half_float(const HistoryOp& op) {
  const Type* type = type_with_id(op.type);
  return type && (type->dtype == DType::f16 || type->dtype == DType::bf16);
}

// What a tensor that is 0 where a gradient arrived comes from.
struct ZeroOperand {
  const ZeroRule* rule = nullptr;
  const HistoryOp* maker = nullptr;  // where units died; null where the product itself is the place
  TensorId leaf = 0;                 // the variable or tensor that holds them, where it was found
};

class ZeroWalk {
 public:
  ZeroWalk(const History& history, std::uint64_t call, TensorId target, TensorId source)
      : history_(history), call_(call), source_(source) {
    collect(target);
  }

  // Inside the traces whose calls the gradient call walked and that were looked into for it.
  static ZeroWalk in_traces(const History& history, std::uint64_t call, TensorId source) {
    ZeroWalk walk(history, call, source);
    walk.collect_stand_ins();
    walk.collect_traced();
    return walk;
  }

  Explanation run() {
    const HistoryOp* whole = nullptr;
    for (const std::uint32_t index : between_) {
      const HistoryOp& op = history_.ops()[index];
      // The ops in its bodies stand before it.
      if ((op.flags & OpRecord::kTraced) && holds_bodies(name_of(op)) && index != between_.back()) {
        if (!whole && arrives(op, *history_.step_result(call_, op.output))) whole = &op;
        continue;
      }
      const StepResultRecord& step = *history_.step_result(call_, op.output);
      if (passed_by(op)) continue;
      if (!arrives(op, step)) {
        if (something_sent_to(index)) {
          const HistoryOp* meeting = meeting_of(index);
          return meeting ? answer(*meeting, kCancelsThere) : answer(op, kCancels);
        }
        continue;
      }
      if (nothing_left(op)) return at_op(op);
    }
    return whole && nothing_left(*whole) ? at_op(*whole) : of_source();
  }

 private:
  ZeroWalk(const History& history, std::uint64_t call, TensorId source)
      : history_(history), call_(call), source_(source) {}

  // Ops of a trace that lead from what stands for the source there, the last one first.
  void collect_traced() {
    const auto& ops = history_.ops();
    for (std::uint32_t i = 0; i < ops.size(); ++i) {
      const HistoryOp& op = ops[i];
      if (!(op.flags & OpRecord::kTraced) || !history_.step_result(call_, op.output)) continue;
      const auto inputs = history_.inputs(op);
      on_way_[i] = std::ranges::any_of(inputs, [&](TensorId input) {
        return stands_for_source(input) || from_source(history_.producer_index(input), i);
      });
      if (!on_way_[i]) on_way_.erase(i);
      else between_.push_back(i);
    }
    std::ranges::reverse(between_);
    note_reached();
  }
  // The source, or a parameter that a call gave something to that the source leads to.
  bool stands_for_source(TensorId tensor) const {
    if (tensor == source_) return true;
    const TracedParameter* parameter = history_.parameter(tensor);
    return parameter && parameter->trace != 0 && stand_ins_.contains({parameter->trace, parameter->place});
  }
  // Of calls: which parameters of their traces they gave something to that the source leads to.
  void collect_stand_ins() {
    const auto& ops = history_.ops();
    std::vector<bool> derived(ops.size(), false);
    for (std::uint32_t i = 0; i < ops.size(); ++i) {
      const auto inputs = history_.inputs(ops[i]);
      for (std::uint32_t k = 0; k < inputs.size(); ++k) {
        const std::uint32_t made_by = history_.producer_index(inputs[k]);
        if (inputs[k] != source_ && !(made_by < i && derived[made_by])) continue;
        derived[i] = true;
        if (ops[i].trace != 0 && !(ops[i].flags & OpRecord::kTraced)) stand_ins_.insert({ops[i].trace, k});
      }
    }
  }

  // Ops that the call walked and that lie between source and target, the last one first.
  void collect(TensorId target) {
    const auto& ops = history_.ops();
    std::vector<bool> to_target(ops.size(), false);
    for (std::uint32_t i = 0; i < ops.size(); ++i) {
      const HistoryOp& op = ops[i];
      if (op.output == 0 || !history_.step_result(call_, op.output)) continue;
      for (const TensorId input : history_.inputs(op)) {
        if (input == source_ || from_source(history_.producer_index(input), i)) {
          on_way_[i] = true;
          break;
        }
      }
    }
    const std::uint32_t end = history_.producer_index(target);
    if (end == kNoIndex) return;
    to_target[end] = true;
    for (std::uint32_t i = end + 1; i-- > 0;) {
      if (!to_target[i] || !from_source(i, kNoIndex)) continue;
      between_.push_back(i);
      for (const TensorId input : history_.inputs(ops[i])) {
        const std::uint32_t made_by = history_.producer_index(input);
        if (made_by != kNoIndex && made_by < i) to_target[made_by] = true;
      }
    }
    note_reached();
  }
  void note_reached() {
    for (const std::uint32_t index : std::views::reverse(between_)) {
      const HistoryOp& op = history_.ops()[index];
      const StepResultRecord& step = *history_.step_result(call_, op.output);
      if (passed_by(op) || (arrives(op, step) && !ends(op, step))) reached_.insert(index);
    }
  }
  // Whether something arrived nearer the source, by another way: what the op lets through is not the reason.
  bool passed_by(const HistoryOp& op) const {
    const auto inputs = history_.inputs(op);
    return std::ranges::any_of(inputs, [&](TensorId input) {
      return input != source_ && reached_.contains(history_.producer_index(input));
    });
  }

  bool from_source(std::uint32_t index, std::uint32_t before) const {
    return index != kNoIndex && index < before && on_way_.contains(index);
  }
  bool leads_to_source(const HistoryOp& op, std::uint32_t k) const {
    const TensorId input = history_.inputs(op)[k];
    const bool is_source = op.flags & OpRecord::kTraced ? stands_for_source(input) : input == source_;
    return is_source || from_source(history_.producer_index(input), kNoIndex);
  }
  // Whether nothing left towards the source, and something could have.
  bool nothing_left(const HistoryOp& op) const {
    const StepResultRecord& step = *history_.step_result(call_, op.output);
    bool leads = false, nothing = true;
    for (std::uint32_t k = 0; k < op.inputs; ++k) {
      if (!leads_to_source(op, k)) continue;
      leads = true;
      nothing &= is_nothing(step, k);
    }
    return leads && nothing;
  }
  static bool is_nothing(const StepResultRecord& step, std::uint32_t k) {
    return k >= 16 ? false : ((step.results.none | step.results.zero) >> k & 1) != 0;
  }
  static bool arrives(const HistoryOp& op, const StepResultRecord& step) {
    const unsigned count = std::min<unsigned>(op.outputs, 16), all = (1u << count) - 1;
    return ((step.cotangents.none | step.cotangents.zero) & all) != all;
  }
  // No gradient for any input, whatever arrives: ZerosLike.
  static bool ends(const HistoryOp& op, const StepResultRecord& step) {
    const unsigned all = (1u << std::min<unsigned>(op.inputs, 16)) - 1;
    return (step.results.none & all) == all;
  }
  // Users run later, hence stand before what they use.
  bool something_sent_to(std::uint32_t index) const {
    for (const std::uint32_t user : between_) {
      if (user <= index) break;
      const HistoryOp& op = history_.ops()[user];
      const StepResultRecord& step = *history_.step_result(call_, op.output);
      for (std::uint32_t k = 0; k < op.inputs; ++k) {
        if (history_.producer_index(history_.inputs(op)[k]) == index && !is_nothing(step, k)) return true;
      }
    }
    return false;
  }
  // The first op that takes what it made in two ways; null where they never meet.
  const HistoryOp* meeting_of(std::uint32_t index) const {
    std::unordered_map<std::uint32_t, std::uint64_t> ways;  // a bit for each user
    std::uint32_t users = 0;
    for (const std::uint32_t later : std::views::reverse(between_)) {
      if (later <= index) continue;
      std::uint64_t mask = 0;
      std::uint32_t taken = 0;
      for (const TensorId input : history_.inputs(history_.ops()[later])) {
        const std::uint32_t maker = history_.producer_index(input);
        taken += maker == index;
        if (const auto known = ways.find(maker); known != ways.end()) mask |= known->second;
      }
      if (taken > 0) mask |= std::uint64_t{1} << std::min(users++, 63u);
      if (taken > 1 || std::popcount(mask) > 1) return &history_.ops()[later];
      if (mask != 0) ways[later] = mask;
    }
    return nullptr;
  }
  // The op on the way that takes what it made; the one that stands last.
  const HistoryOp* user_of(const HistoryOp& made) const {
    for (std::size_t i = between_.size(); i-- > 0;) {
      const HistoryOp& op = history_.ops()[between_[i]];
      if (op.output <= made.output) continue;
      for (const TensorId input : history_.inputs(op)) {
        if (input >= made.output && input < made.output + made.outputs) return &op;
      }
    }
    return nullptr;
  }

  // Something arrived and nothing left towards the source.
  Explanation at_op(const HistoryOp& op) {
    if (history_.is_call(op) || zero_rule_of(name_of(op)) == nullptr) {
      if (const HistoryOp* inner = in_body(op)) return at_op(*inner);
    }
    if (history_.is_call(op) && !(op.flags & OpRecord::kTraced)) {
      const Explanation within = in_traces(history_, call_, source_).run();
      if (!within.zero_reason.empty()) return within;
    }
    if (history_.is_call(op)) {
      if (const HistoryOp* inner = inside(op)) return answer(*inner, *zero_rule_of(name_of(*inner)));
    }
    const ZeroRule* rule = zero_rule_of(name_of(op));
    if (!rule) {
      // It only moves elements: some op before it on the way back left those that matter without a gradient.
      // One that every way leads through, if there is one that could.
      for (const HistoryOp* user = user_of(op); user; user = user_of(*user)) {
        if (Explanation found = of_mask(op, *user); !found.zero_reason.empty()) return found;
      }
      for (const HistoryOp* user = user_of(op); user; user = user_of(*user)) {
        if (zeroes_some(name_of(*user))) return answer(*user, rule_for(*user, *zero_rule_of(name_of(*user))));
      }
      return answer(op, is_half_float(op) ? kUnderflowHalf : kCancels);
    }
    if (rule->reason == "zero_weights") return product(op, *rule);
    return answer(op, rule_for(op, *rule));
  }

  // Bounds are what the program wrote; two computed operands compete. Shares of inputs that are near each
  // other are not one-hot: what arrived is the same for all of them.
  const ZeroRule& rule_for(const HistoryOp& op, const ZeroRule& rule) const {
    const std::string_view name = name_of(op);
    if (has_single_shares(name, type_with_id(op.type))) return kOneShare;
    if (name == "Softmax") {
      const TensorValuesRecord* values = history_.values(history_.inputs(op)[0]);
      return values && values->max - values->min < (is_half_float(op) ? 8 : 16) ? kEqualShares : rule;
    }
    if (name == "Relu6") {
      const TensorValuesRecord* values = history_.values(history_.inputs(op)[0]);
      return values && values->min >= 6 ? kCutAbove : rule;
    }
    if (is_slope(name) && leads_to_source(op, 0)) return kDeadUnits;
    if (name == "Exp") return in_softplus(op) ? rule : kVanished;
    if (name != "Maximum" && name != "Minimum") return rule;
    for (std::uint32_t k = 0; k < op.inputs; ++k) {
      if (!leads_to_source(op, k)) return is_written(history_.inputs(op)[k]) ? rule : kMaxLoser;
    }
    return kMaxLoser;
  }
  // log(1 + exp(x)) and 1 / (1 + exp(-x)) written out are flat there, as the functions are.
  bool in_softplus(const HistoryOp& exp) const {
    const HistoryOp* user = user_of(exp);
    if (!user) return false;
    const auto is_number = [&](TensorId input) {
      const HistoryOp* made_by = history_.producer(input);
      return made_by == nullptr || made_by->inputs == 0;
    };
    return name_of(*user) == "Log1p" ||
           (name_of(*user) == "AddV2" && std::ranges::any_of(history_.inputs(*user), is_number));
  }
  bool is_written(TensorId tensor) const {
    const HistoryOp* op = history_.producer(tensor);
    for (int i = 0; op && i < 8; ++i) {
      if (op->inputs != 1 || (op->flags & OpRecord::kHandle)) return false;
      op = history_.producer(history_.inputs(*op)[0]);
    }
    return op == nullptr;
  }

  Explanation product(const HistoryOp& op, const ZeroRule& rule) {
    for (const bool whole : {true, false}) {
      for (const TensorId input : history_.inputs(op)) {
        const TensorValuesRecord* values = history_.values(input);
        if (!values || (whole ? !(values->flags & Values::kZero) : values->zeros == 0)) continue;
        if (Explanation found = of_gradient(op, input); !found.zero_reason.empty()) return found;
        const ZeroOperand operand = origin_of_zero(input);
        // A square's slope is 0 where its input is, whatever made that.
        if (op.inputs == 1 && operand.rule != &kDeadUnits) return answer(op, rule);
        const bool mask = operand.rule == &kZeroWeights && name_of(op) == "Mul" && operand.leaf != input &&
                          is_given(operand.leaf);
        const ZeroRule& found = mask ? kGivenZeros : operand.rule ? *operand.rule : rule;
        if (operand.maker) return answer(*operand.maker, found);
        return answer(op, found.reason == rule.reason ? rule : found);
      }
    }
    if (is_half_float(op)) return answer(op, kUnderflowHalf);
    const std::string_view name = name_of(op);
    // Products of two small numbers vanish; sums of products cancel.
    return answer(
        op, name == "Mul" || name == "RealDiv" || name == "Square" || name == "Pow" ? kUnderflow : kCancels);
  }

  // Of a factor that an earlier gradient call answered, why that is zero.
  Explanation of_gradient(const HistoryOp& product, TensorId factor) const {
    constexpr std::string_view kIsZero = " is zero: ";
    for (const Question& question : history_.questions()) {
      if (question.call >= call_) continue;
      for (const Question::Source& asked : question.sources) {
        if (asked.gradient != factor || question.targets.size() != 1) continue;
        Explanation found = ZeroWalk(history_, question.call, question.targets[0], asked.id).run();
        const std::size_t at = found.message.find(kIsZero);
        if (found.zero_reason.empty() || at == std::string::npos) return {};
        found.message =
            fmt::format("the gradient of {} is zero: {} multiplies by a gradient that is zero itself, as {}",
                        tensor_text(history_, source_), op_text(history_, product),
                        found.message.substr(at + kIsZero.size()));
        found.path = {found.edge};
        for (const HistoryOp* op = &product; op; op = user_of(*op))
          found.path.insert(found.path.begin(), item_of(history_, *op));
        return found;
      }
    }
    return {};
  }

  // Of a product with zeros in a mask, where all that the target takes of `from` goes through it.
  Explanation of_mask(const HistoryOp& from, const HistoryOp& product_of) {
    if (name_of(product_of) != "Mul" || product_of.inputs != 2 || !alone_leads(from, product_of)) return {};
    for (std::uint32_t k = 0; k < 2; ++k) {
      const TensorId input = history_.inputs(product_of)[k];
      const TensorValuesRecord* values = history_.values(input);
      if (leads_to_source(product_of, k) || !values || values->zeros == 0) continue;
      const ZeroRule* rule = origin_of_zero(input).rule;
      if (rule == &kMasked) return answer(product_of, kMasked);
      if (rule == &kZeroWeights && is_given(input)) return answer(product_of, kGivenZeros);
    }
    return {};
  }
  // Whether no way from the one op to the target passes the other by.
  bool alone_leads(const HistoryOp& from, const HistoryOp& through) const {
    const auto& ops = history_.ops();
    std::unordered_set<std::uint32_t> reached{static_cast<std::uint32_t>(&from - ops.data())};
    for (const std::uint32_t index : std::views::reverse(between_)) {
      if (&ops[index] == &through) continue;
      const auto inputs = history_.inputs(ops[index]);
      if (std::ranges::any_of(
              inputs, [&](TensorId input) { return reached.contains(history_.producer_index(input)); }))
        reached.insert(index);
    }
    return !reached.contains(between_.front());
  }

  // Up from a tensor with zeros to what made them.
  ZeroOperand origin_of_zero(TensorId tensor) const {
    for (int depth = 0; depth < 32; ++depth) {
      const HistoryOp* op = history_.producer(tensor);
      if (!op) return {&kZeroWeights, nullptr, tensor};  // a variable, or zeros that the program wrote
      const std::string_view name = name_of(*op);
      if (op->flags & OpRecord::kHandle) return {&kZeroWeights, nullptr};
      if (const TensorId chosen = zeros_chosen_from(*op); chosen != 0) {
        tensor = chosen;
        continue;
      }
      if (makes_mask(name)) return {&kMasked, nullptr};
      TensorId zero = 0;
      bool floating = false;
      for (const TensorId input : history_.inputs(*op)) {
        const Type* type = type_with_id(history_.type_of(input));
        floating |= type && is_floating(type->dtype);
        const TensorValuesRecord* values = history_.values(input);
        if (zero == 0 && values && values->zeros > 0) zero = input;
      }
      if (!floating && op->inputs > 0) return {&kMasked, nullptr};
      if (name == "Relu" || name == "Relu6") {
        const TensorValuesRecord* values = history_.values(history_.inputs(*op)[0]);
        if (!values || !(values->flags & Values::kZero)) return {&kDeadUnits, op};
      }
      if ((name == "Maximum" || name == "Minimum" || name == "ClipByValue") && lets_nothing_through(*op)) {
        const TensorValuesRecord* values = history_.values(history_.inputs(*op)[0]);
        if (values && !(values->flags & Values::kZero)) return {zero_rule_of(name), op};
      }
      if (zero == 0) {
        const ZeroRule* rule = zero_rule_of(name);
        if (rule && rule->reason != "zero_weights") return {rule, op};
        return {nullptr, nullptr};
      }
      tensor = zero;
    }
    return {};
  }
  // Of a Select that chooses from computed zeros alone: those. 0 for any other op: the condition makes its
  // zeros.
  TensorId zeros_chosen_from(const HistoryOp& op) const {
    if (name_of(op) != "Select" && name_of(op) != "SelectV2") return 0;
    TensorId computed = 0;
    for (const TensorId input : history_.inputs(op).subspan(1)) {
      const TensorValuesRecord* values = history_.values(input);
      if (!values || !(values->flags & Values::kZero)) return 0;
      if (history_.producer(input)) computed = input;
    }
    return computed;
  }
  // Data that no gradient is asked for: what is picked of it and zero is not to be learned.
  bool is_given(TensorId leaf) const {
    if (leaf == 0 || !history_.create(leaf) || history_.variable(leaf)) return false;
    const Question* question = history_.question(call_);
    return !question || std::ranges::none_of(question->sources, [&](const auto& s) { return s.id == leaf; });
  }

  // Of a condition, loop or call in a trace: the op of a body, first on the way back, that something arrived
  // at and that nothing left.
  const HistoryOp* in_body(const HistoryOp& whole) const {
    if (!(whole.flags & OpRecord::kTraced) || !holds_bodies(name_of(whole))) return nullptr;
    const auto& ops = history_.ops();
    for (std::size_t i = static_cast<std::size_t>(&whole - ops.data()); i-- > 0;) {
      const HistoryOp& op = ops[i];
      if (!(op.flags & OpRecord::kTraced)) break;
      const StepResultRecord* step = history_.step_result(call_, op.output);
      if (!step || holds_bodies(name_of(op))) continue;
      const unsigned all = (1u << std::min<unsigned>(op.inputs, 16)) - 1;
      if (!zero_rule_of(name_of(op)) || !arrives(op, *step) || ends(op, *step)) continue;
      if (((step->results.none | step->results.zero) & all) == all) return &op;
    }
    return nullptr;
  }
  static bool holds_bodies(std::string_view op) {
    return op == "PartitionedCall" || op.ends_with("If") || op.ends_with("While") || op.ends_with("Case");
  }

  // The op of a function's graph whose values are such that it lets nothing through; else the likeliest kind.
  const HistoryOp* inside(const HistoryOp& call) const {
    const HistoryOp *confirmed = nullptr, *likely = nullptr;
    std::unordered_set<TensorId> from{source_};
    for (std::uint32_t k = 0; k < call.inputs; ++k) {
      if (leads_to_source(call, k)) from.insert(history_.inputs(call)[k]);
    }
    for (const HistoryOp& op : history_.ops_inside(call)) {
      const auto inputs = history_.inputs(op);
      if (std::none_of(inputs.begin(), inputs.end(), [&](TensorId input) { return from.contains(input); }))
        continue;
      for (std::uint32_t k = 0; k < op.outputs; ++k) from.insert(op.output + k);
      const int rank = zero_rank(name_of(op));
      if (rank < 0) {
        if (const HistoryOp* part = flat_part(op)) confirmed = part;
        continue;
      }
      if (lets_nothing_through(op)) confirmed = &op;  // the last one is the first on the way back
      if (!likely || rank < zero_rank(name_of(*likely))) likely = &op;
    }
    return confirmed ? confirmed : likely;
  }
  // Of an op that the optimizer made of several: the one among them, as it was traced, that is flat
  // everywhere.
  const HistoryOp* flat_part(const HistoryOp& op) const {
    if (!name_of(op).starts_with("_Fused")) return nullptr;
    for (const HistoryOp& traced : history_.ops()) {
      if (!(traced.flags & OpRecord::kTraced) || traced.site != op.site) continue;
      const ZeroRule* rule = zero_rule_of(name_of(traced));
      if (rule && rule->reason == "sign" && name_of(traced) != "Abs") return &traced;
    }
    return nullptr;
  }
  bool lets_nothing_through(const HistoryOp& op) const {
    const std::string_view name = name_of(op), reason = zero_rule_of(name)->reason;
    const TensorValuesRecord* made = history_.values(op.output);
    if (reason == "sign" && name != "Abs" && !is_slope(name)) return true;
    if (!made) return false;
    const bool ends = made->min == made->max;
    if (name == "Relu" || name == "Exp") return made->flags & Values::kZero;
    if (name == "Relu6" || name == "ClipByValue" || name == "Maximum" || name == "Minimum") return ends;
    if (name == "Sigmoid") return (made->min == 0 || made->min == 1) && (ends || made->max == 1);
    if (name == "Tanh") return (made->min == -1 || made->min == 1) && (ends || made->max == 1);
    return false;
  }

  // Each way to the source carried something, or none is known.
  Explanation of_source() {
    for (const std::uint32_t index : between_) {
      const HistoryOp& op = history_.ops()[index];
      const StepResultRecord& step = *history_.step_result(call_, op.output);
      unsigned ways = 0;
      for (std::uint32_t k = 0; k < op.inputs; ++k) ways += leads_to_source(op, k) && !is_nothing(step, k);
      if (ways > 1) return answer(op, kCancels);
    }
    return {};
  }

  Explanation answer(const HistoryOp& op, const ZeroRule& rule) const {
    Explanation found;
    found.zero_reason = rule.reason;
    found.edge = item_of(history_, op);
    found.location = found.edge.location;
    found.fix = rule.fix;
    found.message = fmt::format("the gradient of {} is zero: {} {}{}", tensor_text(history_, source_),
                                op_text(history_, op), rule.what, read_text(op));
    for (const HistoryOp* at = &op; at; at = user_of(*at))
      found.path.insert(found.path.begin(), item_of(history_, *at));
    return found;
  }
  std::string read_text(const HistoryOp& op) const {
    if (op.inputs == 0) return {};
    const TensorValuesRecord* values = history_.values(history_.inputs(op)[0]);
    if (!values || (values->flags & Values::kEmpty)) return {};
    if (values->flags & Values::kZero) return " (it read zeros)";
    return fmt::format(" (it read {:.4g} to {:.4g})", values->min, values->max);
  }

  const History& history_;
  const std::uint64_t call_;
  const TensorId source_;
  std::set<std::pair<std::uint64_t, std::uint32_t>> stand_ins_;  // traces and places of parameters
  std::unordered_map<std::uint32_t, bool> on_way_;               // ops that the source leads to
  std::vector<std::uint32_t> between_;
  std::unordered_set<std::uint32_t> reached_;  // of them, where something arrived there or nearer the source
};

}  // namespace

Explanation find_zero(const History& history, std::uint64_t call, TensorId target, TensorId source) {
  if (!history.knows_values()) return {};
  const Explanation found = ZeroWalk(history, call, target, source).run();
  return found.zero_reason.empty() ? ZeroWalk::in_traces(history, call, source).run() : found;
}

}  // namespace tapescope
