// The workloads by which other libraries were measured, on this engine, eager and as one traced function: W1
// to W9, W11. Usage: tapescope-peers [THREADS] [workload...]
#include <cctype>
#include <cmath>
#include <optional>
#include <string_view>

#include "engine/graph/function.h"
#include "engine/kernels/thread_pool.h"
#include "engine/nn/conv_layers.h"
#include "engine/nn/layers.h"
#include "engine/nn/losses.h"
#include "engine/nn/optimizers.h"
#include "engine/ops/ops.h"
#include "engine/tape/hessian.h"
#include "engine/tape/tape.h"
#include "tests/bench/bench_lines.h"

using namespace tapescope;
using bench::Place;

namespace {

// So small that thousands of steps on one batch do not converge: gradients would become denormal.
constexpr double kRate = 1e-7;

int threads = 1;

Place place(const std::string& workload, const std::string& variant = "") {
  return {workload, "tapescope" + variant, threads};
}

Tensor random(const Shape& shape, std::uint64_t seed, double scale = 1) {
  return stateless_random_normal(shape, {seed, 0}) * scale;
}

// The same work as one traced function, and as a compiled one.
constexpr std::pair<const char*, bool> kTraced[] = {{"-function", false}, {"-compiled", true}};

// Calls of a function that takes nothing: what it needs it captures.
template <class Body>
void traced_calls(const std::string& workload, const std::string& variant, const std::string& metric,
                  double scale, double budget_s, const Body& body) {
  for (const auto& [suffix, compiled] : kTraced) {
    Function f("f", [&](const Tensor&) { return body(); }, {.optimize = {.compiled = compiled}});
    const Tensor nothing = zeros({});
    bench::once(place(workload, variant + suffix), metric, scale, budget_s, [&] { f(nothing); });
  }
}

// Forward under a tape, gradients, Adam: phases fwd, bwd, adam. Then the whole step traced.
template <class Forward>
void training(const Place& where, const std::vector<Variable>& variables, double scale,
              const std::string& unit, double budget_s, Forward forward) {
  Adam adam(kRate);
  adam.build(variables);
  const std::vector<Traced> sources(variables.begin(), variables.end());
  bench::phases(where, {"fwd", "bwd", "adam"}, scale, unit, budget_s, [&](const auto& lap) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = forward(tape);
    }
    lap();
    const auto gradients = tape.gradient(loss, sources);
    lap();
    adam.apply_gradients(gradients, variables);
    lap();
  });
  for (const auto& [suffix, compiled] : kTraced) {
    Adam traced_adam(kRate);
    traced_adam.build(variables);
    Function step("step",
                  [&](const Tensor&) {
                    GradientTape tape;
                    Tensor loss;
                    {
                      auto recording = tape.record();
                      loss = forward(tape);
                    }
                    const auto gradients = tape.gradient(loss, sources);
                    traced_adam.apply_gradients(gradients, variables);
                    return loss;
                  },
                  {.optimize = {.compiled = compiled}});
    const Tensor nothing = zeros({});
    bench::once({where.workload, where.peer + suffix, where.threads}, "step" + unit, scale, budget_s,
                [&] { step(nothing); });
  }
}

// A chain of 1000 ops: 500 times x = x * a + b.
void w1() {
  for (const std::int64_t n : {1, 16, 1024}) {
    const std::string name = "W1-n" + std::to_string(n);
    const Variable x(random({n}, 1), {.name = "x"});
    const Tensor a = fill({n}, 0.999), b = fill({n}, 0.001);
    const auto chain = [](Tensor y, const Tensor& factor, const Tensor& term) {
      for (int i = 0; i < 500; ++i) y = y * factor + term;
      return y;
    };
    const auto run = [&](const std::string& variant, auto&& factor, auto&& term) {
      bench::phases(place(name, variant), {"fwd", "bwd", "free"}, 1e-3, "_ns_per_op", 0.25,
                    [&](const auto& lap) {
                      std::optional<GradientTape> tape(std::in_place);
                      Tensor y;
                      {
                        auto recording = tape->record();
                        y = chain(x.value(), factor(), term());
                      }
                      lap();
                      tape->gradient(y, x);
                      lap();
                      y = Tensor();
                      tape.reset();
                      lap();
                    });
    };
    run(
        "", [&] { return a; }, [&] { return b; });
    const Variable av(a, {.name = "a"}), bv(b, {.name = "b"});
    run(
        "-allvars", [&] { return av.value(); }, [&] { return bv.value(); });
    // Kept from being folded: a graph would compute the gradient, which does not depend on x, once and for
    // all.
    const Variable af(a, {.name = "a", .trainable = false}), bf(b, {.name = "b", .trainable = false});
    traced_calls(name, "", "step_ns_per_op", 1e-3, 0.25, [&] {
      GradientTape tape;
      Tensor y;
      {
        auto recording = tape.record();
        y = chain(x.value(), af.value(), bf.value());
      }
      return tape.gradient(y, x);
    });
    bench::phases(place(name, "-nograd"), {"fwd"}, 1e-3, "_ns_per_op", 0.25, [&](const auto& lap) {
      chain(x.peek(), a, b);
      lap();
    });
  }
}

