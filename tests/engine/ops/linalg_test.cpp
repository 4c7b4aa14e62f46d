// Linear algebra: products against einsum, equations of every kind, solvers against their definitions,
// errors.
#include "engine/ops/linalg.h"

#include <cmath>
#include <random>
#include <string>

#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"
#include "tests/support/error_of.h"
#include "tests/support/near.h"

using namespace tapescope;
using namespace tapescope::test;

namespace {

// An equation over labels a to d, and its sums in plain loops.
struct Equation {
  static constexpr std::int64_t kSizes[] = {2, 3, 1, 4};
  std::vector<std::string> operands;
  std::string result;

  explicit Equation(std::mt19937& random) {
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    std::string used;
    for (std::size_t count = 1 + below(2); count > 0; --count) {
      std::string labels;
      for (std::size_t rank = below(4); rank > 0; --rank) labels += static_cast<char>('a' + below(4));
      operands.push_back(labels);
      used += labels;
    }
    for (char label = 'a'; label <= 'd'; ++label) {
      if (used.find(label) != used.npos && below(2) == 0) result.insert(below(result.size() + 1), 1, label);
    }
  }
  std::string text() const {
    return operands[0] + (operands.size() > 1 ? "," + operands[1] : "") + "->" + result;
  }
  static Shape shape_of(const std::string& labels) {
    Shape shape;
    for (const char label : labels) shape.push_back(kSizes[label - 'a']);
    return shape;
  }
  // body(offset in the result, offset in each operand) for each product of the sum.
  template <class Body>
  void each(Body body) const {
    std::string all;
    for (char label = 'a'; label <= 'd'; ++label) {
      if ((operands[0] + (operands.size() > 1 ? operands[1] : "")).find(label) != std::string::npos)
        all += label;
    }
    const Shape every = shape_of(all);
    for (std::int64_t i = 0; i < every.numel(); ++i) {
      std::int64_t at[4] = {}, rest = i;
      for (std::size_t k = all.size(); k-- > 0; rest /= every[static_cast<int>(k)])
        at[all[k] - 'a'] = rest % every[static_cast<int>(k)];
      const auto offset = [&](const std::string& labels) {
        std::int64_t offset = 0;
        for (const char label : labels) offset = offset * kSizes[label - 'a'] + at[label - 'a'];
        return static_cast<std::size_t>(offset);
      };
      body(offset(result), offset(operands[0]), operands.size() > 1 ? offset(operands[1]) : 0);
    }
  }
};

}  // namespace

TEST_CASE("equations of any labels are the sums that they stand for, forward and backward") {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    const Equation equation(random);
    INFO(equation.text());
    const bool two = equation.operands.size() > 1;
    std::vector<Tensor> operands;
    for (const std::string& labels : equation.operands)
      operands.push_back(numbers(Equation::shape_of(labels), static_cast<int>(operands.size()) + 1));
    const Tensor g = numbers(Equation::shape_of(equation.result), 7);
    const auto size = [](const Tensor& x) { return static_cast<std::size_t>(x.numel()); };
    std::vector<double> want(size(g)), by_first(size(operands[0])), by_second(two ? size(operands[1]) : 1);
    equation.each([&](std::size_t y, std::size_t a, std::size_t b) {
      const double of_a = element_value(operands[0], static_cast<std::int64_t>(a));
      const double of_b = two ? element_value(operands[1], static_cast<std::int64_t>(b)) : 1;
      const double of_g = element_value(g, static_cast<std::int64_t>(y));
      want[y] += of_a * of_b;
      by_first[a] += of_g * of_b;
      by_second[b] += of_g * of_a;
    });
    GradientTape tape;
    Tensor y;
    {
      const auto recording = tape.record();
      for (const Tensor& operand : operands) tape.watch(operand);
      y = einsum(equation.text(), std::span<const Tensor>(operands));
    }
    REQUIRE(y.shape() == g.shape());
    check_close(y, make_tensor(want, g.shape(), g.dtype()));
    const std::vector<Traced> sources(operands.begin(), operands.end());
    const std::vector<Tensor> gradients =
        tape.gradient(y, std::span<const Traced>(sources), {.output_gradients = {g}});
    check_close(gradients[0], make_tensor(by_first, operands[0].shape(), g.dtype()));
    if (two) check_close(gradients[1], make_tensor(by_second, operands[1].shape(), g.dtype()));
  }
}

