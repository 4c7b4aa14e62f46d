// The op families: each lists its rows, the table strings them together in this order.
#pragma once
#include <span>

#include "engine/gate/op.h"

namespace tapescope {

std::span<const OpDef* const> variable_ops();  // ops/variable_read.h
std::span<const OpDef* const> elementwise_ops();
std::span<const OpDef* const> reduce_ops();
std::span<const OpDef* const> linalg_ops();
std::span<const OpDef* const> creation_ops();
std::span<const OpDef* const> shape_ops();
std::span<const OpDef* const> index_ops();
std::span<const OpDef* const> nn_ops();
std::span<const OpDef* const> list_ops();  // ops/tensor_list.h
std::span<const OpDef* const> parallel_ops();

}  // namespace tapescope
