// Linear algebra: products against einsum, equations of every kind, solvers against their definitions,
// errors.
#include "engine/ops/linalg.h"

#include <cmath>

#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"
#include "tests/support/error_of.h"
#include "tests/support/near.h"

using namespace tapescope;
using namespace tapescope::test;

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
