// Rows and functions that solve and factorize: computed in double, rounded once.
#include "engine/kernels/dense.h"
#include "engine/kernels/scratch.h"
#include "engine/ops/batch_rules.h"
#include "engine/ops/creation.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/linalg/rows.h"
#include "engine/ops/shape.h"

namespace tapescope {
namespace {

using namespace rows;

constexpr std::uint32_t kAdjoint = 1, kLower = 2;

std::int64_t last(const Type& type) { return type.shape[type.shape.rank() - 1]; }

void check_square(InferContext& c, const Type& type) {
  const int rank = type.shape.rank();
  if (!is_floating(type.dtype)) refuse_dtype(c, type.dtype);
  if (rank < 2 || type.shape[rank - 1] != type.shape[rank - 2])
    c.fail(fmt::format("expected square matrices, got {}", type.text()));
}
void square_infer(InferContext& c) {
  check_square(c, c.in(0));
  c.out(c.inputs[0]->type);
}
void determinant_infer(InferContext& c) {
  check_square(c, c.in(0));
  const Shape& shape = c.in(0).shape;
  c.out(c.in(0).dtype, Shape(shape.dims().first(static_cast<std::size_t>(shape.rank() - 2))));
}
void solve_infer(InferContext& c) {
  const Type &a = c.in(0), &b = c.in(1);
  check_square(c, a);
  const int rank = a.shape.rank();
  bool fits = b.dtype == a.dtype && b.shape.rank() == rank;
  for (int i = 0; fits && i + 1 < rank; ++i) fits = a.shape[i] == b.shape[i];
  if (!fits)
    c.fail(fmt::format("the right side does not fit, expected the leading sizes and dtype of {}, got {}",
                       a.text(), b.text()));
  c.out(c.inputs[1]->type);
}

// Runs body(matrix, right side, result) over the stack, all in double; body says whether it succeeded.
template <class Body>
void each_matrix(KernelContext& c, std::string_view op, std::string_view trouble, const Body& body) {
  const Type &a = c.in_type(0), &y = c.out_type();
  const bool has_right = c.inputs.size() > 1;
  const std::int64_t n = last(a), size = n * n, count = size ? a.numel / size : 0;
  const std::int64_t right = has_right && count ? c.in_type(1).numel / count : 0,
                     result = count ? y.numel / count : 0;
  const kernels::Scratch room(8 * (a.numel + (has_right ? c.in_type(1).numel : 0) + y.numel));
  double* x = room.as<double>();
  double* b = x + a.numel;
  double* z = b + (has_right ? c.in_type(1).numel : 0);
  kernels::convert(a.dtype, c.in<void>(0), DType::f64, x, a.numel);
  if (has_right) kernels::convert(a.dtype, c.in<void>(1), DType::f64, b, c.in_type(1).numel);
  for (std::int64_t i = 0; i < count; ++i) {
    if (!body(n, x + i * size, b + i * right, z + i * result)) {
      fail(ErrorKind::invalid_argument, op,
           fmt::format("{} (matrix {} of {}, got {})", trouble, i, count, a.text()));
    }
  }
  kernels::convert(DType::f64, z, y.dtype, c.out<void>(), y.numel);
}

constexpr std::string_view kSingular =
    "input is not invertible, expected a matrix of full rank; add a small multiple of the identity";

void inverse_kernel(KernelContext& c) {
  const bool adjoint = c.attrs.flags & kAdjoint;
  each_matrix(c, "MatrixInverse", kSingular, [&](std::int64_t n, const double* a, const double*, double* y) {
    if (!kernels::invert(n, a, y)) return false;
    for (std::int64_t i = 0; adjoint && i < n; ++i) {
      for (std::int64_t k = 0; k < i; ++k) std::swap(y[i * n + k], y[k * n + i]);
    }
    return true;
  });
}
void solve_kernel(KernelContext& c) {
  each_matrix(c, "MatrixSolve", kSingular, [&](std::int64_t n, const double* a, const double* b, double* y) {
    return kernels::solve(n, last(c.in_type(1)), a, c.attrs.flags & kAdjoint, b, y);
  });
}
void triangular_kernel(KernelContext& c) {
  each_matrix(c, "MatrixTriangularSolve", kSingular,
              [&](std::int64_t n, const double* a, const double* b, double* y) {
                return kernels::solve_triangular(n, last(c.in_type(1)), a, c.attrs.flags & kLower,
                                                 c.attrs.flags & kAdjoint, b, y);
              });
}
void cholesky_kernel(KernelContext& c) {
  each_matrix(c, "Cholesky",
              "decomposition was not successful, expected a symmetric positive definite matrix; the input "
              "might not be valid",
              [](std::int64_t n, const double* a, const double*, double* y) {
                return kernels::cholesky_factor(n, a, y);
              });
}
void determinant_kernel(KernelContext& c) {
  if (last(c.in_type(0)) == 0) {
    // A product of nothing.
    for (std::int64_t i = 0; i < c.out_type().numel; ++i) set_element(c.outputs[0].impl(), i, 1);
    return;
  }
  each_matrix(c, "MatrixDeterminant", "", [](std::int64_t n, const double* a, const double*, double* y) {
    *y = kernels::determinant(n, a);
    return true;
  });
}

void inverse_vjp(VjpContext& c) {
  const bool adjoint = c.attrs().flags & kAdjoint;
  c.set(0, -matmul(c.out(), matmul(c.grad(), c.out(), adjoint, !adjoint), !adjoint, false));
}
// The right side's gradient solves with the transposed matrix; the matrix' own is an outer product.
void solve_vjp(VjpContext& c) {
  const bool adjoint = c.attrs().flags & kAdjoint;
  const Tensor right = matrix_solve(c.in(0), c.grad(), !adjoint);
  if (c.needs(1)) c.set(1, right);
  if (c.needs(0))
    c.set(0, adjoint ? -matmul(c.out(), right, false, true) : -matmul(right, c.out(), false, true));
}
void triangular_vjp(VjpContext& c) {
  const bool adjoint = c.attrs().flags & kAdjoint, lower = c.attrs().flags & kLower;
  const Tensor right = triangular_solve(c.in(0), c.grad(), lower, !adjoint);
  if (c.needs(1)) c.set(1, right);
  if (c.needs(0)) {
    const Tensor whole =
        adjoint ? -matmul(c.out(), right, false, true) : -matmul(right, c.out(), false, true);
    c.set(0, matrix_band_part(whole, lower ? -1 : 0, lower ? 0 : -1));
  }
}
Tensor transposed(const Tensor& x) {
  Ints perm;
  for (int i = 0; i < x.rank() - 2; ++i) perm.push_back(i);
  perm.push_back(x.rank() - 1);
  perm.push_back(x.rank() - 2);
  return transpose(x, perm);
}
// (L^-T phi(L^T g) L^-1) made symmetric; phi keeps the lower triangle and halves the diagonal.
void cholesky_vjp(VjpContext& c) {
  const Tensor& l = c.out();
  const Type& type = c.out_type();
  const Shape diagonal(type.shape.dims().first(static_cast<std::size_t>(type.shape.rank() - 1)));
  const Tensor inverse = triangular_solve(l, matrix_diag(ones(diagonal, type.dtype)), true);
  const Tensor product = matmul(l, c.grad(), true, false);
  const Tensor middle = matrix_band_part(product, -1, 0) - matrix_diag(0.5 * matrix_diag_part(product));
  const Tensor half = matmul(matmul(inverse, middle, true, false), inverse);
  c.set(0, 0.5 * (half + transposed(half)));
}
void determinant_vjp(VjpContext& c) {
  const Tensor factor = c.grad() * c.out();
  c.set(0, expand_dims(expand_dims(factor, -1), -1) * matrix_inverse(c.in(0), true));
}

// n^3 operations for each n x n matrix, times the op's own factor.
template <int kNumerator, int kDenominator>
OpCost cubic_cost(std::span<const Type* const> in, std::span<const Type* const> out, const Attrs&) {
  if (in[0]->shape.rank() < 2) return {0, bytes_moved(in, out)};  // what another program calls a matrix
  const double each = static_cast<double>(kNumerator) / kDenominator * static_cast<double>(in[0]->numel) *
                      static_cast<double>(last(*in[0]));
  const double right =
      in.size() > 1 ? 2 * static_cast<double>(in[1]->numel) * static_cast<double>(last(*in[0])) : 0;
  return {each + right, bytes_moved(in, out)};
}

constinit const OpDef kInverse = {.name = "MatrixInverse",
                                  .infer = square_infer,
                                  .kernel = inverse_kernel,
                                  .saves = kOut,
                                  .vjp = inverse_vjp,
                                  .batch = BatchRule::custom,
                                  .batched = batch_rules::leading,
                                  .cost = cubic_cost<2, 1>,
                                  .doc = "inverse; flag 0 transposes it; gradient -y^T g y^T"};
constinit const OpDef kSolve = {.name = "MatrixSolve",
                                .infer = solve_infer,
                                .kernel = solve_kernel,
                                .saves = kIn0 | kOut,
                                .vjp = solve_vjp,
                                .batch = BatchRule::custom,
                                .batched = batch_rules::solve,
                                .cost = cubic_cost<2, 3>,
                                .doc = "y with a y = b; flag 0 takes a transposed"};
constinit const OpDef kTriangular = {
    .name = "MatrixTriangularSolve",
    .infer = solve_infer,
    .kernel = triangular_kernel,
    .saves = kIn0 | kOut,
    .vjp = triangular_vjp,
    .batch = BatchRule::custom,
    .batched = batch_rules::solve,
    .cost = cubic_cost<0, 1>,
    .doc = "y with a y = b for the triangle of a that flag 1 (lower) names; flag 0 takes it transposed"};
constinit const OpDef kCholesky = {.name = "Cholesky",
                                   .infer = square_infer,
                                   .kernel = cholesky_kernel,
                                   .saves = kOut,
                                   .vjp = cholesky_vjp,
                                   .batch = BatchRule::custom,
                                   .batched = batch_rules::leading,
                                   .cost = cubic_cost<1, 3>,
                                   .doc = "lower triangular L with L L^T = a; the gradient is symmetric"};
constinit const OpDef kDeterminant = {.name = "MatrixDeterminant",
                                      .infer = determinant_infer,
                                      .kernel = determinant_kernel,
                                      .saves = kIn0 | kOut,
                                      .vjp = determinant_vjp,
                                      .batch = BatchRule::custom,
                                      .batched = batch_rules::leading,
                                      .cost = cubic_cost<2, 3>,
                                      .doc = "determinant; gradient g y a^-T"};

constexpr const OpDef* kLinalgSolveRows[] = {&kInverse, &kSolve, &kTriangular, &kCholesky, &kDeterminant};

Attrs flags(std::uint32_t bits) {
  Attrs attrs;
  attrs.flags = bits;
  return attrs;
}

}  // namespace

std::span<const OpDef* const> rows::solver_rows() { return kLinalgSolveRows; }

Tensor matrix_inverse(const Arg& a, bool adjoint) {
  return apply(kInverse, a, flags(adjoint ? kAdjoint : 0));
}
Tensor matrix_solve(const Arg& a, const Arg& b, bool adjoint) {
  return apply(kSolve, a, b, flags(adjoint ? kAdjoint : 0));
}
Tensor cholesky(const Arg& a) { return apply(kCholesky, a); }
Tensor matrix_determinant(const Arg& a) { return apply(kDeterminant, a); }
Tensor triangular_solve(const Arg& a, const Arg& b, bool lower, bool adjoint) {
  return apply(kTriangular, a, b, flags((adjoint ? kAdjoint : 0) | (lower ? kLower : 0)));
}

}  // namespace tapescope
