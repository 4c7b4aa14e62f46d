// Heads without elements that lead to rows.
#include "engine/core/slices.h"

namespace tapescope {

Tensor make_slices(Tensor values, Tensor indices, const Type* dense) {
  static const Type* const empty = intern_type(DType::f32, {0});
  Tensor head(new_tensor(empty));
  head.impl()->type = dense;
  head.impl()->data = nullptr;
  head.impl()->extension = new SlicesExtension(std::move(values), std::move(indices));
  return head;
}

double slices_element(const SlicesExtension& slices, const Type& dense, std::int64_t i) {
  const std::int64_t row_size = dense.numel / dense.shape[0];
  double sum = 0;
  for (std::int64_t k = 0; k < slices.indices.numel(); ++k) {
    if (static_cast<std::int64_t>(element(slices.indices, k)) == i / row_size) {
      sum += element(slices.values, k * row_size + i % row_size);
    }
  }
  return sum;
}

}  // namespace tapescope
