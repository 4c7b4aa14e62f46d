// Values and derivatives at zeros, poles, infinities, NaN and ties, as the public headers of the ops document
// them.
#include <cmath>
#include <functional>
#include <limits>

#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Tensor of(std::initializer_list<double> x) {
  return make_tensor(std::span(x.begin(), x.size()), Shape{static_cast<std::int64_t>(x.size())}, DType::f64);
}
bool same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) < 1e-12 * std::abs(b);
}
bool same(const Tensor& x, std::initializer_list<double> expected) {
  if (x.numel() != static_cast<std::int64_t>(expected.size())) return false;
  for (std::int64_t i = 0; i < x.numel(); ++i) {
    if (!same(element(x, i), expected.begin()[i])) return false;
  }
  return true;
}

struct Answer {
  Tensor y;
  std::vector<Tensor> gradients;
};
template <class F>
Answer ask(F f, const std::vector<Tensor>& x, double g = 1) {
  GradientTape tape;
  Answer answer;
  {
    auto recording = tape.record();
    for (const Tensor& source : x) tape.watch(source);
    answer.y = f(x);
  }
  const std::vector<Traced> sources(x.begin(), x.end());
  answer.gradients =
      tape.gradient(answer.y, sources, {.output_gradients = {make_full(answer.y.shape(), g, DType::f64)}});
  return answer;
}

struct Edge {
  const char* name;
  std::function<Tensor(const Tensor&)> f;
  double x, y, slope, g = 1;
};
#define EDGE(function) #function, [](const Tensor& x) { return function(x); }

struct Pairs {
  const char* name;
  std::function<Tensor(const Tensor&, const Tensor&)> f;
  double a, b, y, by_a, by_b;
};
#define PAIR(function) #function, [](const Tensor& a, const Tensor& b) { return function(a, b); }

}  // namespace

TEST_CASE("functions of one argument do at their edges what elementwise.h says") {
  constexpr double kSelu = 1.0507009873554804934193349852946;
  const Edge edges[] = {
      {EDGE(abs), 0, 0, 0},
      {EDGE(sign), kNan, kNan, 0},
      {EDGE(sqrt), 0, 0, kInf},
      {EDGE(sqrt), 0, 0, 0, 0},
      {EDGE(sqrt), -1, kNan, kNan},
      {EDGE(rsqrt), 0, kInf, -kInf},
      {EDGE(rsqrt), 0, kInf, 0, 0},
      {EDGE(reciprocal), -0.0, -kInf, -kInf},
      {EDGE(reciprocal), 0, kInf, 0, 0},
      {EDGE(exp), 710, kInf, kInf},
      {EDGE(exp), -kInf, 0, 0},
      {EDGE(log), 0, -kInf, kInf},
      {EDGE(log), 0, -kInf, kNan, 0},
      {EDGE(log), -1, kNan, -1},
      {EDGE(log1p), -1, -kInf, kInf},
      {EDGE(sin), kInf, kNan, kNan},
      {EDGE(asin), 1, std::asin(1), kInf},
      {EDGE(acos), -1, std::acos(-1), -kInf},
      {EDGE(asin), 2, kNan, kNan},
      {EDGE(acosh), 1, 0, kInf},
      {EDGE(acosh), 0.5, kNan, kNan},
      {EDGE(atanh), 1, kInf, kInf},
      {EDGE(atan), kInf, std::acos(-1) / 2, 0},
      {EDGE(tanh), 40, 1, 0},
      {EDGE(sigmoid), -kInf, 0, 0},
      {EDGE(sigmoid), kInf, 1, 0},
      {EDGE(log_sigmoid), -1000, -1000, 1},
      {EDGE(relu), 0, 0, 0},
      {EDGE(relu), kNan, kNan, 0},
      {EDGE(relu6), 6, 6, 0},
      {EDGE(relu6), 0, 0, 0},
      {EDGE(leaky_relu), 0, 0, static_cast<double>(0.2f)},
      {EDGE(elu), 0, 0, 1},
      {EDGE(elu), -kInf, -1, 0},
      {EDGE(selu), 0, 0, kSelu},
      {EDGE(softplus), 1000, 1000, 1},
      {EDGE(softplus), -1000, 0, 0},
      {EDGE(softsign), kInf, kNan, 0},
      {EDGE(silu), -kInf, kNan, kNan},
      {EDGE(gelu), -kInf, kNan, kNan},
      {EDGE(gelu), 0, 0, 0.5},
      {EDGE(erf), kInf, 1, 0},
      {EDGE(erfc), kInf, 0, 0},
      {EDGE(lgamma), -1, kInf, kNan},
      {EDGE(lgamma), 1, 0, -0.57721566490153286},
  };
  for (const Edge& edge : edges) {
    INFO(edge.name << " at " << edge.x << ", g " << edge.g);
    const auto [y, gradients] = ask([&](const auto& x) { return edge.f(x[0]); }, {of({edge.x})}, edge.g);
    CHECK(same(y, {edge.y}));
    CHECK(same(gradients[0], {edge.slope}));
  }
}

