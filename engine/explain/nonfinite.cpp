// Back from what came out not finite, through what is not finite, to the ops that began it.
#include "engine/explain/nonfinite.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "engine/core/dtype.h"
#include "engine/core/type.h"
#include "engine/explain/history.h"
#include "engine/explain/skipped.h"
#include "engine/explain/words.h"

namespace tapescope {
namespace {

using Values = TensorValuesRecord;

bool is_nonfinite(const TensorValuesRecord* values) { return values && (values->flags & kNonFiniteValues); }
bool is_nan(const TensorValuesRecord* values) { return values && (values->flags & Values::kNan); }

std::string value_text(std::uint8_t flags) {
  if (flags & Values::kNan) return "nan";
  return flags & Values::kInfinity ? "inf" : "-inf";
}

std::string_view value_word(std::string_view value) { return value == "nan" ? "NaN" : "infinity"; }

class Search {
 public:
  Search(const History& history, const Question& question) : history_(history), question_(question) {}

  std::optional<NonFiniteExplanation> run() {
    for (const TensorId target : question_.targets) begin_at(target);
    for (const Question::Source& source : question_.sources) begin_at(source.gradient);
    while (!open_.empty()) {
      const TensorId tensor = open_.back();
      open_.pop_back();
      follow(tensor);
    }
    return earliest();
  }

 private:
  bool nonfinite(TensorId tensor) const { return is_nonfinite(history_.values(tensor)); }

  void begin_at(TensorId tensor) {
    if (tensor != 0 && nonfinite(tensor) && known_.insert(tensor).second) open_.push_back(tensor);
  }

  // Infinity that the program wrote, or what only passes it on.
  bool is_written(TensorId tensor, int depth = 0) {
    constexpr int kDeepest = 1000;  // longer chains of infinities no program writes
    if (depth > kDeepest) return false;
    if (is_nan(history_.values(tensor))) return false;
    if (const auto known = written_.find(tensor); known != written_.end()) return known->second;
    written_[tensor] = false;  // while it is looked at
    const HistoryOp* op = history_.producer(tensor);
    const TensorId argument = op ? 0 : argument_of(tensor);
    bool written = argument ? is_written(argument, depth + 1) : !op && !history_.variable_of_value(tensor);
    if (op) {
      bool any = false, all = true;
      for (const TensorId input : history_.inputs(*op)) {
        if (!nonfinite(input)) continue;
        any = true;
        all &= is_written(input, depth + 1);
      }
      written = any && all;
    }
    return written_[tensor] = written;
  }

  void follow(TensorId tensor) {
    const HistoryOp* op = history_.producer(tensor);
    if (!op) {
      if (const TensorId argument = argument_of(tensor)) begin_at(argument);
      else if (!is_written(tensor)) data_.push_back(tensor);
      return;
    }
    bool led = false;
    if (history_.is_call(*op)) {
      const auto inside = history_.ops_inside(*op);
      for (const HistoryOp& inner : inside) {
        for (std::uint32_t k = 0; k < inner.outputs; ++k) {
          if (!nonfinite(inner.output + k) || is_written(inner.output + k)) continue;
          led = true;
          begin_at(inner.output + k);
        }
      }
      // What a call returns has the call's id, not that of its op.
      for (std::size_t i = inside.size(); i-- > 0 && !led;) {
        if (history_.values(inside[i].output)) continue;
        op = &inside[i];
        break;
      }
    }
    if (history_.is_call(*op) && !led) led = follow_into_trace(*op);
    for (const TensorId input : history_.inputs(*op)) {
      if (!nonfinite(input) || is_written(input)) continue;
      led = true;
      begin_at(input);
    }
    led |= follow_variable(*op);
    // What the forward op made may be where it began, though the backward op did not read it.
    if (const HistoryOp* forward = op->backward_of ? history_.producer(op->backward_of) : nullptr) {
      for (std::uint32_t k = 0; k < forward->outputs; ++k) {
        if (nonfinite(forward->output + k) && !is_written(forward->output + k)) begin_at(forward->output + k);
      }
    }
    if (!led) ops_.push_back(op);
  }

  // A call of a function, or its backward step, that was looked into: what the ops of its trace made, or the
  // steps back through them.
  bool follow_into_trace(const HistoryOp& op) {
    const HistoryOp* forward = op.backward_of ? history_.producer(op.backward_of) : nullptr;
    if ((forward ? *forward : op).trace == 0) return false;
    if (!traced_led_) traced_led_ = follow_traced_ops();
    if (*traced_led_ || !forward) return *traced_led_;
    if (!steps_led_) steps_led_ = follow_traced_steps();
    return *steps_led_;
  }
  bool follow_traced_ops() {
    bool led = false;
    for (const HistoryOp& traced : history_.ops()) {
      if (!(traced.flags & OpRecord::kTraced)) continue;
      for (std::uint32_t k = 0; k < traced.outputs; ++k) {
        if (!nonfinite(traced.output + k) || is_written(traced.output + k)) continue;
        led = true;
        begin_at(traced.output + k);
      }
    }
    return led;
  }
  bool follow_traced_steps() {
    for (const HistoryOp& traced : history_.ops()) {
      if (!(traced.flags & OpRecord::kTraced)) continue;
      const StepResultRecord* step = history_.step_result(question_.call, traced.output);
      if (!step || !step->results.nonfinite() || step->cotangents.nonfinite()) continue;
      steps_.push_back({&traced, step->results});
    }
    return !steps_.empty();
  }