TEST_CASE("products of every small size and flag are sums, forward and backward, in each dtype") {
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::i32})
    for (const std::int64_t m : {0, 1, 2, 5, 9})
      for (const std::int64_t k : {0, 1, 3, 8})
        for (const std::int64_t n : {0, 1, 4, 7})
          for (unsigned flags = 0; flags < 4; ++flags) {
            INFO(name_of(dtype) << " " << m << " " << k << " " << n << ", flags " << flags);
            const bool ta = flags & 1, tb = flags & 2;
            const auto whole = [&](const Shape& shape, int seed) {
              return cast(floor(numbers(shape, seed) * 4.0), dtype);
            };
            const Tensor a = whole(ta ? Shape{k, m} : Shape{m, k}, 1),
                         b = whole(tb ? Shape{n, k} : Shape{k, n}, 2);
            std::vector<double> want(static_cast<std::size_t>(m * n));
            for (std::int64_t i = 0; i < m; ++i)
              for (std::int64_t j = 0; j < n; ++j)
                for (std::int64_t p = 0; p < k; ++p)
                  want[static_cast<std::size_t>(i * n + j)] += element_value(a, ta ? p * m + i : i * k + p) *
                                                               element_value(b, tb ? j * k + p : p * n + j);
            const Tensor y = matmul(a, b, ta, tb);
            REQUIRE(y.shape() == Shape{m, n});
            CHECK(element_values(y) == want);
          }
}

TEST_CASE("products with transpose flags equal their equations") {
  const Tensor a = numbers({3, 4}, 1), b = numbers({4, 5}, 2), at = transpose(a), bt = transpose(b);
  const Tensor want = einsum("ij,jk->ik", {a, b});
  check_close(matmul(a, b), want);
  check_close(matmul(at, b, true), want);
  check_close(matmul(a, bt, false, true), want);
  check_close(matmul(at, bt, true, true), want);
}

TEST_CASE("stacks of matrices broadcast") {
  const Tensor a = numbers({2, 1, 3, 4}, 1), b = numbers({3, 4, 2}, 2);
  check_close(matmul(a, b), einsum("...ij,...jk->...ik", {a, b}));
  const Tensor one = numbers({4, 2}, 3);
  check_close(matmul(a, one), einsum("abij,jk->abik", {a, one}));
  const Tensor left = numbers({5, 4}, 4);
  check_close(matmul(left, b), einsum("ij,bjk->bik", {left, b}));
}

TEST_CASE("equations may take diagonals, sum alone, broadcast and leave the output out") {
  const Tensor a = numbers({3, 3}, 1), b = numbers({3, 2}, 2), c = numbers({2, 4}, 3);
  check_close(einsum("ii->", {a}), trace(a));
  check_close(einsum("ii->i", {a}), matrix_diag_part(a));
  check_close(einsum("ij->", {a}), reduce_sum(a));
  check_close(einsum("ij", {a}), a);
  check_close(einsum("ba", {a}), transpose(a));
  check_close(einsum("ij,jk", {a, b}), matmul(a, b));
  check_close(einsum("ij,jk,kl->il", {a, b, c}), matmul(matmul(a, b), c));
  check_close(einsum("ij,k->i", {a, numbers({2}, 5)}), reduce_sum(a, 1) * reduce_sum(numbers({2}, 5)));
  const Tensor x = numbers({5, 1, 3}, 6), y = numbers({4, 3}, 7);
  check_close(einsum("...i,...i->...", {x, y}), reduce_sum(x * y, -1));
}

TEST_CASE("gradients of equations are those of the same sum written out") {
  const Tensor a = numbers({3, 3}, 1), b = numbers({3}, 2);
  for (const char* equation : {"ii,i->i", "ii,j->", "ij,i->j", "ij,k->", "ji,i->ij"}) {
    GradientTape tape;
    Tensor y;
    {
      auto recording = tape.record();
      tape.watch({a, b});
      y = reduce_sum(square(einsum(equation, {a, b})));
    }
    const std::vector<Tensor> g = tape.gradient(y, {a, b});
    INFO(equation);
    for (int input = 0; input < 2; ++input) {
      const Tensor& x = input == 0 ? a : b;
      REQUIRE(g[static_cast<std::size_t>(input)].shape() == x.shape());
      for (std::int64_t i = 0; i < x.numel(); ++i) {
        const auto moved = [&](double by) {
          std::vector<double> values = elements(x);
          values[static_cast<std::size_t>(i)] += by;
          const Tensor other = make_tensor(values, x.shape(), DType::f64);
          return element(
              reduce_sum(square(einsum(equation, {input == 0 ? other : a, input == 0 ? b : other}))), 0);
        };
        REQUIRE(element(g[static_cast<std::size_t>(input)], i) ==
                Approx((moved(1e-5) - moved(-1e-5)) / 2e-5).margin(1e-7));
      }
    }
  }
}

