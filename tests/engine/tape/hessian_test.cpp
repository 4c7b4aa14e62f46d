// Hessians by every method against finite differences of gradients and, for logistic regression, against the
// formula.
#include "engine/tape/hessian.h"

#include <cmath>

#include "engine/ops/ops.h"
#include "tests/support/catch.h"
#include "tests/support/near.h"

using namespace tapescope;
using namespace tapescope::test;

namespace {

constexpr HessianMethod kMethods[] = {HessianMethod::nested_tapes, HessianMethod::forward_over_reverse,
                                      HessianMethod::vectorized};

}  // namespace

TEST_CASE("the Hessian of the logistic loss is X^T S X", "[hessian]") {
  const Tensor x = numbers({20, 3}, 1);
  const Tensor labels = cast(numbers({20, 1}, 2) > 0, DType::f64);
  const Variable w(numbers({3, 1}, 3), {.name = "w"});
  const auto loss = [&] { return reduce_sum(sigmoid_cross_entropy_with_logits(labels, matmul(x, w))); };
  const Tensor p = sigmoid(matmul(x, w.peek()));
  const Tensor expected = reshape(matmul(x, p * (1 - p) * x, true), {3, 1, 3, 1});
  for (HessianMethod method : kMethods) check_close(hessian(loss, w, method), expected, 1e-12);
}

TEST_CASE("Hessians of a network agree with finite differences of its gradient", "[hessian]") {
  const Tensor x = numbers({4, 3}, 4), labels = softmax(numbers({4, 2}, 5));
  const Variable w(numbers({3, 2}, 6), {.name = "w"});
  const auto network = [&] {
    return reduce_mean(
        softmax_cross_entropy_with_logits(labels, matmul(sin(matmul(x, w)), matmul(w, w, true))));
  };
  const std::vector<double> start = elements(w.peek());
  std::vector<double> expected;
  for (std::size_t i = 0; i < start.size(); ++i) {
    std::vector<double> sides[2];
    const double step = 6e-6;
    for (int side = 0; side < 2; ++side) {
      std::vector<double> moved = start;
      moved[i] += side == 0 ? -step : step;
      w.assign(make_tensor(moved, w.shape(), DType::f64));
      GradientTape tape;
      Tensor value;
      {
        auto recording = tape.record();
        value = network();
      }
      sides[side] = elements(tape.gradient(value, w));
    }
    for (std::size_t k = 0; k < start.size(); ++k)
      expected.push_back((sides[1][k] - sides[0][k]) / (2 * step));
  }
  w.assign(make_tensor(start, w.shape(), DType::f64));
  const Tensor difference = make_tensor(expected, {3, 2, 3, 2}, DType::f64);
  for (HessianMethod method : kMethods) check_close(hessian(network, w, method), difference, 1e-8);
  const Tensor v = numbers({3, 2}, 7);
  check_close(hessian_vector_product(network, w, v), tensordot(hessian(network, w), v, 2), 1e-12);
}

TEST_CASE("a linear loss has no Hessian, an unused variable neither", "[hessian]") {
  const Variable w(numbers({3}, 1), {.name = "w"});
  const Tensor x = numbers({3}, 2);
  for (HessianMethod method : kMethods) {
    CHECK(!hessian([&] { return reduce_sum(w * x); }, w, method));
    CHECK(!hessian([&] { return reduce_sum(x * x); }, w, method));
  }
}

TEST_CASE("a plain tensor has a Hessian, of the loss's sum", "[hessian]") {
  const Tensor x = constant({1, 2}, DType::f64);
  for (HessianMethod method : kMethods) {
    CHECK(elements(hessian([&] { return x * x * x; }, x, method)) == std::vector<double>{6, 0, 0, 12});
  }
}