  // What a call of a trace gave for the symbol that stood for a parameter, where that is not finite; else 0.
  TensorId argument_of(TensorId symbol) const {
    const TracedParameter* parameter = history_.parameter(symbol);
    if (!parameter) return 0;
    for (const HistoryOp& op : history_.ops()) {
      if (op.trace != parameter->trace || !history_.is_call(op) || parameter->place >= op.inputs) continue;
      const TensorId argument = history_.inputs(op)[parameter->place];
      if (nonfinite(argument)) return argument;
    }
    return 0;
  }

  // What a read of a variable gives was assigned to it.
  bool follow_variable(const HistoryOp& op) {
    if (!(op.flags & OpRecord::kHandle) || op.inputs == 0) return false;
    const TensorId handle = history_.inputs(op)[0];
    const HistoryVariable* variable = history_.variable(handle);
    if (!variable) return false;
    if (follow_update(handle, *variable)) return true;
    const std::uint32_t assign = history_.assign_before(*variable, op.output);
    const TensorId value = assign == kNoIndex ? 0 : history_.assigns()[assign].value;
    if (value != 0 && nonfinite(value)) begin_at(value);
    else data_.push_back(handle);
    return true;
  }

  // What a function's graph assigns to it, or adds to it, as the call before was seen to compute that.
  bool follow_update(TensorId handle, const HistoryVariable& variable) {
    bool led = false;
    const auto assigned = [&](TensorId value) {
      if (value == 0 || !nonfinite(value)) return;
      const HistoryOp* op = history_.producer(value);
      if (!op || !(op->flags & OpRecord::kTraced)) return;
      led = true;
      begin_at(value);
    };
    for (const std::uint32_t index : variable.assigns) assigned(history_.assigns()[index].value);
    for (const std::uint32_t use : history_.consumers(handle)) {
      const HistoryOp& op = history_.ops()[use];
      if (op.inputs == 2 && op_name_text(op.op).starts_with("Assign")) assigned(history_.inputs(op)[1]);
    }
    return led;
  }

  // Ids grow along a thread; what no op of the step made came before all of them.
  std::optional<NonFiniteExplanation> earliest() const {
    const HistoryOp* first = nullptr;
    for (const HistoryOp* op : ops_) {
      if (!first || (op->thread == first->thread ? op->output < first->output : op->ticks < first->ticks))
        first = op;
    }
    if (!data_.empty()) {
      // Data counts where NaN came in: it explains all that follows.
      const TensorId tensor = *std::min_element(data_.begin(), data_.end());
      if (!first || is_nan(history_.values(tensor)) || history_.variable(tensor)) return of_data(tensor);
    }
    if (!first && !steps_.empty()) return of_step(steps_.back());
    if (!first) return std::nullopt;
    return of_op(*first);
  }

  // The way back begins with the op that stands last.
  struct TracedStep {
    const HistoryOp* op;
    ValueMasks results;
  };
  NonFiniteExplanation of_step(const TracedStep& step) const {
    NonFiniteExplanation origin = of_op(*step.op);
    origin.backward = true;
    origin.value = step.results.nan ? "nan" : "inf";
    origin.what = fmt::format("the gradient of {} at {} made the first {}{}", origin.op_type, origin.location,
                              value_word(origin.value), read_text(*step.op));
    origin.fix = nonfinite_guard(origin.op_type, true, origin.value);
    if (origin.fix.empty()) origin.fix = nonfinite_remedy_of_any();
    return origin;
  }

  NonFiniteExplanation of_data(TensorId tensor) const {
    NonFiniteExplanation origin;
    origin.output = tensor;
    origin.data = true;
    const PathItem item = item_of_leaf(history_, tensor);
    origin.op = item.name;
    origin.op_type = item.op;
    origin.location = item.location;
    const TensorValuesRecord* values = history_.values(tensor);
    origin.value = values ? value_text(values->flags) : "nan";
    const std::string name = tensor_text(history_, tensor);
    if (const HistoryVariable* variable = history_.variable(tensor)) {
      const SiteId site =
          variable->assigns.empty() ? variable->site : history_.assigns()[variable->assigns.back()].site;
      if (site != 0) origin.location = place_text(site);
      origin.what = fmt::format("{} held {} already when the step read it{}", name, value_word(origin.value),
                                site == 0 ? std::string() : "; it was assigned at " + place_text(site));
      origin.fix =
          "look at what is assigned to it: keep updates finite, with a lower learning rate or clipped "
          "gradients, and start it from finite values";
      return origin;
    }
    const std::string at = origin.location.empty() ? std::string() : " at " + origin.location;
    origin.what = fmt::format("the data of {} came in from the host with {}{}{}", name,
                              value_word(origin.value), name.find(" at ") == name.npos ? at : std::string(),
                              values && values->first != 0xffffffffu
                                  ? fmt::format(", first in element {}", values->first)
                                  : std::string());
    origin.fix =
        "a value is missing in the input data: replace or drop NaN before the program trains on it "
        "(is_nan finds it)";
    return origin;
  }

