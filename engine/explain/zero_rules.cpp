// The table of rules.
#include "engine/explain/zero_rules.h"

#include <algorithm>
#include <array>

#include "engine/core/type.h"

namespace tapescope {
namespace {

constexpr std::string_view kFlat = "is flat everywhere";
constexpr std::string_view kSmooth =
    "use a smooth function such as tanh or sigmoid where a gradient is wanted, or a straight-through one "
    "with "
    "custom_gradient";
constexpr std::string_view kRound =
    "keep rounding off the differentiated path, use a smooth function, or a straight-through one with "
    "custom_gradient";
constexpr std::string_view kSaturates = "is flat for inputs of that size";
constexpr std::string_view kScale = "scale its input down (normalize the data, start from smaller weights)";
constexpr std::string_view kScaleLogits =
    "scale its input down (normalize the data, start from smaller weights), or take a loss from logits";
constexpr std::string_view kDead =
    "lower the learning rate, start from other biases or shift the input, or use leaky_relu";
constexpr std::string_view kWiden =
    "widen the bounds, or bring its input within the bounds before it is cut; check which end and which sign "
    "is "
    "meant, minimum() for an upper bound and maximum() for a lower one";
constexpr std::string_view kHinge =
    "widen the bounds, or bring its input within the bounds before it is cut; check which end and which sign "
    "is meant, minimum() for an upper bound and maximum() for a lower one; of a hinge all examples are "
    "beyond the margin: use a larger margin, harder examples, smaller initial weights, or softplus, which is "
    "smooth";
constexpr std::string_view kAll =
    "use a mean, softmax or reduce_logsumexp, which are smooth, to reach all elements";
constexpr std::string_view kMaskFix = "check the condition of the mask";
constexpr std::string_view kNoWeight =
    "check the condition of the mask, or the weights and counts, of which nothing is left";
constexpr std::string_view kIndexFix = "check the indices";
constexpr std::string_view kOneHot = "has exactly one-hot chances, as its logits are far apart";
constexpr std::string_view kLogitsFix =
    "scale the logits down: normalize the input, use smaller weights, or divide by a temperature";
constexpr std::string_view kStep =
    "multiplies by a slope that is the same on each side of 0: the second derivative is 0 everywhere";
constexpr std::string_view kSmoothUnit =
    "use a smooth activation, such as tanh, softplus or swish, where a second derivative is wanted";
constexpr std::string_view kRandom = "start the weights from random values other than zero";

// In the order of how surely the op explains a gradient that is zero everywhere.
constexpr std::array kRules = {
    ZeroRule{"Sign", "sign", kFlat, kSmooth},
    ZeroRule{"Floor", "sign", kFlat, kRound},
    ZeroRule{"Ceil", "sign", kFlat, kRound},
    ZeroRule{"Round", "sign", kFlat, kRound},
    ZeroRule{"Rint", "sign", kFlat, kRound},
    ZeroRule{"Relu", "dead_relu", "got no positive input where a gradient arrived, and is flat there", kDead},
    ZeroRule{"Relu6", "dead_relu", "got inputs outside of 0 to 6 alone, and is flat there",
             "rescale its input into that range, shift its bias, or use leaky_relu"},
    ZeroRule{"ClipByValue", "clipped", "cut every element off, and is flat there", kWiden},
    ZeroRule{"Minimum", "clipped", "took its bound everywhere", kHinge},
    ZeroRule{"Maximum", "clipped", "took its bound everywhere", kHinge},
    ZeroRule{"Max", "max_loser", "took another element, and the rest get nothing", kAll},
    ZeroRule{"Min", "max_loser", "took another element, and the rest get nothing", kAll},
    ZeroRule{"TopKV2", "max_loser", "took other elements, and the rest get nothing", kAll},
    ZeroRule{"MaxPool", "max_loser", "took other elements", "use average pooling to reach all elements"},
    ZeroRule{"SegmentMax", "max_loser", "took other elements", kAll},
    ZeroRule{"UnsortedSegmentMax", "max_loser", "took other elements", kAll},
    ZeroRule{"SelectV2", "masked", "took the other branch everywhere", kMaskFix},
    ZeroRule{"Select", "masked", "took the other branch everywhere", kMaskFix},
    ZeroRule{"DivNoNan", "masked", "divided by 0, for which it gives 0 and no gradient", kNoWeight},
    ZeroRule{"MulNoNan", "masked", "multiplied by 0, for which it gives 0 and no gradient", kNoWeight},
    ZeroRule{"GatherV2", "masked", "read other rows", kIndexFix},
    ZeroRule{"GatherNd", "masked", "read other places", kIndexFix},
    ZeroRule{"Slice", "masked", "read another part", "check the bounds and indices of the slice"},
    ZeroRule{"StridedSlice", "masked", "read another part", "check the bounds and indices of the slice"},
    ZeroRule{"SoftmaxCrossEntropyWithLogits", "saturated", kOneHot, kLogitsFix},
    ZeroRule{"SparseSoftmaxCrossEntropyWithLogits", "saturated", kOneHot, kLogitsFix},
    ZeroRule{"SigmoidCrossEntropyWithLogits", "saturated",
             "has chances of exactly 0 and 1, as its logits are large", kLogitsFix},
    ZeroRule{"Sigmoid", "saturated", kSaturates, kScaleLogits},
    ZeroRule{"Tanh", "saturated", kSaturates, kScale},
    ZeroRule{"Softmax", "saturated", kSaturates, kScaleLogits},
    ZeroRule{
        "Cast", "underflow", "passed to a type in which the gradient is too small to differ from zero",
        "scale the loss up before the gradient and down after it (LossScale), or use bfloat16 or float32"},
    ZeroRule{"LogSoftmax", "saturated", kSaturates, kScale},
    ZeroRule{"Softplus", "saturated", kSaturates, kScale},
    ZeroRule{"Silu", "saturated", kSaturates, kScale},
    ZeroRule{"Gelu", "saturated", kSaturates, kScale},
    ZeroRule{"Softsign", "saturated", kSaturates, kScale},
    ZeroRule{"Exp", "saturated", "is too small to differ from zero for inputs so far below 0",
             "scale its input down (rescale the argument, with a larger scale in the denominator)"},
    ZeroRule{"Erf", "saturated", kSaturates, kScale},
    ZeroRule{"Erfc", "saturated", kSaturates, kScale},
    ZeroRule{"Elu", "saturated", "is flat for inputs that are so small", "rescale its input"},
    ZeroRule{"Selu", "saturated", "is flat for inputs that are so small", "rescale its input"},
    ZeroRule{"ReluGrad", "sign", kStep, kSmoothUnit},
    ZeroRule{"Relu6Grad", "sign", kStep, kSmoothUnit},
    ZeroRule{"LeakyReluGrad", "sign", kStep, kSmoothUnit},
    ZeroRule{"Abs", "sign", "is at its kink, where the slope counts as 0", "move its input away from 0"},
    ZeroRule{"Prod", "underflow",
             "makes a product that is 0, of so many small numbers or with some that are 0",
             "add up logarithms in its place (reduce_sum of log), which do not vanish, or compute it in "
             "float64"},
    ZeroRule{"Cumprod", "underflow",
             "makes products that are 0, of so many small numbers or with some that are 0",
             "add up logarithms in its place (cumsum of log), which do not vanish, or compute it in "
             "float64"},
    ZeroRule{"Sub", "cancels", "takes away what was added before",
             "the target does not depend on the source, its contributions cancel; check the formula: "
             "something is subtracted from itself there, unless stop_gradient holds one of the two"},
    ZeroRule{"Mul", "zero_weights", "multiplied by zeros", kRandom, true},
    ZeroRule{"MatMul", "zero_weights", "multiplied by zeros", kRandom, true},
    ZeroRule{"BatchMatMulV2", "zero_weights", "multiplied by zeros", kRandom, true},
    ZeroRule{"Einsum", "zero_weights", "multiplied by zeros", kRandom, true},
    ZeroRule{"Conv2D", "zero_weights", "multiplied by zeros", kRandom, true},
    ZeroRule{"RealDiv", "zero_weights", "divided zeros", kRandom, true},
    ZeroRule{"Square", "zero_weights", "has a slope of 0 at 0, where its input is", kRandom},
    ZeroRule{"SquaredDifference", "zero_weights", "has a slope of 0 where its inputs are equal", kRandom},
    ZeroRule{"Pow", "zero_weights", "has a slope of 0 at 0, where its input is", kRandom},
};

}  // namespace

const ZeroRule kCancels{
    "", "cancels", "gets contributions that cancel: they add up to nothing",
    "the target does not depend on the source, or not in this direction; check the formula: what adds it on "
    "one side and takes it away on the other (a difference, a deviation from the mean) leaves nothing of it. "
    "Use it on one side only, add a term that it matters to, or remove it from the sources"};
const ZeroRule kCancelsThere{
    "", "cancels", "takes the same values in two ways whose contributions cancel: they add up to nothing",
    "the target does not depend on the source, or not in this direction; check the formula: something is "
    "subtracted from itself there, such as the mean over a single example"};
const ZeroRule kCutAbove{"", "clipped", "got inputs of 6 and more alone, and is flat there",
                         "rescale its input into 0 to 6, or use softplus, which has no upper bound"};
const ZeroRule kUnderflow{
    "", "underflow", "makes a gradient that is too small to differ from zero",
    "scale the loss up before the gradient and down after it, or rescale what it multiplies"};
const ZeroRule kUnderflowHalf{"", "underflow",
                              "makes a gradient that is too small for its type to differ from zero",
                              "scale the loss up before the gradient and down after it (LossScale), or "
                              "compute it in float32 or bfloat16"};
const ZeroRule kVanished{"", "underflow", "is too small to differ from zero for inputs so far below 0",
                         "scale its input down (rescale the argument, with a larger scale in the "
                         "denominator), start nearer, or work with the logarithm, which does not vanish"};
const ZeroRule kZeroWeights{"", "zero_weights", "multiplied by zeros", kRandom};
const ZeroRule kMasked{"", "masked", "multiplied by a mask that is 0 wherever a gradient arrived",
                       "check the condition of the mask, the indices, and the depth of one_hot"};
const ZeroRule kGivenZeros{"", "masked", "multiplied by a tensor that the program gave, which is 0 here",
                           "check the mask or the weights that the program gives: a weight of 0 leaves "
                           "nothing to learn from; mix or shuffle the examples if some of them have others"};
const ZeroRule kDeadUnits{"", "dead_relu", "multiplied by units that are all 0", kDead};
const ZeroRule kOneShare{"", "saturated", "is over one element each, whose share is always 1",
                         "use sigmoid for a single unit, or take the softmax over the axis of the choices"};
const ZeroRule kEqualShares{
    "", "cancels", "makes shares that add up to 1, and what arrives is the same for each of them",
    "the target does not depend on the source: weigh the shares by different numbers, pick some of them, or "
    "compare them with what they should be"};
const ZeroRule kMaxLoser{"", "max_loser", "took the other operand everywhere", kAll};

const ZeroRule* zero_rule_of(std::string_view op) {
  const auto found =
      std::find_if(kRules.begin(), kRules.end(), [&](const ZeroRule& rule) { return rule.op == op; });
  return found == kRules.end() ? nullptr : &*found;
}

bool makes_mask(std::string_view op) {
  constexpr std::array<std::string_view, 14> kMasks{
      "OneHot", "Greater",  "GreaterEqual", "Less",      "LessEqual",  "Equal",          "NotEqual",
      "Select", "SelectV2", "LogicalAnd",   "LogicalOr", "LogicalNot", "MatrixBandPart", "IsFinite"};
  return std::ranges::find(kMasks, op) != kMasks.end();
}

bool is_slope(std::string_view op) { return op.ends_with("ReluGrad") || op == "Relu6Grad"; }

bool has_single_shares(std::string_view op, const Type* type) {
  return op == "Softmax" && type && type->shape.rank() > 0 && type->shape[type->shape.rank() - 1] == 1;
}

int zero_rank(std::string_view op) {
  const ZeroRule* rule = zero_rule_of(op);
  return rule ? static_cast<int>(rule - kRules.data()) : -1;
}

bool zeroes_some(std::string_view op) {
  constexpr std::array<std::string_view, 4> kPartly{"dead_relu", "clipped", "max_loser", "masked"};
  const ZeroRule* rule = zero_rule_of(op);
  return rule && std::find(kPartly.begin(), kPartly.end(), rule->reason) != kPartly.end();
}

}  // namespace tapescope
