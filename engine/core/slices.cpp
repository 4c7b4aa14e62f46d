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

std::vector<double> slices_elements(const SlicesExtension& slices, const Type& dense) {
  std::vector<double> sums(static_cast<std::size_t>(dense.numel), 0);
  if (dense.numel == 0) return sums;
  const std::int64_t row_size = dense.numel / dense.shape[0];
  for (std::int64_t k = 0; k < slices.indices.numel(); ++k) {
    const auto row = static_cast<std::int64_t>(element_value(slices.indices, k));
    if (row < 0 || row >= dense.shape[0]) continue;
    for (std::int64_t i = 0; i < row_size; ++i) {
      sums[static_cast<std::size_t>(row * row_size + i)] += element_value(slices.values, k * row_size + i);
    }
  }
  return sums;
}

double slices_element(const SlicesExtension& slices, const Type& dense, std::int64_t i) {
  const std::int64_t row_size = dense.numel / dense.shape[0];
  double sum = 0;
  for (std::int64_t k = 0; k < slices.indices.numel(); ++k) {
    if (static_cast<std::int64_t>(element_value(slices.indices, k)) == i / row_size) {
      sum += element_value(slices.values, k * row_size + i % row_size);
    }
  }
  return sum;
}

}  // namespace tapescope
