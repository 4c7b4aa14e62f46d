// What the files of the reduction family share. Attributes of its rows: the axes, ascending; flag 0 keeps
// dimensions.
#pragma once
#include "engine/kernels/reduce.h"
#include "engine/ops/reduce.h"
#include "engine/ops/rows.h"

namespace tapescope::rows {

inline constexpr std::uint32_t kKeepDims = 1;
// Of scans: i0 is the axis.
inline constexpr std::uint32_t kExclusive = 1, kReversed = 2;
// A running product whose gradient is taken by division, as TensorFlow takes it: 0 where an element is 0.
inline constexpr std::uint32_t kDivides = 4;

// The axes as attributes, counted from the front, each once. Throws InvalidArgument for one out of range or
// given twice.
Attrs axes_attrs(std::string_view op, const Type& type, const Axes& axes, bool keepdims,
                 const Location& location);
// Bit i says that dimension i is reduced.
inline std::uint32_t axes_mask(const Attrs& attrs) {
  std::uint32_t mask = 0;
  for (std::int32_t axis : attrs.ints()) mask |= 1u << axis;
  return mask;
}
Shape reduced_shape(const Shape& shape, std::uint32_t mask, bool keepdims);

// The shape around an axis: [outer, n, inner].
struct Around {
  std::int64_t outer = 1, n = 1, inner = 1;
  Around(const Shape& shape, int axis) : n(shape[axis]) {
    for (int i = 0; i < axis; ++i) outer *= shape[i];
    for (int i = axis + 1; i < shape.rank(); ++i) inner *= shape[i];
  }
};

// The exclusive running product that the gradient of Prod is made of.
Tensor cumprod_of_others(const Tensor& x, int axis, bool reverse);

std::span<const OpDef* const> reduction_rows();
std::span<const OpDef* const> scan_rows();

}  // namespace tapescope::rows