  NonFiniteExplanation of_op(const HistoryOp& op) const {
    NonFiniteExplanation origin;
    origin.output = op.output;
    origin.call = 1 + static_cast<std::size_t>(&question_ - history_.questions().data());
    origin.backward = op.flags & OpRecord::kBackward;
    std::uint8_t flags = 0;
    for (std::uint32_t k = 0; k < op.outputs; ++k) {
      if (const auto* values = history_.values(op.output + k)) flags |= values->flags;
    }
    origin.value = value_text(flags);
    const PathItem item = item_of(history_, op);
    origin.op = item.name;
    origin.op_type = item.op;
    origin.location = item.location;
    const HistoryOp* forward = op.backward_of ? history_.producer(op.backward_of) : nullptr;
    const std::string maker = forward ? fmt::format("{}, in the gradient of {} at {},", item.op,
                                                    op_name_text(forward->op), item.location)
                                      : fmt::format("{} at {}", item.op, item.location);
    origin.what = fmt::format("{} made the first {}{}", maker,
                              origin.value == "nan"   ? "NaN"
                              : origin.value == "inf" ? "infinity"
                                                      : "minus infinity",
                              read_text(op));
    origin.fix = nonfinite_remedy(history_, op, origin);
    return origin;
  }

  // What it read, where that is worth a word.
  std::string read_text(const HistoryOp& op) const {
    const auto inputs = history_.inputs(op);
    std::string text;
    for (std::size_t i = 0; i < inputs.size() && i < 3; ++i) {
      const TensorValuesRecord* values = history_.values(inputs[i]);
      if (!values) continue;
      const std::string_view given = history_.given_name(inputs[i]);
      const std::string name = given.empty()
                                   ? inputs.size() == 1 ? "its argument" : fmt::format("argument {}", i + 1)
                                   : fmt::format("'{}'", given);
      std::string what;
      if (values->flags & Values::kEmpty) what = "has no elements";
      else if (values->flags & Values::kZero) what = "is 0 everywhere";
      else
        what = fmt::format("is {:.4g} to {:.4g}{}", values->min, values->max,
                           values->zeros > 0 ? ", with zeros" : "");
      text += fmt::format("{}{} {}", text.empty() ? ": " : ", ", name, what);
    }
    return text;
  }

  const History& history_;
  const Question& question_;
  std::unordered_set<TensorId> known_;
  std::vector<TensorId> open_;
  std::unordered_map<TensorId, bool> written_;
  std::vector<const HistoryOp*> ops_;
  std::vector<TracedStep> steps_;               // back inside functions, in the order of their ops
  std::optional<bool> traced_led_, steps_led_;  // whether ops of traces, and steps back through them, led on
  std::vector<TensorId> data_;
};

}  // namespace

std::optional<NonFiniteExplanation> find_nonfinite(const History& history) {
  if (!history.knows_values()) return std::nullopt;
  std::optional<NonFiniteExplanation> first;
  std::optional<std::map<std::size_t, bool>> skipped;  // questions, and whether it recovered
  for (std::size_t i = 0; i < history.questions().size(); ++i) {
    const Question& question = history.questions()[i];
    if (question.flags & GradientAskRecord::kTraced) continue;  // its runs are questions themselves
    std::vector<std::string> reached;
    const auto wrong = [&](TensorId tensor) { return is_nonfinite(history.values(tensor)); };
    if (std::any_of(question.targets.begin(), question.targets.end(), wrong)) reached.push_back("the loss");
    for (const Question::Source& source : question.sources) {
      if (source.gradient != 0 && wrong(source.gradient))
        reached.push_back("the gradient of " + std::string(name_text(source.name)));
    }
    if (reached.empty()) continue;
    if (!skipped) {
      skipped.emplace();
      for (const SkippedCall& call : skipped_calls(history)) skipped->emplace(call.question, call.recovered);
    }
    const auto on_purpose = skipped->find(i);
    const bool is_skipped = on_purpose != skipped->end();
    if (is_skipped && (first || on_purpose->second)) continue;
    if (!first) {
      first = Search(history, question).run();
      if (!first) continue;
      first->reached = std::move(reached);
      first->call = i + 1;
      first->skipped = true;
    }
    first->skipped = first->skipped && is_skipped;
    if (!first->skipped) break;
  }
  return first;
}

}  // namespace tapescope
