// Momentum written out, and the optimizer's.
#include <cmath>

#include "engine/nn/initializers.h"
#include "engine/nn/optimizers.h"
#include "engine/ops/ops.h"
#include "samples/sample.h"

namespace tapescope {
namespace {

const SampleParameter kRate{"learning_rate", "0.02", "step size"};
const SampleParameter kMomentum{"momentum", "0.9", "share of the last step that is kept; 0 is plain descent"};
const SampleParameter kFeatures{"features", "8", "columns of the data"};
const SampleParameter kSpread{"spread", "10", "the largest column's size over the smallest's"};

constexpr std::int64_t kPoints = 256;

SgdOptions sgd_options(const SampleOptions& options) {
  SgdOptions sgd;
  sgd.momentum = options.number(kMomentum);
  return sgd;
}

// Columns of sizes from 1 / spread to 1: steep directions and flat ones, where plain descent is slow.
Tensor make_data(std::int64_t features, double spread, RandomKey key) {
  std::vector<double> sizes;
  for (std::int64_t i = 0; i < features; ++i) {
    const double share = features > 1 ? static_cast<double>(i) / static_cast<double>(features - 1) : 1;
    sizes.push_back(std::pow(spread, share - 1));
  }
  return stateless_random_normal({kPoints, features}, key) * constant(sizes, Shape{features});
}

struct Momentum : Sample {
  bool from_scratch;
  double learning_rate, momentum;
  Tensor x, y;
  Variable w, velocity;
  SGD optimizer;

  explicit Momentum(const SampleOptions& options)
      : from_scratch(options.variant == "from-scratch"),
        learning_rate(options.number(kRate)),
        momentum(options.number(kMomentum)),
        x(make_data(options.count(kFeatures), options.number(kSpread), key_of(options.seed, "x")).named("x")),
        w(zeros({options.count(kFeatures), 1}), {.name = "w"}),
        velocity(zeros({options.count(kFeatures), 1}), {.name = "velocity", .trainable = false}),
        optimizer(learning_rate, sgd_options(options)) {
    const Tensor truth = stateless_random_normal(w.shape(), key_of(options.seed, "truth"));
    y = matmul(x, truth).named("y");
    optimizer.build(std::vector{w});
  }

  void step(StepContext& context) override {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(matmul(x, w) - y));
    }
    const auto gradients = tape.gradient(loss, {w});
    if (from_scratch) {
      velocity.assign(momentum * velocity - learning_rate * gradients[0]);
      w.assign_add(velocity);
    } else {
      optimizer.apply_gradients(gradients, {w});
    }
    context.loss(loss);
    context.report_gradients({w}, gradients);
  }

  void finish(StepContext& context) override {
    context.output("w", reshape(w, {-1}));
    context.output("Loss", reduce_mean(square(matmul(x, w) - y)));
  }

  std::int64_t default_steps() const override { return 300; }
};

}  // namespace

SampleInfo momentum_sample() {
  return {
      .name = "momentum",
      .order = 240,
      .promise = "Momentum in two lines and as an optimizer: the same bits at every step.",
      .document = "3, exercise 3",
      .variants = {"from-scratch", "optimizer"},
      .parameters = {kRate, kMomentum, kFeatures, kSpread},
      .file = "momentum.cpp",
      .lesson =
          "The exercise asks for momentum from scratch: velocity = momentum velocity - rate gradient, then "
          "w += velocity. The optimizer does precisely this, with the same bits at every step; its single "
          "pass saves a few small ops, 1.08 times as fast on eight weights (1.07 to 1.09). The columns of "
          "the data differ in size by a factor of 10, so that one direction is steep and another flat. With "
          "momentum=0 the same rate leaves most of the flat directions where they began; with 0.9 they are "
          "carried along.",
      .make = make_sample<Momentum>,
  };
}

}  // namespace tapescope
