// What the files of the index family share: checks of index tensors, and gradients made of one another.
#pragma once
#include "engine/gate/arg.h"
#include "engine/gate/op.h"

namespace tapescope {

void check_index_type(const InferContext& c, int input);
// Kernels find bad indices while they run: "index 7 at position 2 is not in [0, 5)".
[[noreturn]] void refuse_index(std::string_view op, std::int64_t position, std::int64_t index,
                               std::int64_t size);

// The values of input i, for rows whose output shape depends on them; a traced symbol has none yet.
const TensorImpl& host_values(const InferContext& c, int i);

// Bits of the flags of GatherV2.
inline constexpr std::uint32_t kOrZero = 1, kDenseGradient = 2;

// Slices of x along `axis`, as a step of another op: the gradient is dense.
Tensor gather_part(const Arg& x, const Tensor& indices, int axis);
// Slices of x along `axis`; a negative index gives a slice of zeros. The gradient of a segment sum.
Tensor gather_or_zero(const Tensor& x, const Tensor& indices);
// The one place that decides how the gradient of a gather is represented: as rows for axis 0 (IndexedSlices
// of g and the indices), else dense, the sum of g's slices by index.
Tensor gather_gradient(const Tensor& g, const Tensor& indices, const Shape& shape, int axis, int batch);

// Element offsets of positions given by the last dimension of an index tensor, in rows of `inner` elements.
struct Positions {
  Positions(std::string_view name, const Type& indices, const Shape& shape) : op(name) {
    depth = indices.shape[indices.shape.rank() - 1];
    count = 1;
    for (int i = 0; i + 1 < indices.shape.rank(); ++i) count *= indices.shape[i];
    inner = 1;
    for (int i = static_cast<int>(depth); i < shape.rank(); ++i) inner *= shape[i];
    for (int i = 0; i < depth; ++i) sizes[i] = shape[i];
  }
  template <class Index>
  std::int64_t offset(const Index* indices, std::int64_t row) const {
    std::int64_t at = 0;
    for (std::int64_t d = 0; d < depth; ++d) {
      const std::int64_t index = indices[row * depth + d];
      if (index < 0 || index >= sizes[d]) refuse_index(op, row, index, sizes[d]);
      at = at * sizes[d] + index;
    }
    return at * inner;
  }
  std::string_view op;
  std::int64_t depth, count, inner;
  std::int64_t sizes[kMaxRank] = {};
};

}  // namespace tapescope
