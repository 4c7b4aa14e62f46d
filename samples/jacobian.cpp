// The Jacobian of [x^2, x^3] at 2 by a loop over its rows, by all rows at once, and by pushing its columns
// forward.
#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "engine/gate/state.h"
#include "engine/graph/function.h"
#include "engine/graph/gradients.h"
#include "engine/ops/ops.h"
#include "engine/program.h"
#include "engine/tape/hessian.h"
#include "samples/sample.h"

namespace tapescope {
namespace {

const SampleParameter kFunction{"function", "powers",
                                "powers: [x^2, x^3]; reductions: [sum x^2, mean e^x]; mlp: a network"};
const SampleParameter kX{"x", "2.0", "where the derivatives of the powers are taken"};
const SampleParameter kSize{
    "size", "64", "rows and columns of what the reductions take; inputs and outputs of the network"};

enum class Way { loop, vectorized, forward_mode, static_gradients };
constexpr std::string_view kWays[] = {"loop", "vectorized", "forward-mode", "static-gradients"};

struct Jacobian : Sample {
  Way way;
  std::string function;
  Variable x, w1, w2;
  Function<std::vector<Tensor>()> rows_in_graph;

  explicit Jacobian(const SampleOptions& options)
      : function(options.text(kFunction)), rows_in_graph("rows_in_graph", [this] { return traced_rows(); }) {
    const auto known = std::find(std::begin(kWays), std::end(kWays), options.variant);
    way = static_cast<Way>(known - std::begin(kWays));
    const std::int64_t n = options.count(kSize);
    const auto normal = [&](const Shape& shape, std::uint64_t key, double deviation) {
      return stateless_random_normal(shape, {options.seed, key}, 0, deviation);
    };
    if (function == "powers") {
      x = Variable(constant({options.number(kX)}), {.name = "x"});
    } else if (function == "reductions") {
      x = Variable(normal({n, n}, 1, 1), {.name = "x"});
    } else if (function == "mlp") {
      const double deviation = 1 / std::sqrt(static_cast<double>(n));
      x = Variable(normal({1, n}, 1, 1), {.name = "x"});
      w1 = Variable(normal({n, n}, 2, deviation), {.name = "w1", .trainable = false});
      w2 = Variable(normal({n, n}, 3, deviation), {.name = "w2", .trainable = false});
    } else {
      throw Error(ErrorKind::value,
                  fmt::format("parameter function got '{}', expected powers, reductions or mlp", function));
    }
  }

  Tensor f() const {
    if (function == "powers") return concat({pow(x, 2), pow(x, 3)}, 0);
    if (function == "reductions") return stack({reduce_sum(square(x)), reduce_mean(exp(x))});
    return reshape(matmul(tanh(matmul(x, w1)), w2), {-1});
  }

  // gradients() sums over y: a row needs its own call. The sum of all rows comes last.
  std::vector<Tensor> traced_rows() const {
    const Tensor y = f();
    std::vector<Tensor> rows;
    for (std::int64_t i = 0; i < y.numel(); ++i) rows.push_back(gradients({slice(y, {i}, {1})}, {x})[0]);
    return {stack(rows), gradients({y}, {x})[0]};
  }

  Tensor jacobian(Way by) const {
    if (by == Way::static_gradients) return rows_in_graph()[0];
    if (by == Way::forward_mode) {
      // One column for each element of x, as many together as fit in some tens of megabytes.
      const std::int64_t columns = std::max<std::int64_t>(1, (std::int64_t{16} << 20) / x.type().bytes);
      return forward_jacobian([&] { return f(); }, x, columns);
    }
    GradientTape tape({.persistent = by == Way::loop});
    Tensor y;
    {
      auto recording = tape.record();
      y = f();
    }
    return tape.jacobian(y, x, {.vectorized = by == Way::vectorized});
  }

  void step(StepContext& context) override {
    const Tensor result = jacobian(way);
    context.output("jacobian", result);
    // What the document prints as [4, 12].
    if (way == Way::static_gradients) context.output("gradients", rows_in_graph()[1]);
    context.report_gradients({x}, std::vector{result});
  }

  // What each way costs here, and which should win.
  void finish(StepContext& context) override {
    const std::int64_t rows = f().numel(), columns = x.type().numel;
    // More columns than this take longer to push than anybody would wait for.
    constexpr std::int64_t kTooMany = 4096;
    std::string took;
    double best = 0;
    std::string_view fastest;
    for (Way by : {Way::loop, Way::vectorized, Way::forward_mode}) {
      if (by == Way::forward_mode && columns > kTooMany) continue;
      const double us = microseconds(by);
      const std::string_view name = kWays[static_cast<std::size_t>(by)];
      context.metric(fmt::format("{} (us)", name), us);
      took += fmt::format("{}{} {:.0f} us", took.empty() ? "" : ", ", name, us);
      if (fastest.empty() || us < best) {
        best = us;
        fastest = name;
      }
    }
    const std::string_view should = rows == 1        ? "the loop, which has a single row,"
                                    : columns < rows ? "forward-mode"
                                                     : "vectorized";
    note_message(fmt::format("jacobian: {} rows by {} columns, so {} should win; {} did ({})", rows, columns,
                             should, fastest, took));
  }

  double microseconds(Way by) const {
    const Mute mute;  // a measurement is no part of the program
    jacobian(by);     // the first run warms the pools
    const auto start = std::chrono::steady_clock::now();
    constexpr int kRuns = 3;
    for (int i = 0; i < kRuns; ++i) jacobian(by);
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() /
           kRuns;
  }
};

}  // namespace

SampleInfo jacobian_sample() {
  return {
      .name = "jacobian",
      .order = 110,
      .promise =
          "One backward pass gives all rows of a Jacobian, 4 and 12; of a network's 64 rows it beats a loop "
          "over them.",
      .document = "2, examples 1 to 3",
      .variants = {"loop", "vectorized", "forward-mode", "static-gradients"},
      .parameters = {kFunction, kX, kSize},
      .file = "jacobian.cpp",
      .lesson =
          "The lesson blames the tape for running the function again for every row. It does not: the "
          "function runs once, "
          "and only the backward pass is repeated, by the loop once a row, vectorized once for all rows "
          "together. Nor does "
          "tf.gradients give a Jacobian: it sums the rows, 16 here, not 4 and 12. Forward mode pushes one "
          "column for each "
          "element of x, so that it wins where x has fewer elements than y. The list of the lesson is no "
          "target; its "
          "parts are joined into one tensor first.",
      .make = make_sample<Jacobian>,
  };
}

}  // namespace tapescope
