// IndexedSlices: a tensor kept as some of its rows. Row indices[k] of the dense tensor is the sum of the
// values at every k where it appears; rows that do not appear are zero.
#pragma once
#include "engine/core/public.h"
#include "engine/core/tensor.h"

namespace tapescope TAPESCOPE_PUBLIC {

struct SlicesExtension : TensorExtension {
  SlicesExtension(Tensor v, Tensor i)
      : TensorExtension(Kind::slices), values(std::move(v)), indices(std::move(i)) {}
  Tensor values;   // [k, ...] of the dense dtype
  Tensor indices;  // [k], int32 or int64
};

// A tensor of the dense type that holds these rows and no other elements.
Tensor make_slices(Tensor values, Tensor indices, const Type* dense);

// The rows a tensor is kept as; null for a dense one.
inline const SlicesExtension* slices_of(const TensorImpl* tensor) {
  if (!tensor || !tensor->extension || tensor->extension->kind != TensorExtension::Kind::slices)
    return nullptr;
  return static_cast<const SlicesExtension*>(tensor->extension);
}

// All elements of the dense tensor, row-major; rows outside of it are left out.
std::vector<double> slices_elements(const SlicesExtension& slices, const Type& dense);
// Element i of it, by a search through the rows.
double slices_element(const SlicesExtension& slices, const Type& dense, std::int64_t i);

}  // namespace tapescope
