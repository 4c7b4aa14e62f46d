// Copies between strided arrays: what transposing, slicing, repeating, reversing and joining have in common.
#pragma once
#include <cstdint>
#include <span>

#include "engine/core/type.h"

namespace tapescope {

// A dimension of a copy; strides count elements and may be 0 (input only) or negative.
struct CopyDim {
  std::int64_t size = 1;
  std::int64_t in_stride = 0;
  std::int64_t out_stride = 0;
};
// Twice the rank: tiling has two dimensions for each.
inline constexpr int kMaxCopyDims = 2 * kMaxRank;

// out[sum i_d * out_stride_d] = in[sum i_d * in_stride_d] for every index; outermost dimension first.
// `element_size` is 1, 2, 4 or 8.
void strided_copy(std::size_t element_size, std::span<const CopyDim> dims, const void* in, void* out);

// Row-major strides of a shape, in elements.
struct Strides {
  std::int64_t values[kMaxRank] = {};
  std::int64_t operator[](int i) const { return values[i]; }
};
Strides strides_of(const Shape& shape);

inline const void* offset_by(const void* base, std::int64_t elements, std::size_t element_size) {
  return static_cast<const char*>(base) + elements * static_cast<std::int64_t>(element_size);
}
inline void* offset_by(void* base, std::int64_t elements, std::size_t element_size) {
  return static_cast<char*>(base) + elements * static_cast<std::int64_t>(element_size);
}

}  // namespace tapescope
