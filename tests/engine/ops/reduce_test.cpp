// Reductions, scans and norms: gradients at ties, zeros and empties; axes; errors.
#include "engine/ops/reduce.h"

#include <cmath>
#include <limits>

#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

Tensor doubles(std::initializer_list<double> x) {
  return make_tensor(std::span(x.begin(), x.size()), Shape{static_cast<std::int64_t>(x.size())}, DType::f64);
}
template <class F>
std::vector<double> gradient(F f, const Tensor& x, const Tensor& upstream = Tensor()) {
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    tape.watch(x);
    y = f(x);
  }
  GradientOptions options;
  if (upstream) options.output_gradients = {upstream};
  return elements(tape.gradient(y, x, options));
}
using Numbers = std::vector<double>;

}  // namespace

TEST_CASE("ties of an extreme share its gradient equally") {
  CHECK(gradient([](const Tensor& x) { return reduce_max(x); }, doubles({1, 3, 3})) == Numbers{0, 0.5, 0.5});
  CHECK(gradient([](const Tensor& x) { return reduce_min(x); }, doubles({2, 2, 2, 2})) ==
        Numbers{0.25, 0.25, 0.25, 0.25});
  const Numbers nan = gradient([](const Tensor& x) { return reduce_max(x); }, doubles({1, std::nan(""), 3}));
  for (double v : nan) CHECK(std::isnan(v));
}

TEST_CASE("products are differentiated rightly at zeros") {
  CHECK(gradient([](const Tensor& x) { return reduce_prod(x); }, doubles({2, 0, 3})) == Numbers{0, 6, 0});
  CHECK(gradient([](const Tensor& x) { return reduce_prod(x); }, doubles({0, 0, 3})) == Numbers{0, 0, 0});
}

// TensorFlow says [1, 0, 0] for the first: engine.md, "where we part".
TEST_CASE("the gradient of cumprod is right below zeros, of every order and direction") {
  CHECK(gradient([](const Tensor& x) { return cumprod(x); }, doubles({2, 0, 3})) == Numbers{1, 8, 0});
  const Tensor cases[] = {doubles({2, 0, 3, 4}), doubles({0, 0, 2, 1}), doubles({1, 2, 0, 0}),
                          doubles({3, -1, 2, 0.5})};
  for (const Tensor& x : cases) {
    for (int flags = 0; flags < 4; ++flags) {
      const bool exclusive = flags & 1, reverse = flags & 2;
      // sum_i w_i prod_j x_j over the j that element i takes; differentiated by leaving factors out.
      const Tensor w = doubles({1, -2, 3, 0.5});
      const auto takes = [&](int i, int j) {
        return reverse ? (exclusive ? j > i : j >= i) : (exclusive ? j < i : j <= i);
      };
      const auto product = [&](int i, int skip, int skip_too) {
        double p = 1;
        for (int j = 0; j < 4; ++j) {
          if (takes(i, j) && j != skip && j != skip_too) p *= element(x, j);
        }
        return p;
      };
      Numbers first(4, 0.0), second(4, 0.0);
      for (int k = 0; k < 4; ++k) {
        for (int i = 0; i < 4; ++i) {
          if (!takes(i, k)) continue;
          first[static_cast<std::size_t>(k)] += element(w, i) * product(i, k, -1);
          // d/dx_m of the sum over k of the first derivatives
          for (int m = 0; m < 4; ++m) {
            if (m != k && takes(i, m))
              second[static_cast<std::size_t>(m)] += element(w, i) * product(i, k, m);
          }
        }
      }
      GradientTape outer, inner;
      Tensor g;
      {
        auto a = outer.record();
        outer.watch(x);
        Tensor y;
        {
          auto b = inner.record();
          inner.watch(x);
          y = cumprod(x, 0, exclusive, reverse);
        }
        g = inner.gradient(y, x, {.output_gradients = {w}});
      }
      const Tensor h = outer.gradient(g, x);
      INFO("exclusive " << exclusive << " reverse " << reverse << " x " << values_text(x));
      for (std::size_t k = 0; k < 4; ++k) {
        CHECK(element(g, static_cast<std::int64_t>(k)) == Approx(first[k]).margin(1e-12));
        CHECK(element(h, static_cast<std::int64_t>(k)) == Approx(second[k]).margin(1e-12));
      }
    }
  }
}

TEST_CASE("norms, deviations and logsumexp have TensorFlow's edges") {
  for (double v : gradient([](const Tensor& x) { return norm(x); }, doubles({0, 0}))) CHECK(std::isnan(v));
  for (double v : gradient([](const Tensor& x) { return reduce_euclidean_norm(x); }, doubles({0, 0})))
    CHECK(std::isnan(v));
  for (double v : gradient([](const Tensor& x) { return reduce_std(x); }, doubles({2, 2})))
    CHECK(std::isnan(v));
  const double inf = std::numeric_limits<double>::infinity();
  CHECK(element(reduce_logsumexp(doubles({-inf, -inf})), 0) == -inf);
  CHECK(element(reduce_logsumexp(doubles({1000, 1000})), 0) == Approx(1000 + std::log(2)));
  CHECK(gradient([](const Tensor& x) { return clip_by_norm(x, 1); }, doubles({0, 0})) == Numbers{1, 1});
}

TEST_CASE("one bad gradient shows in all that are clipped by the global norm") {
  const std::vector<Tensor> good{doubles({3, 0}), Tensor(), doubles({4})};
  const auto [clipped, length] = clip_by_global_norm(good, 1);
  CHECK(element(length, 0) == 5);
  CHECK(element(clipped[0], 0) == Approx(0.6));
  CHECK_FALSE(clipped[1]);
  const std::vector<Tensor> bad{doubles({1}), doubles({std::numeric_limits<double>::infinity()})};
  for (const Tensor& t : clip_by_global_norm(bad, 1).first) CHECK(std::isnan(element(t, 0)));
}

TEST_CASE("axes may be negative, many or none; dimensions stay when asked") {
  const Tensor x = make_full(Shape{2, 3, 4}, 1, DType::f64);
  CHECK(reduce_sum(x).shape() == Shape{});
  CHECK(reduce_sum(x, -1).shape() == Shape{2, 3});
  CHECK(reduce_sum(x, {0, 2}).shape() == Shape{3});
  CHECK(reduce_sum(x, {0, -1}, true).shape() == Shape{1, 3, 1});
  CHECK(reduce_sum(x, Axes(std::span<const int>{})).shape() == x.shape());
  CHECK(element(reduce_mean(x, {0, 2}), 1) == 1);
  CHECK_THROWS_AS(reduce_sum(x, 3), Error);
  CHECK_THROWS_AS(reduce_sum(x, {0, 0}), Error);
  CHECK_THROWS_AS(reduce_sum(x > 0), Error);
  CHECK_THROWS_AS(reduce_all(x), Error);
  CHECK_THROWS_AS(argmax(make_full(Shape{0}, 0, DType::f32)), Error);
  CHECK(argmax(x, 1).dtype() == DType::i64);
  CHECK(std::isnan(element(reduce_mean(make_full(Shape{0}, 0, DType::f64)), 0)));
}
