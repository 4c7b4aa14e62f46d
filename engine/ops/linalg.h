// Linear algebra: products, einsum, solving and factorizing dense matrices.
#pragma once
#include <initializer_list>
#include <span>
#include <string_view>

#include "engine/core/public.h"
#include "engine/gate/apply.h"

namespace tapescope TAPESCOPE_PUBLIC {

// Real dtypes, halves with float32 accumulation; NaN spreads to every element it meets. All throw
// InvalidArgument, with op and line, for shapes that do not fit, dtypes that differ or are not floating. m,
// k, n are sizes, g the cotangent.

// The product of two matrices [m, k] [k, n] -> [m, n], or of stacks of matrices whose leading dimensions
// broadcast. The flags take an operand transposed without copying it. Gradients g b^T and a^T g. FLOPs: 2 m k
// n per matrix.
Tensor matmul(const Arg& a, const Arg& b, bool transpose_a = false, bool transpose_b = false);
// [.., m, k] [.., k] -> [.., m]: matmul with a column. Gradients g x^T and a^T g.
Tensor matvec(const Arg& a, const Arg& x, bool transpose_a = false);
// Sums products over the last `axes` dimensions of a and the first of b: one matmul of both, reshaped.
Tensor tensordot(const Arg& a, const Arg& b, int axes);
// Einstein summation, "ij,jk->ik"; one or two operands, "..." broadcasts. Gradients by the equation turned
// round. Throws ValueError for a bad equation.
Tensor einsum(std::string_view equation, std::span<const Tensor> operands,
              Location location = Location::current());
Tensor einsum(std::string_view equation, std::initializer_list<Tensor> operands,
              Location location = Location::current());
inline Tensor einsum(std::string_view equation, const Arg& a) {
  return einsum(equation, {a.tensor()}, a.location());
}
inline Tensor einsum(std::string_view equation, const Arg& a, const Arg& b) {
  return einsum(equation, {a.tensor(), b.tensor()}, a.location());
}

// Square matrices [.., n, n]. Throw InvalidArgument for a singular (cholesky: not positive definite) matrix
// too.

// a^-1, `adjoint` its transpose. Gradient -y^T g y^T.
Tensor matrix_inverse(const Arg& a, bool adjoint = false);
// y with a y = b for b [.., n, m]; `adjoint` takes a transposed. Gradients h = a^-T g for b and -h y^T for a.
Tensor matrix_solve(const Arg& a, const Arg& b, bool adjoint = false);
// Lower triangular L with L L^T = a; reads the lower triangle. The gradient is symmetric.
Tensor cholesky(const Arg& a);
// [.., n, n] -> [..]; 0 for a singular matrix. Gradient g y a^-T, which throws for such a matrix.
Tensor matrix_determinant(const Arg& a);
// matrix_solve with the lower (upper) triangle of a only, whose other triangle gets gradient 0.
Tensor triangular_solve(const Arg& a, const Arg& b, bool lower = true, bool adjoint = false);

// Parts of matrices, of any dtype but resource; a gradient goes back to where an element came from.

// Keeps `lower` diagonals below the main one and `upper` above, zeros elsewhere; a negative count keeps all.
Tensor matrix_band_part(const Arg& a, int lower, int upper);
Tensor matrix_diag(const Arg& diagonal);  // [.., n] -> [.., n, n], zeros beside the diagonal
Tensor matrix_diag_part(const Arg& a);    // [.., m, n] -> [.., min(m, n)]
Tensor trace(const Arg& a);               // [.., m, n] -> [..]: the sum of the diagonal

std::span<const OpDef* const> linalg_ops();

}  // namespace tapescope