TEST_CASE("solvers undo what products do") {
  const Tensor a = numbers({2, 4, 4}, 1) + 3 * eye(4, -1, DType::f64), b = numbers({2, 4, 3}, 2);
  const Tensor unit = eye(4, -1, DType::f64) + zeros({2, 4, 4}, DType::f64);
  check_close(matmul(a, matrix_inverse(a)), unit);
  check_close(matmul(a, matrix_inverse(a, true), true), unit);
  check_close(matmul(a, matrix_solve(a, b)), b);
  check_close(matmul(a, matrix_solve(a, b, true), true), b);
  const Tensor positive = matmul(a, a, false, true), l = cholesky(positive);
  check_close(matmul(l, l, false, true), positive, 1e-11);
  check_close(l, matrix_band_part(l, -1, 0));
  for (bool lower : {true, false}) {
    const Tensor triangle = matrix_band_part(a, lower ? -1 : 0, lower ? 0 : -1);
    check_close(matmul(triangle, triangular_solve(a, b, lower)), b, 1e-11);
    check_close(matmul(triangle, triangular_solve(a, b, lower, true), true), b, 1e-11);
  }
  check_close(matrix_determinant(matmul(a, a)), square(matrix_determinant(a)), 1e-8);
}

TEST_CASE("what cannot be multiplied, solved or summed is refused with its reason") {
  const Tensor a = numbers({2, 3}, 1), b = numbers({2, 3}, 2);
  CHECK(error_of([&] { (void)matmul(a, b); }).find("inner sizes differ") != std::string::npos);
  CHECK(error_of([&] { (void)matmul(a, numbers({3}, 1)); }).starts_with("[MatMul]"));
  CHECK(error_of([&] { (void)matrix_inverse(a); }).find("square") != std::string::npos);
  CHECK(error_of([&] {
          (void)matrix_inverse(zeros({2, 2}, DType::f64));
        }).find("not invertible") != std::string::npos);
  CHECK(error_of([&] { (void)cholesky(-1 * eye(2, -1, DType::f64)); }).starts_with("[Cholesky]"));
  CHECK(error_of([&] { (void)einsum("ij,jk->ik", {a}); }).find("names 2 operands") != std::string::npos);
  CHECK(error_of([&] { (void)einsum("ij,jk->iz", {a, a}); }).find("'z'") != std::string::npos);
  CHECK(error_of([&] { (void)einsum("i,j->ij", {a, a}); }).find("names 1 dimensions") != std::string::npos);
  CHECK(error_of([&] { (void)einsum("ij,jk->ik", {a, b}); }).find("two sizes") != std::string::npos);
  CHECK(error_of([&] { (void)einsum("i?", {a}); }).find("'?'") != std::string::npos);
}

TEST_CASE("matvec and tensordot are products in disguise") {
  const Tensor a = numbers({3, 4}, 1), x = numbers({4}, 2), y = numbers({4, 2}, 3);
  check_close(matvec(a, x), einsum("ij,j->i", {a, x}));
  check_close(tensordot(a, y, 1), matmul(a, y));
  check_close(tensordot(a, a, 2), reduce_sum(square(a)));
  check_close(tensordot(x, x, 0), einsum("i,j->ij", {x, x}));
}

TEST_CASE("einsum takes one or two operands without braces, variables too") {
  const Tensor a = constant({{1.0, 2.0}, {3.0, 4.0}});
  const Variable w(constant({{0.0, 1.0}, {1.0, 0.0}}), {.name = "w"});
  CHECK(elements(einsum("ij->ji", a)) == std::vector<double>{1, 3, 2, 4});
  CHECK(elements(einsum("ij,jk->ik", a, w)) == std::vector<double>{2, 1, 4, 3});
}
