// Linear algebra: products, einsum, solving and factorizing dense matrices.
#pragma once
#include <initializer_list>
#include <span>
#include <string_view>

#include "engine/gate/apply.h"

namespace tapescope {

// The product of two matrices [m, k] [k, n] -> [m, n], or of stacks of matrices whose leading dimensions
// broadcast. The flags take an operand transposed without copying it. FLOPs: 2 m k n per matrix.
Tensor matmul(const Arg& a, const Arg& b, bool transpose_a = false, bool transpose_b = false);
// [.., m, k] [.., k] -> [.., m]
Tensor matvec(const Arg& a, const Arg& x, bool transpose_a = false);
// Sums products over the last `axes` dimensions of a and the first of b.
Tensor tensordot(const Arg& a, const Arg& b, int axes);
// Einstein summation, "ij,jk->ik"; one or two operands, "..." broadcasts. Throws ValueError for a bad
// equation.
Tensor einsum(std::string_view equation, std::span<const Tensor> operands,
              Location location = Location::current());
Tensor einsum(std::string_view equation, std::initializer_list<Tensor> operands,
              Location location = Location::current());

// Square matrices [.., n, n]. Throw InvalidArgument for a singular (not positive definite) matrix.
Tensor matrix_inverse(const Arg& a, bool adjoint = false);
Tensor matrix_solve(const Arg& a, const Arg& b, bool adjoint = false);  // b: [.., n, m]
Tensor cholesky(const Arg& a);                                          // lower L with L L^T = a
Tensor matrix_determinant(const Arg& a);
// Solves with the lower (upper) triangle of a only.
Tensor triangular_solve(const Arg& a, const Arg& b, bool lower = true, bool adjoint = false);
// Keeps `lower` diagonals below the main one and `upper` above; a negative count keeps all.
Tensor matrix_band_part(const Arg& a, int lower, int upper);
Tensor matrix_diag(const Arg& diagonal);  // [.., n] -> [.., n, n]
Tensor matrix_diag_part(const Arg& a);    // [.., m, n] -> [.., min(m, n)]
Tensor trace(const Arg& a);               // [.., n, n] -> [..]

std::span<const OpDef* const> linalg_ops();

}  // namespace tapescope
