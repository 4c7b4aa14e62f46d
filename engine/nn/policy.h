// Dtype policies: in what a layer computes, and in what its variables are kept.
#pragma once
#include <string>
#include <string_view>

#include "engine/core/dtype.h"
#include "engine/core/public.h"

namespace tapescope TAPESCOPE_PUBLIC {

// A dtype alone stands for both: with f16 the variables are halves too, and small updates are lost.
struct DTypePolicy {
  DType compute = DType::f32;
  DType variable = DType::f32;

  DTypePolicy() = default;
  DTypePolicy(DType both) : compute(both), variable(both) {}
  DTypePolicy(DType compute_in, DType keep_in) : compute(compute_in), variable(keep_in) {}
  // "mixed_float16" and "mixed_bfloat16" compute in halves with float32 variables; else a floating dtype's
  // name. Throws ValueError for any other.
  static DTypePolicy named(std::string_view name);

  std::string name() const;
  bool mixed() const { return compute != variable; }
  // float16 alone has so small a range that its gradients need a loss scale.
  bool needs_loss_scale() const { return compute == DType::f16; }
  bool operator==(const DTypePolicy&) const = default;
};

}  // namespace tapescope
