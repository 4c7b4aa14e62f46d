// Remedies for ops that make NaN or infinity, by the pattern they are part of.
#include <algorithm>
#include <array>
#include <string_view>

#include "engine/core/dtype.h"
#include "engine/core/type.h"
#include "engine/explain/history.h"
#include "engine/explain/nonfinite.h"

namespace tapescope {
namespace {

constexpr std::string_view kLossScale =
    "the scaled gradient is beyond what float16 can hold (65504): use a smaller loss scale, or LossScale, "
    "which "
    "finds one; or compute this part in float32 or bfloat16";
constexpr std::string_view kHalf =
    "float16 ends at 65504: compute this part in float32 or bfloat16, or scale its input down";
constexpr std::string_view kLogits =
    "the log of a softmax that is 0: use log_softmax, or a cross entropy from logits "
    "(softmax_cross_entropy_with_logits)";
constexpr std::string_view kSigmoidLogits =
    "the log of a sigmoid that is 0 or 1: use sigmoid_cross_entropy_with_logits, a loss from logits, or "
    "log_sigmoid; clip the chance if it must be one";
constexpr std::string_view kTrap =
    "where() does not help after the op, whose gradient is computed for both branches: make its argument "
    "safe as "
    "well, with a second where() on the input inside of the op, before it";
constexpr std::string_view kRoot =
    "its slope at 0 is infinite: add a small epsilon (1e-12) under the root, or keep it away from 0 with "
    "maximum(); "
    "or use the square instead";
constexpr std::string_view kDivide =
    "it divides by 0: guard the denominator with divide_no_nan, a small epsilon added, maximum(), or a "
    "where() on "
    "the denominator before the division";
constexpr std::string_view kEmpty =
    "the mean of no elements is 0 / 0: skip what is empty, or divide the sum by maximum(count, 1) or with "
    "divide_no_nan";
constexpr std::string_view kOverflow =
    "it overflows: subtract the largest value first (as softmax and reduce_logsumexp do), clip its argument "
    "with "
    "minimum() or clip_by_value, or scale the input down";
constexpr std::string_view kInverse =
    "its slope at -1 and 1 is infinite and it ends there: clip the argument a little inside of -1 and 1 "
    "(clip_by_value(x, -1 + 1e-6, 1 - 1e-6)), normalize the vectors it comes from, or use atan2";
constexpr std::string_view kAtan =
    "atan2 has no slope at (0, 0): keep it away from zero, add a small epsilon to one argument, or use "
    "where() to "
    "give it another";
constexpr std::string_view kAngle =
    "a complex number that is 0 has no angle: replace zeros before it with where(), or add a small epsilon";
constexpr std::string_view kGrowth =
    "; values grew until they were too large: lower the learning rate or clip the gradients";

constexpr std::string_view kTooLarge =
    "its result is too large for its type: scale the input down, lower the learning rate or clip the "
    "gradients";
constexpr std::string_view kUnknown =
    "keep what it reads away from where it is not finite: look for 0 / 0, infinity minus infinity and 0 "
    "times infinity, and guard them with maximum(), where() or a small epsilon";

struct Guard {
  std::string_view op;  // of the forward op
  std::string_view forward, backward;
};

constexpr std::string_view kLogFix =
    "keep its argument positive, above 0: add a small epsilon (1e-7), use maximum() or clip_by_value, xlogy "
    "where "
    "it is multiplied by the same value, or where() on the argument itself";
constexpr std::string_view kPowFix =
    "keep the base positive and away from 0: add a small epsilon, or use maximum() or abs() on it";
constexpr std::string_view kAtanhFix = "keep its argument inside of -1 and 1: clip it a little inside";

constexpr std::array kGuards = {
    Guard{"Log", kLogFix, kLogFix},
    Guard{"Log1p", "keep its argument above -1: use maximum(), or add a small epsilon",
          "keep its argument away from -1: use maximum(), or add a small epsilon"},
    Guard{"Sqrt",
          "its argument is negative: keep it at 0 or above with maximum() or abs(), or add a small epsilon "
          "under the root",
          kRoot},
    Guard{"Norm", "its elements are too large to be squared: scale the input down", kRoot},
    Guard{"EuclideanNorm", "its elements are too large to be squared: scale the input down", kRoot},
    Guard{"Rsqrt", "keep its argument above 0: add a small epsilon (1e-12) under the root, or use maximum()",
          kRoot},
    Guard{"Reciprocal", kDivide, kDivide},
    Guard{"RealDiv", kDivide, kDivide},
    Guard{"Div", kDivide, kDivide},
    Guard{"FloorMod", kDivide, kDivide},
    Guard{"Exp", kOverflow, kOverflow},
    Guard{"Expm1", kOverflow, kOverflow},
    Guard{"Sinh", kOverflow, kOverflow},
    Guard{"Cosh", kOverflow, kOverflow},
    Guard{"Pow", kPowFix, kPowFix},
    Guard{"Acos", kInverse, kInverse},
    Guard{"Asin", kInverse, kInverse},
    Guard{"Acosh", "keep its argument at 1 or above: use maximum()",
          "keep its argument above 1: use maximum()"},
    Guard{"Atanh", kAtanhFix, kAtanhFix},
    Guard{"Atan2", kAtan, kAtan},
    Guard{"Angle", kAngle, kAngle},
    Guard{"Mean", kEmpty, kEmpty},
};

std::string_view name_of(const HistoryOp* op) { return op ? op_name_text(op->op) : std::string_view(); }

const Guard* guard_of(std::string_view op) {
  const auto found =
      std::find_if(kGuards.begin(), kGuards.end(), [&](const Guard& guard) { return guard.op == op; });
  return found == kGuards.end() ? nullptr : &*found;
}

// The op whose result an argument is, through ops that only move, scale or cut it.
const HistoryOp* made_by(const History& history, TensorId tensor) {
  constexpr std::array<std::string_view, 9> kPasses{"Reshape",  "Transpose",    "Cast",
                                                    "Identity", "ExpandDims",   "Squeeze",
                                                    "ConcatV2", "StridedSlice", "GatherV2"};
  const HistoryOp* op = history.producer(tensor);
  for (int i = 0; op && i < 8 && std::find(kPasses.begin(), kPasses.end(), name_of(op)) != kPasses.end(); ++i)
    op = op->inputs > 0 ? history.producer(history.inputs(*op)[0]) : nullptr;
  return op;
}

// Softmax or sigmoid, also as 1 - sigmoid.
std::string_view squashed(const History& history, const HistoryOp& op) {
  if (op.inputs == 0) return {};
  const HistoryOp* argument = made_by(history, history.inputs(op)[0]);
  if (name_of(argument) == "Sub" && argument->inputs == 2) {
    const HistoryOp* taken = made_by(history, history.inputs(*argument)[1]);
    if (name_of(taken) == "Sigmoid" || name_of(taken) == "Softmax") argument = taken;
  }
  return name_of(argument);
}

// A where() takes part of what the op made, directly or through arithmetic.
bool feeds_where(const History& history, const HistoryOp& op, int depth = 3) {
  for (const std::uint32_t index : history.consumers(op.output, 8)) {
    const HistoryOp& user = history.ops()[index];
    if (user.flags & OpRecord::kBackward) continue;
    const std::string_view name = name_of(&user);
    if (name == "SelectV2" || name == "Select" || name == "Where") return true;
    if (depth > 0 && user.inputs <= 2 && feeds_where(history, user, depth - 1)) return true;
  }
  return false;
}

// Whether the first question that was about something not finite had such a loss: no where() hid it from
// there.
bool loss_is_lost(const History& history) {
  const auto wrong = [&](TensorId tensor) {
    const TensorValuesRecord* values = history.values(tensor);
    return values && (values->flags & kNonFiniteValues);
  };
  for (const Question& question : history.questions()) {
    if (question.flags & GradientAskRecord::kTraced) continue;
    if (std::ranges::any_of(question.targets, wrong)) return true;
    if (std::ranges::any_of(question.sources, wrong, &Question::Source::gradient)) return false;
  }
  return false;
}

bool is_half(const HistoryOp& op) {
  const Type* type = type_with_id(op.type);
  return type && type->dtype == DType::f16;
}

bool holds_empty(const History& history, const HistoryOp& op) {
  return std::any_of(history.inputs(op).begin(), history.inputs(op).end(), [&](TensorId input) {
    const TensorValuesRecord* values = history.values(input);
    return values && (values->flags & TensorValuesRecord::kEmpty);
  });
}

}  // namespace

std::string_view nonfinite_guard(std::string_view op_type, bool backward, std::string_view value) {
  const Guard* guard = guard_of(op_type);
  if (!guard && op_type.ends_with("Grad")) guard = guard_of(op_type.substr(0, op_type.size() - 4));
  if (!guard || (guard->op == "Mean" && (backward || value != "nan"))) return {};
  return backward ? guard->backward : guard->forward;
}

std::string_view nonfinite_remedy_of_any() { return kUnknown; }
std::string_view nonfinite_remedy_of_overflow() { return kTooLarge; }

std::string_view nonfinite_growth(std::string_view op_type) {
  const Guard* guard = guard_of(op_type);
  return !guard || guard->forward == kOverflow || guard->forward == kPowFix ? kGrowth : std::string_view();
}

std::string nonfinite_remedy(const History& history, const HistoryOp& op,
                             const NonFiniteExplanation& origin) {
  const HistoryOp* forward = op.backward_of ? history.producer(op.backward_of) : nullptr;
  const HistoryOp& blamed = forward ? *forward : op;
  const std::string_view name = name_of(&blamed), own = name_of(&op);
  const bool backward = origin.backward;
  std::string fix;
  const auto add = [&](std::string_view more) {
    fix += fix.empty() ? std::string(more) : "; " + std::string(more);
  };
  const bool infinite = origin.value != "nan";
  if (infinite && is_half(op)) add(backward ? kLossScale : kHalf);
  if (backward && blamed.custom)
    add("the gradient is one that the program gave (custom_gradient): guard it there");
  if (name == "Log" || name == "Log1p") {
    const std::string_view argument = squashed(history, blamed);
    if (argument == "Softmax") add(kLogits);
    if (argument == "Sigmoid") add(kSigmoidLogits);
  }
  if (feeds_where(history, blamed) && !loss_is_lost(history)) add(kTrap);
  if (holds_empty(history, blamed)) add(kEmpty);
  const Guard* guard = guard_of(name);
  if (!guard) guard = guard_of(own);
  if (!guard && own.ends_with("Grad")) guard = guard_of(own.substr(0, own.size() - 4));
  if (guard && !(guard->op == "Mean" && !holds_empty(history, blamed))) {
    add(backward ? guard->backward : guard->forward);
  } else if (fix.empty()) {
    add(infinite ? kTooLarge : kUnknown);
  }
  // Calls before it were finite: something grew.
  if (infinite && origin.call > 1 && fix.find("learning rate") == fix.npos) fix += nonfinite_growth(name);
  return fix;
}

}  // namespace tapescope