TEST_CASE("functions of two arguments do at their edges what elementwise.h says") {
  const Pairs pairs[] = {
      {PAIR(divide), 1, 0, kInf, kInf, -kInf},
      {PAIR(divide), 0, 0, kNan, kInf, kNan},
      {PAIR(divide_no_nan), kNan, 0, 0, 0, 0},
      {PAIR(floormod), -5, 3, 1, 1, 2},
      {PAIR(floormod), 5, 0, kNan, 1, -kInf},
      {PAIR(pow), 0, 0, 1, kNan, 0},
      {PAIR(pow), -2, 3, -8, 12, 0},
      {PAIR(pow), -2, 0.5, kNan, kNan, kNan},
      {PAIR(maximum), 1, 1, 1, 1, 0},
      {PAIR(maximum), kNan, 1, kNan, 0, 1},
      {PAIR(minimum), 1, kNan, kNan, 0, 1},
      {PAIR(minimum), 1, 1, 1, 1, 0},
      {PAIR(atan2), 0, 0, 0, kNan, kNan},
      {PAIR(xlogy), 0, -1, 0, 0, 0},
      {PAIR(xdivy), 0, 0, 0, 0, 0},
      {PAIR(xlog1py), 0, -1, 0, 0, 0},
  };
  for (const Pairs& pair : pairs) {
    INFO(pair.name << " at " << pair.a << ", " << pair.b);
    const auto [y, gradients] =
        ask([&](const auto& x) { return pair.f(x[0], x[1]); }, {of({pair.a}), of({pair.b})});
    CHECK(same(y, {pair.y}));
    CHECK(same(gradients[0], {pair.by_a}));
    CHECK(same(gradients[1], {pair.by_b}));
  }
  CHECK(same(pow(of({kNan}), of({0})), {1}));
  CHECK(same(floordiv(of({1, 0}), of({0, 0})), {kInf, kNan}));
  CHECK(same(cast(cast(of({1e20, -1e20, kNan, -1.9}), DType::i32), DType::f64),
             {2147483647, -2147483648.0, 0, -1}));
}

TEST_CASE("clipping passes the gradient at its bounds, and a low above high gives low") {
  const auto clipped = [](const auto& x) { return clip_by_value(x[0], -1, 1); };
  CHECK(same(ask(clipped, {of({-2, -1, 0, 1, 2})}).gradients[0], {0, 1, 1, 1, 0}));
  CHECK(same(clip_by_value(of({0, 5, 9}), 4, 3), {4, 4, 4}));
}

