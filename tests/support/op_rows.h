// Elementwise rows of the op table by what they take, so that tests of all ops include a row that is added.
#pragma once
#include <optional>
#include <vector>

#include "engine/core/error.h"
#include "engine/ops/ops.h"
#include "engine/ops/rows.h"

namespace tapescope::test {

// Whether an elementwise row's inference accepts tensors of these shapes.
inline bool accepts(const OpDef& op, DType dtype, const Shape& a, const Shape& b) {
  const Tensor first = zeros(a, dtype), second = zeros(b, dtype);
  TensorImpl* const both[] = {first.impl(), second.impl()};
  InferContext context{op, both, kNoAttrs, Location::current()};
  try {
    op.infer(context);
    return true;
  } catch (const Error&) {
    return false;
  }
}

// A row that accepts shapes which do not broadcast to one another reads its first input alone.
inline bool is_unary(const OpDef& op) {
  const Shape a{2, 3}, b{5, 7};
  return accepts(op, DType::f32, a, b) || accepts(op, DType::boolean, a, b);
}

// Rows of one input, or of two; those that are defined for the dtype where it is given.
inline std::vector<const OpDef*> elementwise_rows(int inputs, std::optional<DType> dtype = {}) {
  std::vector<const OpDef*> found;
  for (const auto& part : {rows::unary_rows(), rows::activation_rows(), rows::gradient_rows(),
                           rows::binary_rows(), rows::comparison_rows()}) {
    for (const OpDef* op : part) {
      if (is_unary(*op) == (inputs == 1) && (!dtype || accepts(*op, *dtype, {2, 3}, {2, 3})))
        found.push_back(op);
    }
  }
  return found;
}

}  // namespace tapescope::test
