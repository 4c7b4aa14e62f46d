// The elementwise family: its list of rows and the inference they share.
#include "engine/ops/elementwise.h"

#include <vector>

#include "engine/ops/rows.h"

namespace tapescope {

const Type* rows::broadcast_type(InferContext& c, const Type* a, const Type* b, DType out) {
  if (a->dtype != b->dtype) {
    c.fail(fmt::format("the operands' dtypes differ, expected one dtype, got {} and {}; cast one of them",
                       a->text(), b->text()));
  }
  const Shape &x = a->shape, &y = b->shape;
  if (a == b || y.rank() == 0) return a->dtype == out ? a : intern_type(out, x);
  if (x.rank() == 0) return b->dtype == out ? b : intern_type(out, y);
  const Shape& longer = x.rank() >= y.rank() ? x : y;
  const Shape& shorter = x.rank() >= y.rank() ? y : x;
  Shape shape = longer;
  for (int i = 1; i <= shorter.rank(); ++i) {
    const std::int64_t p = longer[longer.rank() - i], q = shorter[shorter.rank() - i];
    if (p == q || q == 1) continue;
    if (p != 1) {
      c.fail(
          fmt::format("the operands' shapes do not broadcast, got {} and {}: sizes {} and {} of dimension {} "
                      "from the end "
                      "differ and neither is 1; reshape or transpose one of them",
                      a->text(), b->text(), p, q, i));
    }
    shape[longer.rank() - i] = q;
  }
  const Type* larger = &longer == &x ? a : b;
  return larger->dtype == out && larger->shape == shape ? larger : intern_type(out, shape);
}

std::span<const OpDef* const> elementwise_ops() {
  static const std::vector<const OpDef*> all = [] {
    std::vector<const OpDef*> list;
    for (auto part : {rows::unary_rows(), rows::activation_rows(), rows::gradient_rows(), rows::binary_rows(),
                      rows::comparison_rows(), rows::selection_rows()}) {
      list.insert(list.end(), part.begin(), part.end());
    }
    return list;
  }();
  return all;
}

}  // namespace tapescope
