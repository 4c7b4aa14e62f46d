// Exchanges between the processes of the group (group.h) as ops with gradients.
//
// Every process calls the same ones in the same order, with equal shapes and dtypes; each waits until all
// have come. The loss is taken to be the sum of the processes' losses: the gradient of a process's input
// counts what it does to the losses of all. With one process they return the input's values.
#pragma once
#include <span>
#include <vector>

#include "engine/core/public.h"
#include "engine/gate/arg.h"

namespace tapescope TAPESCOPE_PUBLIC {

enum class ReduceOp : std::uint8_t { sum, mean };

// y = sum over the processes of their x, or that divided by their number; the same bits in every process. Any
// shape; floating types and integers (sum only). float16 and bfloat16 are added up in float32. Gradient:
// all_reduce of g by the same reduction.
Tensor all_reduce(const Arg& x, ReduceOp reduction = ReduceOp::sum);
// The same of several tensors in one exchange: x[i] of all processes have one shape, all x one dtype.
std::vector<Tensor> all_reduce(std::span<const Tensor> x, ReduceOp reduction = ReduceOp::sum,
                               Location location = Location::current());
// y[size n, ...] = x[n, ...] of each process, one after the other by rank. Any dtype, at least one dimension.
// Gradient: reduce_scatter of g.
Tensor all_gather(const Arg& x);
// y[n, ...] = this process's part of the sum over the processes of x[size n, ...]: rows rank n to (rank + 1)
// n. InvalidArgument where the first dimension cannot be divided. Dtypes as all_reduce. Gradient: all_gather
// of g.
Tensor reduce_scatter(const Arg& x);
// y = x of the process `root`, in every process. Any dtype. Gradient: for `root` the sum of all g, for the
// others zeros. ValueError for a root that is no rank.
Tensor broadcast(const Arg& x, int root = 0);

}  // namespace tapescope
