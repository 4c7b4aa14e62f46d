// Exploding gradients of a long chain of products, and clipping by their global norm.

#include "engine/nn/initializers.h"
#include "engine/ops/ops.h"
#include "samples/sample.h"

namespace tapescope {
namespace {

const SampleParameter kTime{"time", "30", "steps of a sequence, and so factors in the chain"};
const SampleParameter kUnits{"units", "16", "width of the state"};
const SampleParameter kGain{"gain", "1",
                            "size of the recurrent weights at the start; with 0.9 nothing explodes"};
const SampleParameter kNorm{"clip_norm", "1", "largest global norm of the gradients"};
const SampleParameter kRate{"learning_rate", "0.01", "step size of gradient descent"};

constexpr std::int64_t kBatch = 32, kFeatures = 4;

struct GradientClipping : Sample {
  bool clipped;
  RandomKey key;
  std::int64_t time, units;
  double limit, learning_rate;
  Variable kernel, recurrent, readout;

  explicit GradientClipping(const SampleOptions& options)
      : clipped(options.variant == "clipped"),
        key(key_of(options.seed, "sequences")),
        time(options.count(kTime)),
        units(options.count(kUnits)),
        limit(options.number(kNorm)),
        learning_rate(options.number(kRate)) {
    const auto start = [&](const char* name, Initializer initializer, const Shape& shape, double factor) {
      const Tensor value = initial_value(initializer, shape, key_of(options.seed, name));
      return Variable(factor * value, {.name = name});
    };
    kernel = start("kernel", Initializer::glorot_uniform, {kFeatures, units}, 1);
    recurrent = start("recurrent_kernel", Initializer::orthogonal, {units, units}, options.number(kGain));
    readout = start("readout", Initializer::glorot_uniform, {units, 1}, 1);
  }

  // A recurrence without an activation that would bound it: its gradient holds the weights to the power of
  // time.
  Tensor compute_loss(const Tensor& sequences, const Tensor& targets) const {
    Tensor h = zeros({kBatch, units});
    for (const Tensor& x : unstack(sequences, 1)) h = matmul(x, kernel) + matmul(h, recurrent);
    return reduce_mean(square(matmul(h, readout) - targets));
  }

  void step(StepContext& context) override {
    const RandomKey draw{key.seed, key.counter + context.step};
    const Tensor sequences = stateless_random_normal({kBatch, time, kFeatures}, draw).named("sequences");
    const Tensor targets = reduce_mean(slice(sequences, {0, 0, 0}, {-1, -1, 1}), 1).named("targets");
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = compute_loss(sequences, targets);
    }
    std::vector<Tensor> gradients = tape.gradient(loss, {kernel, recurrent, readout});
    context.report_gradients({kernel, recurrent, readout}, gradients);
    const Tensor norm = global_norm(gradients);
    // Clip gradients
    if (clipped) gradients = clip_by_global_norm(gradients, limit).first;
    kernel.assign_sub(learning_rate * gradients[0]);
    recurrent.assign_sub(learning_rate * gradients[1]);
    readout.assign_sub(learning_rate * gradients[2]);

    context.loss(loss);
    context.metric("gradient_norm", element(norm, 0));
    if (context.step < 3) context.output("Gradient norm, step " + std::to_string(context.step + 1), norm);
    context.output("Loss", loss);
    context.output("Gradient norm", norm);
  }

  std::int64_t default_steps() const override { return 300; }
};

}  // namespace

SampleInfo gradient_clipping_sample() {
  return {
      .name = "gradient-clipping",
      .order = 200,
      .promise = "Gradients that explode end a run in NaN; clipped by their global norm they train.",
      .document = "3, best practices",
      .variants = {"unclipped", "clipped"},
      .parameters = {kTime, kUnits, kGain, kNorm, kRate},
      .file = "gradient_clipping.cpp",
      .lesson =
          "The lesson clips gradients by their global norm and says no more. Here a linear recurrence of "
          "30 steps multiplies its weights into the gradient 30 times: the first norm is about 330, and "
          "without clipping the third loss is NaN, from which no step returns. Clipped to a norm of 1 all "
          "gradients shrink by the same factor, so the direction stays, and 300 steps bring the loss from "
          "26 to 0.008. Clipping is no cure for every run: with gain=0.9 nothing explodes, and the "
          "unclipped variant learns faster. A norm that is not finite makes every clipped gradient NaN: "
          "clipping must begin before the overflow.",
      .make = make_sample<GradientClipping>,
  };
}

}  // namespace tapescope
