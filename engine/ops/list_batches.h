// Batches of lists: one list for each row, as a handle of the type resource[rows, ...]. For the batching
// mode.
#pragma once
#include <span>
#include <vector>

#include "engine/ops/tensor_list.h"

namespace tapescope {

Tensor pack_lists(std::span<const Tensor> lists);
std::vector<Tensor> unpack_lists(const Tensor& packed);

}  // namespace tapescope
