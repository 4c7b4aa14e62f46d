// Picking and placing elements by index tensors, sorting, segment sums.
//
// Indices are int32 or int64 and never get a gradient. An index out of range throws InvalidArgument that
// names it, as do shapes that do not fit. Elements are of any dtype but resource, sums and extremes of
// numbers; what is moved stays as it is, NaN too. g is the cotangent.
#pragma once
#include <optional>
#include <span>
#include <utility>

#include "engine/core/public.h"
#include "engine/gate/apply.h"
#include "engine/ops/shape.h"

namespace tapescope TAPESCOPE_PUBLIC {

// Rows of x along `axis`: the result's shape is x's with that dimension replaced by the indices' shape. The
// first `batch_dims` dimensions of both are matched. Gradient: rows of g added at the indices; of a variable
// along axis 0 they are slices, not a dense tensor.
Tensor gather(const Arg& x, const Arg& indices, int axis = 0, int batch_dims = 0);
// The last dimension of `indices` is a position in the first dimensions of x. Gradient: g added at the
// positions.
Tensor gather_nd(const Arg& x, const Arg& indices);
// Zeros of `shape` with updates added at the positions; repeated ones add up. Gradient of the updates: g at
// the positions.
Tensor scatter_nd(const Arg& indices, const Arg& updates, const Shape& shape);
// x with updates put (of repeated positions the last), added, subtracted, or the larger or smaller taken, at
// the positions. The updates' gradient is g at the positions, negative for sub; x's is g, but 0 where an
// update was put. Where the larger or smaller is taken it goes to those that are equal to the result, in
// equal parts.
Tensor tensor_scatter_nd_update(const Arg& x, const Arg& indices, const Arg& updates);
Tensor tensor_scatter_nd_add(const Arg& x, const Arg& indices, const Arg& updates);
Tensor tensor_scatter_nd_sub(const Arg& x, const Arg& indices, const Arg& updates);
Tensor tensor_scatter_nd_max(const Arg& x, const Arg& indices, const Arg& updates);
Tensor tensor_scatter_nd_min(const Arg& x, const Arg& indices, const Arg& updates);

// Row s of the result is the sum, the largest or the mean of the rows of x whose id is s; a negative id drops
// the row. Without a row: 0, the dtype's lowest number, 0. Gradient: row s of g for each of its rows; divided
// by their number for the mean, among those that are equal to the largest for max.
Tensor unsorted_segment_sum(const Arg& x, const Arg& ids, std::int64_t segments);
Tensor unsorted_segment_max(const Arg& x, const Arg& ids, std::int64_t segments);
Tensor unsorted_segment_mean(const Arg& x, const Arg& ids, std::int64_t segments);
// Ids must ascend, one dimension; the number of segments is the last id plus one, hence not for traced
// functions.
Tensor segment_sum(const Arg& x, const Arg& ids);

// 1 (`on`) at the index, 0 (`off`) elsewhere; an index out of range gives a row of `off`. The dtype is that
// of a tensor among `on` and `off`, else float32, unless given. No gradient: None for a tensor `on` or `off`
// too.
Tensor one_hot(const Arg& indices, std::int64_t depth, const Arg& on = 1, const Arg& off = 0,
               std::optional<DType> dtype = std::nullopt, int axis = -1);
// Positions of the true elements, int64 [count, rank], row-major. Reads the values: not for traced functions.
Tensor where_indices(const Arg& condition);
// The rows of x where the mask, given by its values, is true. Gradient: g at those rows, 0 at the others.
// Reads the mask's values: not for traced functions.
Tensor boolean_mask(const Arg& x, const Arg& mask, int axis = 0);

// The k largest of each row of the last dimension, largest first, and their int32 positions; equal ones in
// order. Gradient: g at the positions, 0 elsewhere. Throws InvalidArgument where a row has fewer.
std::pair<Tensor, Tensor> top_k(const Arg& x, int k);
// Elements along an axis in order, ascending by default, stable; by top_k, hence its gradient.
Tensor sort(const Arg& x, int axis = -1, bool descending = false);
// Their positions, int32; no gradient.
Tensor argsort(const Arg& x, int axis = -1, bool descending = false);
// True where fewer than k predictions of a row [rows, classes] are larger than the target's; false where a
// prediction of the row is not finite or the target is out of range. No gradient.
Tensor in_top_k(const Arg& targets, const Arg& predictions, int k);
// y with y[perm[i]] = i; no gradient. Throws InvalidArgument where `perm` is no permutation.
Tensor invert_permutation(const Arg& perm);

}  // namespace tapescope