TEST_CASE("reductions do at their edges what reduce.h says") {
  const auto whole = [](auto f) { return [f](const auto& x) { return f(x[0], Axes(), false); }; };
  const Tensor none = zeros({0}, DType::f64), nan = of({1, kNan, 2});
  CHECK(same(reduce_sum(none), {0}));
  CHECK(same(reduce_mean(none), {kNan}));
  CHECK(same(reduce_prod(none), {1}));
  for (const auto f : {reduce_sum, reduce_mean, reduce_max, reduce_min, reduce_prod, reduce_euclidean_norm})
    CHECK(same(f(nan, Axes(), false), {kNan}));
  CHECK(same(ask(whole(reduce_max), {of({3, 1, 3})}).gradients[0], {0.5, 0, 0.5}));
  CHECK(same(ask(whole(reduce_prod), {of({0, 2, 3})}).gradients[0], {6, 0, 0}));
  CHECK(same(ask(whole(reduce_euclidean_norm), {of({0, 0})}).gradients[0], {kNan, kNan}));
  CHECK(same(ask(whole(norm), {of({0, 0})}).gradients[0], {kNan, kNan}));
  CHECK(same(ask(whole(reduce_std), {of({2, 2})}).gradients[0], {kNan, kNan}));
  CHECK(same(reduce_logsumexp(of({1000, 1000})), {1000 + std::log(2)}));
  CHECK(same(ask([](const auto& x) { return clip_by_norm(x[0], 1); }, {of({0, 0})}).gradients[0], {1, 1}));
  const Tensor bad[] = {of({1}), of({kInf})};
  CHECK(same(clip_by_global_norm(bad, 1).first[0], {kNan}));
}

TEST_CASE("matrices and rows do at their edges what linalg.h, index.h and nn.h say") {
  const Tensor singular = reshape(of({1, 2, 2, 4}), {2, 2});
  CHECK(same(matrix_determinant(singular), {0}));
  CHECK_THROWS_AS(ask([](const auto& x) { return matrix_determinant(x[0]); }, {singular}), Error);
  CHECK_THROWS_AS(matrix_inverse(singular), Error);
  // The upper triangle is not read.
  CHECK(same(cholesky(reshape(of({4, kNan, 2, 5}), {2, 2})), {2, 0, 1, 2}));
  CHECK(same(trace(reshape(of({1, 2, 3, 4, 5, 6}), {2, 3})), {6}));

  const Tensor ids = constant(std::initializer_list<Values>{0, 0, 2, -1}, DType::i32);
  CHECK(same(unsorted_segment_sum(of({1, 2, 3, 4}), ids, 3), {3, 0, 3}));
  CHECK(same(unsorted_segment_mean(of({1, 2, 3, 4}), ids, 3), {1.5, 0, 3}));
  CHECK(same(unsorted_segment_max(of({1, 2, 3, 4}), ids, 3), {2, std::numeric_limits<double>::lowest(), 3}));
  const Tensor places = constant(std::initializer_list<Values>{{1}, {1}}, DType::i32);
  const auto put = [&](const auto& x) { return tensor_scatter_nd_update(x[0], places, of({7, 8})); };
  CHECK(same(ask(put, {of({1, 2, 3})}).y, {1, 8, 3}));
  CHECK(same(ask(put, {of({1, 2, 3})}).gradients[0], {1, 0, 1}));

  CHECK(same(softmax(of({kInf, 0})), {kNan, kNan}));
  CHECK(same(softmax(of({1000, 1000})), {0.5, 0.5}));
  CHECK(same(softmax_cross_entropy_with_logits(of({0, 1}), of({-kInf, 0})), {0}));
  const auto sigmoid_loss = [](const auto& x) { return sigmoid_cross_entropy_with_logits(x[0], x[1]); };
  const Answer at_zero = ask(sigmoid_loss, {of({1}), of({0})});
  CHECK(same(at_zero.gradients[1], {-0.5}));
  CHECK(same(at_zero.gradients[0], {0}));
  CHECK(same(sigmoid_loss(std::vector{of({0}), of({1000})}), {1000}));
  CHECK(same(l2_normalize(of({0, 0})), {0, 0}));
  CHECK_THROWS_AS(dropout(of({1}), 1), Error);
}
