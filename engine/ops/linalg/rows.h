// What the files of the linear algebra family share.
#pragma once
#include "engine/ops/linalg.h"
#include "engine/ops/rows.h"

namespace tapescope::rows {

// Flags of the products.
inline constexpr std::uint32_t kTransposeA = 1, kTransposeB = 2;

std::span<const OpDef* const> product_rows();
std::span<const OpDef* const> einsum_rows();
std::span<const OpDef* const> solver_rows();
std::span<const OpDef* const> diagonal_rows();

}  // namespace tapescope::rows
