// Shapes and data movement: nothing here computes, elements are moved, repeated or left out.
//
// Any dtype but resource, NaN as it is. Axes may be negative: they count from the end. Shapes, axes and
// bounds are plain numbers, not tensors. A gradient goes back to the element it came from; where elements are
// repeated theirs add up, where they are left out it is 0. All throw InvalidArgument where a shape does not
// fit.
#pragma once
#include <initializer_list>
#include <span>
#include <vector>

#include "engine/core/public.h"
#include "engine/gate/apply.h"
#include "engine/ops/reduce.h"

namespace tapescope TAPESCOPE_PUBLIC {

// Signed sizes or positions of up to nine dimensions: "[-1, 3]". One too many is found out, not cut off.
class Ints {
 public:
  Ints() = default;
  Ints(std::initializer_list<std::int64_t> values) : Ints(std::span(values.begin(), values.size())) {}
  explicit Ints(std::span<const std::int64_t> values) {
    for (std::int64_t value : values) push_back(value);
  }
  Ints(const Shape& shape) : Ints(shape.dims()) {}
  void push_back(std::int64_t value) {
    if (size_ < kMaxRank + 1) values_[size_++] = value;
  }
  int size() const { return size_; }
  std::int64_t operator[](int i) const { return values_[i]; }
  std::span<const std::int64_t> values() const { return {values_, static_cast<std::size_t>(size_)}; }

 private:
  std::int64_t values_[kMaxRank + 1] = {};
  int size_ = 0;
};

// Views: they share the elements of x.
Tensor reshape(const Arg& x, const Ints& shape);      // one size may be -1: what remains
Tensor expand_dims(const Arg& x, int axis);           // a new dimension of size 1 before `axis`
Tensor squeeze(const Arg& x, const Axes& axes = {});  // drops dimensions of size 1; all of them unless given
Tensor flatten(const Arg& x);                         // [n, ...] -> [n, the rest]
Tensor identity(const Arg& x);                        // x as another tensor, with gradient g
Tensor stop_gradient(const Arg& x);                   // x; no gradient passes: None, not zeros

Tensor transpose(const Arg& x);                    // reverses the dimensions
Tensor transpose(const Arg& x, const Ints& perm);  // dimension i of the result is dimension perm[i] of x
// x repeated along the dimensions it lacks and those of size 1, as NumPy broadcasts.
Tensor broadcast_to(const Arg& x, const Shape& shape);
// x repeated multiples[i] times along dimension i.
Tensor tile(const Arg& x, const Ints& multiples);
// Row i repeats[i] times; one number repeats each row so often.
Tensor repeat(const Arg& x, std::span<const std::int64_t> repeats, int axis);
Tensor repeat(const Arg& x, std::int64_t count, int axis);
// Backwards along the axes.
Tensor reverse(const Arg& x, const Axes& axes);
// Element i of the axis moves to i + shift; what leaves at one end comes in at the other.
Tensor roll(const Arg& x, std::int64_t shift, int axis);

// The tensors one after the other along an axis: other dimensions and dtypes are equal. One tensor is
// returned as it is. Throws ValueError for an empty list.
Tensor concat(std::span<const Tensor> tensors, int axis, Location location = Location::current());
Tensor concat(std::initializer_list<Tensor> tensors, int axis, Location location = Location::current());
std::vector<Tensor> split(const Arg& x, int count, int axis = 0);  // equal parts
std::vector<Tensor> split(const Arg& x, std::span<const std::int64_t> sizes,
                          int axis = 0);  // a size may be -1
// Tensors of one type side by side along a new axis. Throws ValueError for an empty list.
Tensor stack(std::span<const Tensor> tensors, int axis = 0, Location location = Location::current());
Tensor stack(std::initializer_list<Tensor> tensors, int axis = 0, Location location = Location::current());
std::vector<Tensor> unstack(const Arg& x, int axis = 0);  // the slices of an axis, each without it

// `size` elements of each dimension from `begin` on; a size of -1 takes the rest.
Tensor slice(const Arg& x, const Ints& begin, const Ints& size);

// As x[begin:end:strides] in Python. Bit i of a mask is about entry i: begin_mask and end_mask start and end
// at the edge, shrink_mask takes one index and drops the dimension, new_mask inserts one, ellipsis_mask (one
// bit) stands for all dimensions not mentioned.
struct StridedSlice {
  Ints begin, end, strides;
  std::uint32_t begin_mask = 0, end_mask = 0, ellipsis_mask = 0, new_mask = 0, shrink_mask = 0;
};
Tensor strided_slice(const Arg& x, const StridedSlice& spec);
Tensor strided_slice(const Arg& x, const Ints& begin, const Ints& end, const Ints& strides);
// x[i] along the first dimension, as in Python; negative counts from the end.
Tensor at(const Arg& x, std::int64_t index);
// Zeros of that shape with g at the places that the slice takes: its gradient.
Tensor strided_slice_grad(const Arg& g, const Shape& shape, const StridedSlice& spec);

enum class PadMode { constant, reflect, symmetric };
struct Padding {
  std::int64_t before = 0, after = 0;
};
// x with that many elements before and after it in each dimension: `value`, or x mirrored, without (reflect)
// or with (symmetric) its edge. A mirrored element's gradient goes back to the one it copies; `value` gets
// none. The value is of the dtype of x, a scalar.
Tensor pad(const Arg& x, std::span<const Padding> paddings, PadMode mode = PadMode::constant,
           const Arg& value = 0);
Tensor pad(const Arg& x, std::initializer_list<Padding> paddings, PadMode mode = PadMode::constant,
           const Arg& value = 0);
// Folds the mirrored margins of g back onto the inner part: the gradient of a mirror pad.
Tensor mirror_pad_grad(const Arg& g, std::span<const Padding> paddings, PadMode mode);

}  // namespace tapescope
