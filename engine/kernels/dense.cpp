// Eigen's factorizations behind plain functions.
#include "engine/kernels/dense.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>

namespace tapescope::kernels {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using In = Eigen::Map<const Matrix>;
using Out = Eigen::Map<Matrix>;

bool regular(const Eigen::PartialPivLU<Matrix>& lu) {
  // Written so that a NaN counts as singular neither: it shows in the result.
  return !(lu.matrixLU().diagonal().cwiseAbs().array() == 0).any();
}

}  // namespace

bool invert(std::int64_t n, const double* a, double* y) {
  if (n == 0) return true;
  const Eigen::PartialPivLU<Matrix> lu(In(a, n, n));
  if (!regular(lu)) return false;
  Out(y, n, n) = lu.inverse();
  return true;
}

bool solve(std::int64_t n, std::int64_t columns, const double* a, bool transpose, const double* b,
           double* y) {
  if (n == 0 || columns == 0) return true;
  const Matrix matrix = transpose ? Matrix(In(a, n, n).transpose()) : Matrix(In(a, n, n));
  const Eigen::PartialPivLU<Matrix> lu(matrix);
  if (!regular(lu)) return false;
  Out(y, n, columns) = lu.solve(In(b, n, columns));
  return true;
}

bool cholesky_factor(std::int64_t n, const double* a, double* y) {
  if (n == 0) return true;
  const Eigen::LLT<Matrix> llt(In(a, n, n));
  if (llt.info() != Eigen::Success) return false;
  Out(y, n, n) = llt.matrixL();
  return true;
}

double determinant(std::int64_t n, const double* a) {
  return n == 0 ? 1 : Eigen::PartialPivLU<Matrix>(In(a, n, n)).determinant();
}

bool solve_triangular(std::int64_t n, std::int64_t columns, const double* a, bool lower, bool transpose,
                      const double* b, double* y) {
  if (n == 0 || columns == 0) return true;
  const In matrix(a, n, n);
  if ((matrix.diagonal().array() == 0).any()) return false;
  const In right(b, n, columns);
  Out out(y, n, columns);
  if (lower && transpose) out = matrix.triangularView<Eigen::Lower>().transpose().solve(right);
  else if (lower) out = matrix.triangularView<Eigen::Lower>().solve(right);
  else if (transpose) out = matrix.triangularView<Eigen::Upper>().transpose().solve(right);
  else out = matrix.triangularView<Eigen::Upper>().solve(right);
  return true;
}

}  // namespace tapescope::kernels