// Preprocessing in the tape, before the loop, and recorded because its inputs are watched.
void w2() {
  const Tensor raw = stateless_random_uniform({32, 784}, {2, 0}, 0, 256);
  const Variable w(random({784, 10}, 3, 0.05), {.name = "w"});
  const auto prepare = [](const Tensor& x) { return clip_by_value(x / 255.0, 0, 1); };
  const auto loss_of = [&](const Tensor& x) {
    return reduce_mean(square(relu(matmul(x, w)) - random_normal({32, 10})));
  };
  const Tensor ready = prepare(raw);
  training(place("W2", "-prep-recorded"), {w}, 1e-3, "_us", 0.4,
           [&](GradientTape&) { return loss_of(prepare(raw)); });
  training(place("W2", "-prep-hoisted"), {w}, 1e-3, "_us", 0.4,
           [&](GradientTape&) { return loss_of(ready); });
  training(place("W2", "-inputs-watched"), {w}, 1e-3, "_us", 0.4, [&](GradientTape& tape) {
    tape.watch(raw);
    return loss_of(prepare(raw));
  });
}

void classifier(const std::string& workload, Sequential& model, const Tensor& x, double scale,
                const std::string& unit) {
  const Tensor labels = stateless_random_uniform({x.dim(0)}, {4, 0}, 0, 10, DType::i32);
  const SparseCategoricalCrossentropy loss_fn(true);
  model.build(x.shape());
  training(place(workload), model.trainable_variables(), scale, unit, 0.8,
           [&](GradientTape&) { return loss_fn(labels, model(x)); });
}

void w3() {
  Sequential model(Dense(128, {.activation = Activation::relu}), Dense(10));
  classifier("W3", model, stateless_random_uniform({64, 784}, {5, 0}), 1e-3, "_us");
}

void w4() {
  Sequential model(Dense(1024, {.activation = Activation::relu}),
                   Dense(1024, {.activation = Activation::relu}), Dense(10));
  classifier("W4", model, stateless_random_uniform({256, 784}, {5, 0}), 1e-6, "_ms");
}

void w5() {
  Sequential model(Conv2D(32, 3, {.activation = Activation::relu}), MaxPooling2D(),
                   Conv2D(64, 3, {.activation = Activation::relu}), MaxPooling2D(), Flatten(), Dense(10));
  classifier("W5", model, stateless_random_uniform({32, 28, 28, 1}, {5, 0}), 1e-6, "_ms");
}

// The Jacobian of y = tanh(W2 tanh(W1 x)), hidden width n.
void w6() {
  for (const auto& [n, m] : {std::pair<std::int64_t, std::int64_t>{64, 64}, {256, 256}, {1000, 100}}) {
    const std::string name = "W6-" + std::to_string(n) + "x" + std::to_string(m);
    const double scale = 1 / std::sqrt(static_cast<double>(n));
    const Variable x(random({n, 1}, 6), {.name = "x"});
    const Tensor w_1 = random({n, n}, 7, scale), w_2 = random({m, n}, 8, scale);
    const auto f = [&] { return tanh(matmul(w_2, tanh(matmul(w_1, x)))); };
    for (const bool vectorized : {false, true}) {
      bench::once(place(name, vectorized ? "-vectorized" : "-loop"), "ms", 1e-6, 0.3, [&] {
        GradientTape tape({.persistent = true});
        Tensor y;
        {
          auto recording = tape.record();
          y = f();
        }
        tape.jacobian(y, x, {.vectorized = vectorized});
      });
    }
    bench::once(place(name, "-forward"), "ms", 1e-6, 0.3, [&] { forward_jacobian(f, x); });
    traced_calls(name, "", "ms", 1e-6, 0.3, [&] {
      GradientTape tape({.persistent = true});
      Tensor y;
      {
        auto recording = tape.record();
        y = f();
      }
      return tape.jacobian(y, x);
    });
  }
}

