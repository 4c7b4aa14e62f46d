// Einstein summation of one or two operands: permute, multiply as stacked matrices, permute back.
#pragma once
#include <string_view>

#include "engine/core/type.h"

namespace tapescope::kernels {

// An equation with a letter for each dimension, "ij,jk->ik". A letter twice in an operand takes the diagonal,
// twice in the output writes it, with zeros beside.
struct EinsumEquation {
  std::string_view a, b, out;
  bool binary = false;
  explicit EinsumEquation(std::string_view text);
};

// Half types are computed in float32; integers wrap.
void einsum(const EinsumEquation& equation, DType type, const void* a, const Shape& a_shape, const void* b,
            const Shape* b_shape, void* y, const Shape& out);
// Multiply-adds times two.
double einsum_flops(const EinsumEquation& equation, const Shape& a, const Shape* b);

}  // namespace tapescope::kernels
