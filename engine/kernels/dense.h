// Factorizations of small dense matrices, computed in double whatever the dtype. Row-major, n by n.
#pragma once
#include <cstdint>

namespace tapescope::kernels {

// Each returns false for a matrix that is singular (not positive definite), leaving y undefined.
bool invert(std::int64_t n, const double* a, double* y);
bool solve(std::int64_t n, std::int64_t columns, const double* a, bool transpose, const double* b, double* y);
bool cholesky_factor(std::int64_t n, const double* a, double* y);
double determinant(std::int64_t n, const double* a);
// With one triangle of `a`; false for a zero on the diagonal.
bool solve_triangular(std::int64_t n, std::int64_t columns, const double* a, bool lower, bool transpose,
                      const double* b, double* y);

}  // namespace tapescope::kernels