// The Hessian of a logistic loss: 50 parameters, 1000 samples.
void w7() {
  const Tensor data = random({1000, 50}, 9), signs = sign(random({1000, 1}, 10));
  const Variable w(random({50, 1}, 11, 0.1), {.name = "w"});
  const auto loss = [&] { return reduce_mean(softplus(-(matmul(data, w) * signs))); };
  const auto run = [&](const char* variant, HessianMethod method) {
    bench::once(place("W7", variant), "ms", 1e-6, 0.3, [&] { hessian(loss, w, method); });
  };
  run("-loop", HessianMethod::nested_tapes);
  run("-forward-over-reverse", HessianMethod::forward_over_reverse);
  run("-vectorized", HessianMethod::vectorized);
  traced_calls("W7", "", "ms", 1e-6, 0.3, [&] { return hessian(loss, w, HessianMethod::vectorized); });
}

// Twenty elementwise ops on 2^20 floats.
void w8() {
  const Variable x(stateless_random_uniform({1 << 20}, {12, 0}, 0.5, 1), {.name = "x"});
  const auto run = [&](const char* name, auto forward) {
    bench::phases(place(name), {"fwd", "bwd"}, 1e-6, "_ms", 0.5, [&](const auto& lap) {
      GradientTape tape;
      Tensor y;
      {
        auto recording = tape.record();
        y = forward(x.value());
      }
      lap();
      tape.gradient(y, x);
      lap();
    });
    traced_calls(name, "", "step_ms", 1e-6, 0.5, [&] {
      GradientTape tape;
      Tensor y;
      {
        auto recording = tape.record();
        y = forward(x.value());
      }
      return tape.gradient(y, x);
    });
  };
  run("W8-cheap", [](const Tensor& in) {
    Tensor t = in;
    for (int i = 0; i < 5; ++i) t = relu(t * 1.01 + 0.01) * in;
    return t;
  });
  run("W8-mixed", [](const Tensor& in) {
    Tensor t = in;
    for (int i = 0; i < 4; ++i) t = sigmoid(tanh(t * 1.01 + 0.01)) * in;
    return t;
  });
}

// An unrolled recurrence: 100 steps, input and hidden 64, batch 16.
void w9() {
  constexpr std::int64_t kSteps = 100, kBatch = 16, kHidden = 64;
  const Tensor xs = random({kSteps, kBatch, kHidden}, 13), target = random({kBatch, kHidden}, 14);
  const Variable w_x(random({kHidden, kHidden}, 15, 0.1), {.name = "w_x"});
  const Variable w_h(random({kHidden, kHidden}, 16, 0.1), {.name = "w_h"});
  const Variable b(random({kHidden}, 17, 0.1), {.name = "b"});
  training(place("W9"), {w_x, w_h, b}, 1e-6, "_ms", 0.6, [&](GradientTape&) {
    Tensor h = zeros({kBatch, kHidden});
    for (std::int64_t t = 0; t < kSteps; ++t) h = tanh(matmul(at(xs, t), w_x) + matmul(h, w_h) + b);
    return reduce_mean(square(h - target));
  });
}

// A trivial op: x + 1 on 16 floats, and its gradient.
void w11() {
  const Tensor x = stateless_random_uniform({16}, {18, 0});
  const Variable v(x, {.name = "v"});
  bench::once(place("W11", "-eager-op"), "ns", 1, 0.2, [&] { x + 1; });
  bench::once(place("W11", "-eager-op-and-gradient"), "ns", 1, 0.2, [&] {
    GradientTape tape;
    Tensor y;
    {
      auto recording = tape.record();
      y = v + 1;
    }
    tape.gradient(y, v);
  });
}

struct Workload {
  std::string_view name;
  void (*run)();
};
constexpr Workload kWorkloads[] = {{"W1", w1}, {"W2", w2}, {"W3", w3}, {"W4", w4}, {"W5", w5},
                                   {"W6", w6}, {"W7", w7}, {"W8", w8}, {"W9", w9}, {"W11", w11}};

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string_view> wanted(argv + 1, argv + argc);
  if (!wanted.empty() && std::isdigit(static_cast<unsigned char>(wanted[0][0]))) {
    threads = std::max(1, std::atoi(wanted[0].data()));
    wanted.erase(wanted.begin());
  }
  kernels::set_threads(threads);
  try {
    for (const Workload& workload : kWorkloads) {
      if (wanted.empty() || std::find(wanted.begin(), wanted.end(), workload.name) != wanted.end())
        workload.run();
    }
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
