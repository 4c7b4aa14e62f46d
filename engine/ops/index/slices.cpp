// Making slices, joining them and making them dense.
#include "engine/ops/slices.h"

#include <fmt/format.h>

#include "engine/gate/densify.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/index.h"
#include "engine/program.h"

namespace tapescope {

IndexedSlices::IndexedSlices(const Tensor& tensor, Location location)
    : tensor_(tensor), slices_(slices_of(tensor.impl())) {
  if (slices_) return;
  fail(ErrorKind::type, "IndexedSlices",
       fmt::format("got {}, expected a gradient that is kept as rows; ask is_indexed_slices() first",
                   tensor ? "the dense " + tensor.type().text() : "None"),
       &location);
}

Tensor indexed_slices(const Tensor& values, const Tensor& indices, const Shape& dense_shape,
                      Location location) {
  const auto refuse = [&](std::string_view what) {
    fail(ErrorKind::invalid_argument, "IndexedSlices",
         fmt::format("values {} and indices {} {} of {}", values ? values.type().text() : "None",
                     indices ? indices.type().text() : "None", what, dense_shape.text()),
         &location);
  };
  if (!values || !indices || !is_integer(indices.dtype()) || indices.rank() != 1 ||
      values.rank() != dense_shape.rank() || values.rank() == 0 || values.dim(0) != indices.dim(0)) {
    refuse("are not one row for each whole number, rows");
  }
  for (int i = 1; i < values.rank(); ++i) {
    if (values.dim(i) != dense_shape[i]) refuse("are not rows");
  }
  return make_slices(values, indices, intern_type(values.dtype(), dense_shape));
}

Tensor to_dense(const Tensor& tensor, Location location) {
  const SlicesExtension* slices = slices_of(tensor.impl());
  if (!slices) return tensor;
  return unsorted_segment_sum({slices->values, location}, {slices->indices, location}, tensor.dim(0));
}

Tensor concat_slices(std::span<const Tensor> slices) {
  std::vector<Tensor> values, indices;
  // Numbers of rows of two widths meet as the wider one.
  bool wide = false;
  for (const Tensor& one : slices) wide |= slices_of(one.impl())->indices.dtype() == DType::i64;
  for (const Tensor& one : slices) {
    const SlicesExtension& rows = *slices_of(one.impl());
    values.push_back(rows.values);
    indices.push_back(wide ? cast(rows.indices, DType::i64) : rows.indices);
  }
  return make_slices(concat(values, 0), concat(indices, 0), &slices[0].type());
}

Tensor densify(const Tensor& slices, std::string_view op, const Location& location) {
  note_message(fmt::format("dense_from_sparse: {} made {} rows of {} dense", op,
                           slices_of(slices.impl())->indices.numel(), slices.type().text()),
               0, location);
  return to_dense(slices, location);
}

}  // namespace tapescope
