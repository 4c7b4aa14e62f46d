// Walks several broadcast operands beside one contiguous output, with dimensions merged where possible.
#pragma once
#include <array>
#include <cstdint>

#include "engine/core/type.h"

namespace tapescope::kernels {

// The innermost dimension is left to the caller's loop: each operand has stride 0 or 1 there.
template <int kOperands>
class Strided {
 public:
  Strided(const Shape& out, const std::array<const Shape*, kOperands>& operands) {
    std::array<std::int64_t, kOperands> step;
    step.fill(1);
    // From the innermost dimension outwards; `step` is an operand's number of elements so far.
    for (int i = 0; i < out.rank(); ++i) {
      const std::int64_t size = out[out.rank() - 1 - i];
      if (size == 1) continue;
      std::array<std::int64_t, kOperands> stride;
      bool merges = rank_ > 0;
      for (int k = 0; k < kOperands; ++k) {
        const Shape& shape = *operands[k];
        const std::int64_t own = i < shape.rank() ? shape[shape.rank() - 1 - i] : 1;
        stride[k] = own == 1 ? 0 : step[k];
        step[k] *= own;
        if (rank_ > 0) merges &= stride[k] == strides_[rank_ - 1][k] * sizes_[rank_ - 1];
      }
      if (merges) {
        sizes_[rank_ - 1] *= size;
      } else {
        sizes_[rank_] = size;
        strides_[rank_++] = stride;
      }
    }
  }

  std::int64_t inner() const { return rank_ > 0 ? sizes_[0] : 1; }
  std::int64_t inner_stride(int operand) const { return rank_ > 0 ? strides_[0][operand] : 0; }

  // body(row, offsets) for rows [begin, end): the runs of inner() elements, in order of the output.
  template <class Body>
  void each(std::int64_t begin, std::int64_t end, Body&& body) const {
    std::int64_t index[kMaxRank] = {}, offset[kOperands] = {};
    std::int64_t rest = begin;
    for (int d = 1; d < rank_; ++d) {
      index[d] = rest % sizes_[d];
      rest /= sizes_[d];
      for (int k = 0; k < kOperands; ++k) offset[k] += index[d] * strides_[d][k];
    }
    for (std::int64_t row = begin; row < end; ++row) {
      body(row, static_cast<const std::int64_t*>(offset));
      for (int d = 1; d < rank_; ++d) {
        for (int k = 0; k < kOperands; ++k) offset[k] += strides_[d][k];
        if (++index[d] < sizes_[d]) break;
        for (int k = 0; k < kOperands; ++k) offset[k] -= sizes_[d] * strides_[d][k];
        index[d] = 0;
      }
    }
  }

 private:
  std::int64_t sizes_[kMaxRank] = {};  // innermost first
  std::array<std::int64_t, kOperands> strides_[kMaxRank] = {};
  int rank_ = 0;
};

}  // namespace tapescope::kernels
