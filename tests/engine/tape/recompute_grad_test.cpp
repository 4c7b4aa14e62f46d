// Gradient checkpointing: the same gradients, fewer tensors kept.
#include "engine/tape/recompute_grad.h"

#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"
#include "tests/support/two_derivatives.h"

using namespace tapescope;

namespace {

struct Answer {
  std::vector<double> value;
  std::vector<std::vector<double>> gradients;
  std::uint64_t recorded, saved_bytes;
};

Answer ask(const std::function<Tensor(const Tensor&)>& f, const Tensor& x,
           std::initializer_list<Traced> sources) {
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    tape.watch(x);
    y = f(x);
  }
  Answer answer{elements(y), {}, tape.counts().recorded, tape.counts().saved_bytes};
  for (const Tensor& gradient : tape.gradient(y, sources)) answer.gradients.push_back(elements(gradient));
  return answer;
}

}  // namespace

TEST_CASE("recompute_grad: the same values and gradients, one entry, nothing kept but the arguments",
          "[recompute]") {
  const Tensor x = constant({{0.1, -0.4}, {0.7, 1.3}}, DType::f64);
  const Variable w(constant({{1.0, 0.5}, {-0.3, 0.8}}, DType::f64), {.name = "w"});
  int runs = 0;
  const auto body = [&](const Tensor& in) {
    ++runs;
    return reduce_sum(tanh(matmul(sin(in), w)));
  };
  const Answer plain = ask(body, x, {x, w});
  runs = 0;
  const auto again = recompute_grad(body);
  const Answer recomputed = ask([&](const Tensor& in) { return again(in); }, x, {x, w});
  CHECK(runs == 2);
  CHECK(recomputed.value == plain.value);
  CHECK(recomputed.gradients == plain.gradients);
  CHECK(recomputed.recorded == 1);
  CHECK(recomputed.saved_bytes < plain.saved_bytes);
}

TEST_CASE("recompute_grad: dropout drops the same elements again", "[recompute]") {
  set_seed(11);
  const Tensor x = make_full({200}, 1, DType::f64);
  const auto again = recompute_grad([](const Tensor& in) { return dropout(in * 2.0, 0.5); });
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    tape.watch(x);
    y = again(x);
  }
  // y = 2 x mask / 0.5, so that the gradient shows the same mask.
  CHECK(elements(tape.gradient(y, x)) == elements(y));
  const Tensor next = random_uniform({4});
  set_seed(11);
  dropout(x, 0.5);
  CHECK(elements(random_uniform({4})) == elements(next));  // the second run used up no new numbers
}

TEST_CASE("recompute_grad: nested, with random numbers inside both", "[recompute]") {
  set_seed(3);
  const Tensor x = make_full({50}, 0.5, DType::f64);
  const auto inner = recompute_grad([](const Tensor& in) { return dropout(sin(in), 0.3); });
  const auto outer = recompute_grad([&](const Tensor& in) { return dropout(inner(in) * 3.0, 0.4); });
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    tape.watch(x);
    y = outer(x);
  }
  const std::vector<double> values = elements(y), gradients = elements(tape.gradient(y, x));
  for (std::size_t i = 0; i < values.size(); ++i)
    CHECK(gradients[i] == Approx(values[i] * std::cos(0.5) / std::sin(0.5)));
}

TEST_CASE("recompute_grad: second order", "[recompute]") {
  const Tensor x = constant(0.7, DType::f64);
  const auto again = recompute_grad([](const Tensor& in) { return sin(in) * exp(in); });
  const TwoDerivatives found = two_derivatives(x, again);
  CHECK(element(found.first, 0) == Approx(std::exp(0.7) * (std::sin(0.7) + std::cos(0.7))));
  CHECK(element(found.second, 0) == Approx(2 * std::exp(0.7) * std::cos(0.7)));
}

TEST_CASE("recompute_grad: an argument without a way to the output gets zeros, as in TensorFlow",
          "[recompute]") {
  const Tensor x = constant(2.0), unused = constant({1.0, 2.0, 3.0});
  const RecomputeGrad f([](std::span<const Tensor> in) { return std::vector{square(in[0])}; });
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    tape.watch({x, unused});
    y = f.call(std::vector{x, unused})[0];
  }
  const std::vector<Tensor> gradients = tape.gradient(y, {x, unused});
  CHECK(element(gradients[0], 0) == 4);
  REQUIRE(gradients[1]);
  CHECK(elements(gradients[1]) == std::vector<double>{0, 0, 0});
}
