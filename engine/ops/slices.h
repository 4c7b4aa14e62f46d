// IndexedSlices as programs use them: what the gradient of a gather is until an op needs all rows.
//
// An op that is given slices first makes them dense, and says so in the log. The gradients a tape returns,
// the clip functions and the optimizers keep them as they are.
#pragma once
#include <span>

#include "engine/core/slices.h"
#include "engine/gate/arg.h"

namespace tapescope {

inline bool is_indexed_slices(const Tensor& tensor) { return slices_of(tensor.impl()) != nullptr; }

// A look at the parts. Throws TypeError for a dense tensor or None.
class IndexedSlices {
 public:
  explicit IndexedSlices(const Tensor& tensor, Location location = Location::current());
  const Tensor& values() const { return slices_->values; }    // [k, ...]
  const Tensor& indices() const { return slices_->indices; }  // [k]; may repeat: their values add up
  const Shape& dense_shape() const { return tensor_.shape(); }

 private:
  Tensor tensor_;
  const SlicesExtension* slices_;
};

// A tensor of `dense_shape` from rows [k, ...] and their int32 or int64 numbers [k].
// Throws InvalidArgument where shapes do not fit.
Tensor indexed_slices(const Tensor& values, const Tensor& indices, const Shape& dense_shape,
                      Location location = Location::current());
// All rows, by an op that tapes record; a dense tensor is returned as it is. Nothing is said in the log.
Tensor to_dense(const Tensor& tensor, Location location = Location::current());

// The sum of slices of one shape: their rows one after the other.
Tensor concat_slices(std::span<const Tensor> slices);

}  // namespace tapescope
