// Why a gradient is all zeros, judged by the ops its way passes: each kind of op makes zeros in its own manner.
#include <array>
#include <deque>
#include <unordered_set>

#include <fmt/format.h>

#include "viewer/store/gradient_table.h"

namespace tapescope {
namespace {

struct Rule {
  std::string_view op;
  std::string_view reason;
  std::string_view what;  // "… whose inputs are all negative"
  std::string_view fix;
};

// In the order of how surely the op explains a gradient that is zero everywhere.
constexpr std::array kRules = {
    Rule{"Sign", "sign", "is flat everywhere", "use a smooth function such as tanh where a gradient is wanted"},
    Rule{"Floor", "sign", "is flat everywhere", "keep rounding off the differentiated path"},
    Rule{"Ceil", "sign", "is flat everywhere", "keep rounding off the differentiated path"},
    Rule{"Round", "sign", "is flat everywhere", "keep rounding off the differentiated path"},
    Rule{"Rint", "sign", "is flat everywhere", "keep rounding off the differentiated path"},
    Rule{"Relu", "dead_relu", "got no positive input, and is flat there",
         "lower the learning rate, start from smaller biases, or use leaky_relu"},
    Rule{"Relu6", "dead_relu", "got inputs outside of 0 to 6 alone, and is flat there", "rescale its input"},
    Rule{"ClipByValue", "clipped", "cut every element off, and is flat there", "widen the bounds or clip gradients instead"},
    Rule{"Minimum", "clipped", "took the other operand everywhere", "widen the bound"},
    Rule{"Maximum", "clipped", "took the other operand everywhere", "widen the bound"},
    Rule{"Max", "max_loser", "took another element, and the rest get nothing", "use a mean or a softmax to reach all"},
    Rule{"Min", "max_loser", "took another element, and the rest get nothing", "use a mean or a softmax to reach all"},
    Rule{"MaxPool", "max_loser", "took other elements", "use average pooling to reach all"},
    Rule{"SelectV2", "masked", "took the other branch everywhere", "check the condition"},
    Rule{"Select", "masked", "took the other branch everywhere", "check the condition"},
    Rule{"GatherV2", "masked", "read other rows", "check the indices"},
    Rule{"StridedSlice", "masked", "read another part", "check the bounds of the slice"},
    Rule{"Sigmoid", "saturated", "is flat for inputs of that size", "scale its input down, or take a loss from logits"},
    Rule{"Tanh", "saturated", "is flat for inputs of that size", "scale its input down"},
    Rule{"Softmax", "saturated", "is flat for inputs of that size", "scale its input down, or take a loss from logits"},
    Rule{"Cast", "underflow", "passed to a type in which the gradient is too small to be told from zero",
         "scale the loss up before the gradient and down after it"},
    Rule{"Sub", "cancels", "takes away what was added before", "the target does not depend on the source; check the formula"},
    Rule{"Mul", "zero_weights", "multiplied by zeros", "start the weights from random values"},
    Rule{"MatMul", "zero_weights", "multiplied by zeros", "start the weights from random values"},
};

// Forward ops that lie between the source and the target.
std::vector<std::uint32_t> ops_between(const StepView& view, TensorId target, TensorId source) {
  std::vector<bool> from_source(view.ops.size(), false), to_target(view.ops.size(), false);
  for (std::uint32_t i = 0; i < view.ops.size(); ++i) {
    const OpRow& row = view.ops[i];
    if (row.direction == Direction::backward) continue;
    from_source[i] = source >= row.output && source < row.output + row.outputs;
    for (std::uint32_t k = 0; k < row.inputs; ++k) {
      const std::uint32_t producer = view.producers[row.first_input + k];
      if (view.inputs[row.first_input + k] == source || (producer != kNoOp && producer < i && from_source[producer])) {
        from_source[i] = true;
      }
    }
  }
  const std::uint32_t end = view.op_of_tensor(target);
  if (end == kNoOp) return {};
  to_target[end] = true;
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = end + 1; i-- > 0;) {
    if (!to_target[i] || !from_source[i]) continue;
    found.push_back(i);
    for (std::uint32_t producer : view.producers_of(view.ops[i])) {
      if (producer != kNoOp && producer < i) to_target[producer] = true;
    }
  }
  return found;
}

}  // namespace

ZeroReason zero_reason(const StepView& view, TensorId target, TensorId source,
                       std::string_view source_name) {
  const auto ops = ops_between(view, target, source);
  for (const Rule& rule : kRules) {
    for (std::uint32_t op : ops) {
      const OpRow& row = view.ops[op];
      if (row.op != rule.op) continue;
      return {std::string(rule.reason),
              fmt::format("the gradient of {} is zero: {} at {} {}", source_name, row.name, row.location, rule.what),
              std::string(row.location), std::string(rule.fix)};
    }
  }
  return {"cancels", fmt::format("the gradient of {} is zero: its contributions add up to nothing", source_name), "",
          "check that the target depends on the source as meant"};
}

}  // namespace tapescope
