// Which passes optimize a function's graph, and what they may change.
#pragma once
#include <cstdint>
#include <string_view>

#include "engine/core/public.h"

namespace tapescope TAPESCOPE_PUBLIC {

enum class Pass : std::uint8_t {
  prune,               // what no result and no effect needs
  value_numbering,     // equal nodes and equal constants become one
  constant_folding,    // what depends on constants alone is computed now
  arithmetic,          // algebra, views, casts, transposes, broadcasts
  loop_invariants,     // what is the same in every round of a loop is computed before it
  recomputation,       // hints only: what could be computed again instead of kept
  matmul_fusion,       // product, bias and activation in one node
  reduction_fusion,    // an elementwise chain and the reduction that ends it in one node
  elementwise_fusion,  // chains of elementwise nodes in one node
  count_,
};
inline constexpr int kPassCount = static_cast<int>(Pass::count_);
// "constant_folding"
std::string_view name_of(Pass pass);

struct OptimizeOptions {
  std::uint32_t off = 0;        // a bit for each pass that is left out
  bool reassociating = true;    // as TensorFlow: x / 255 becomes a product
  bool nan_discarding = false;  // x * 0 becomes 0
  // Adds the fusions that change the order of floating-point work, as a compiler does: reductions of many
  // long rows. Fused loops run as machine code where LLVM 19 is installed.
  bool compiled = false;
  int rounds = 2;

  void switch_off(Pass pass) { off |= 1u << static_cast<int>(pass); }
  bool on(Pass pass) const { return !(off >> static_cast<int>(pass) & 1); }
};

}  // namespace tapescope
