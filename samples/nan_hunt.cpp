// Three classic ways to a NaN, and the same model without them.
#include "engine/ops/ops.h"
#include "samples/sample.h"

namespace tapescope {
namespace {

const SampleParameter kRate{"learning_rate", "0.1", "step size of the gradient descent"};

struct NanHunt : Sample {
  // The second row's logits are 200 apart: e^-200 rounds to 0 in float32.
  Tensor images = constant({{1.0, 0.0, 2.0}, {40.0, 0.0, -40.0}}).named("images");
  Tensor labels = constant({{0.0, 1.0}, {1.0, 0.0}}).named("labels");
  // A size may be 0: a root has no finite slope there.
  Tensor sizes = constant({0.0, 4.0}).named("sizes");
  Variable w, scale, offset;
  std::string variant;
  double rate;

  explicit NanHunt(const SampleOptions& options)
      : w(constant({{0.5, -0.5}, {0.1, 0.2}, {-2.0, 2.0}}), {.name = "w"}),
        scale(constant(1.0), {.name = "scale"}),
        offset(constant({0.0, 0.0}), {.name = "offset"}),
        variant(options.variant),
        rate(options.number(kRate)) {}

  bool has_trap(std::string_view trap) const { return variant == trap; }

  Tensor cross_entropy(const Tensor& logits) const {
    if (has_trap("log-of-softmax")) {
      Tensor probabilities = softmax(logits).named("probabilities");  // one of them rounds to 0
      Tensor logarithms = log(probabilities).named("logarithms");     // log(0) is -inf, and -inf * 0 is NaN
      return -reduce_mean(reduce_sum(labels * logarithms, -1));
    }
    return -reduce_mean(reduce_sum(labels * log_softmax(logits), -1));
  }

  Tensor roots(const Tensor& scaled) const {
    if (has_trap("where-trap")) {
      // The branch not taken is computed all the same, and 0 times its infinite slope is NaN
      return where(scaled > 0, pow(scaled, 0.5), 0.0).named("roots");
    }
    Tensor safe = where(scaled > 0, scaled, 1.0).named("safe");  // the argument is made safe too
    return where(scaled > 0, pow(safe, 0.5), 0.0).named("roots");
  }

  Tensor distance(const Variable& vector) const {
    if (has_trap("norm-at-zero")) {
      return norm(vector).named("distance");  // sqrt has no slope at 0
    }
    return sqrt(reduce_sum(square(vector)) + 1e-12).named("distance");
  }

  void step(StepContext& context) override {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      Tensor fit = cross_entropy(matmul(images, w)).named("fit");
      Tensor spread = reduce_sum(roots(sizes * scale)).named("spread");
      loss = fit + 0.1 * spread + 0.1 * distance(offset);
    }
    auto gradients = tape.gradient(loss, {w, scale, offset});
    context.loss(loss);
    context.report_gradients({w, scale, offset}, gradients);
    context.output("loss", loss);
    context.output("dloss/dw", gradients[0]);
    context.output("dloss/dscale", gradients[1]);
    context.output("dloss/doffset", gradients[2]);
    w.assign_sub(rate * gradients[0]);
    scale.assign_sub(rate * gradients[1]);
    offset.assign_sub(rate * gradients[2]);
  }

  std::int64_t default_steps() const override { return 3; }
};

}  // namespace

SampleInfo nan_hunt_sample() {
  return {
      .name = "nan-hunt",
      .order = 270,
      .promise = "One NaN makes every weight NaN; the alert names the op that made the first one.",
      .document = "3, debugging",
      .variants = {"log-of-softmax", "where-trap", "norm-at-zero", "optimized"},
      .parameters = {kRate},
      .file = "nan_hunt.cpp",
      .lesson =
          "A logarithm of a softmax meets log(0) going forward; log_softmax never leaves the logarithm. A "
          "where() "
          "cannot protect the branch it does not take: its slope is multiplied by 0, and 0 times infinity is "
          "NaN, "
          "on the way back only; the argument has to be made safe too. The norm of a zero vector is 0, its "
          "slope 0 / 0; a little under the root cures it. The loss looks healthy in the last two until the "
          "first update, and with where() even after it.",
      .make = make_sample<NanHunt>,
  };
}

}  // namespace tapescope
