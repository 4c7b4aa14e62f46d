// The Hessian of a logistic regression's loss by three compositions of tapes and accumulators, and Newton's
// method with it.
#include <chrono>

#include <fmt/format.h>

#include "engine/gate/state.h"
#include "engine/ops/ops.h"
#include "engine/program.h"
#include "engine/tape/hessian.h"
#include "samples/sample.h"

namespace tapescope {
namespace {

const SampleParameter kFeatures{"features", "4",
                                "weights of the model: the Hessian has as many rows and columns"};
const SampleParameter kExamples{"examples", "200", "points the model is fitted to"};
constexpr double kRidge = 1e-3;  // keeps Newton's step finite where the data say nothing

constexpr std::string_view kWays[] = {"nested-tapes", "forward-over-reverse", "vectorized"};

struct Hessian : Sample {
  HessianMethod method;
  Variable w;
  Tensor points, labels;

  explicit Hessian(const SampleOptions& options) {
    method = options.variant == kWays[0]   ? HessianMethod::nested_tapes
             : options.variant == kWays[1] ? HessianMethod::forward_over_reverse
                                           : HessianMethod::vectorized;
    const std::int64_t n = options.count(kExamples), k = options.count(kFeatures);
    points = stateless_random_normal({n, k}, {options.seed, 1}, 0, 1, DType::f64);
    const Tensor truth = stateless_random_normal({k, 1}, {options.seed, 2}, 0, 1, DType::f64);
    const Tensor noise = stateless_random_normal({n, 1}, {options.seed, 3}, 0, 1, DType::f64);
    labels = cast(matmul(points, truth) + noise > 0, DType::f64);
    w = Variable(zeros({k, 1}, DType::f64), {.name = "w"});
  }

  std::int64_t default_steps() const override { return 5; }

  Tensor loss() const {
    const Tensor logits = matmul(points, w);
    return reduce_mean(sigmoid_cross_entropy_with_logits(labels, logits)) + kRidge * reduce_sum(square(w));
  }

  // X^T S X / n + 2 ridge I with S = p (1 - p): what the textbook says.
  Tensor formula() const {
    const Tensor p = sigmoid(matmul(points, w.peek()));
    const Tensor curvature = matmul(points, p * (1 - p) * points, true) / static_cast<double>(points.dim(0));
    return curvature + 2 * kRidge * eye(points.dim(1), -1, DType::f64);
  }

  void step(StepContext& context) override {
    GradientTape tape;
    Tensor value;
    {
      auto recording = tape.record();
      value = loss();
    }
    const Tensor gradient = tape.gradient(value, w);
    const Tensor h = hessian([&] { return loss(); }, w, method);
    const std::int64_t k = points.dim(1);
    const Tensor matrix = reshape(h, {k, k});
    context.loss(value);
    context.output("hessian", matrix);
    context.metric("difference from X^T S X", element(reduce_max(abs(matrix - formula())), 0));
    context.report_gradients({w}, std::vector{gradient});
    // Newton's step: the gradient measured by the curvature.
    w.assign_sub(matrix_solve(matrix, gradient));
  }

  void finish(StepContext& context) override {
    std::string took;
    std::size_t fastest = 0;
    double best = 0;
    for (std::size_t i = 0; i < std::size(kWays); ++i) {
      const double us = microseconds(static_cast<HessianMethod>(i));
      context.metric(fmt::format("{} (us)", kWays[i]), us);
      took += fmt::format("{}{} {:.0f} us", i ? ", " : "", kWays[i], us);
      if (i == 0 || us < best) {
        best = us;
        fastest = i;
      }
    }
    note_message(
        fmt::format("hessian: {} columns, so vectorized, which runs the loss once, should win over {} passes "
                    "and {} runs; {} did ({})",
                    w.type().numel, w.type().numel, w.type().numel, kWays[fastest], took));
  }

  double microseconds(HessianMethod by) const {
    const Mute mute;  // a measurement is no part of the program
    const auto run = [&] { return hessian([&] { return loss(); }, w, by); };
    run();
    const auto start = std::chrono::steady_clock::now();
    constexpr int kRuns = 3;
    for (int i = 0; i < kRuns; ++i) run();
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() /
           kRuns;
  }
};

}  // namespace

SampleInfo hessian_sample() {
  return {
      .name = "hessian",
      .order = 230,
      .promise =
          "Three ways to the same matrix of second derivatives, and Newton's method, which reaches the "
          "minimum in a few steps.",
      .document = "3, exercise 2",
      .variants = {"nested-tapes", "forward-over-reverse", "vectorized"},
      .parameters = {kFeatures, kExamples},
      .file = "hessian.cpp",
      .lesson =
          "An outer tape records the inner tape's backward pass and is asked for a Jacobian: one more "
          "backward pass for each "
          "weight. An accumulator over a tape gives a column for each run of the loss instead, and with "
          "batched tangents all "
          "columns in one run. They agree with the formula for logistic regression to the last digits. Where "
          "only the product "
          "with a vector is needed, one column's work is enough.",
      .make = make_sample<Hessian>,
  };
}

}  // namespace tapescope
