// Forward mode of one call: the tangents of its outputs from those of its inputs.
#pragma once
#include <span>

#include "engine/gate/state.h"

namespace tapescope {

// What a row's own rule sees. It computes in public ops.
class JvpContext {
 public:
  JvpContext(const OpCall& call, std::span<const Tensor> tangents, std::span<Tensor> results)
      : call_(call), tangents_(tangents), results_(results) {}
  const Attrs& attrs() const { return call_.attrs; }
  Tensor in(int i) const { return Tensor::share(call_.inputs[static_cast<std::size_t>(i)]); }
  const Tensor& out(int i = 0) const { return call_.outputs[static_cast<std::size_t>(i)]; }
  // Of input i; absent where it does not move.
  const Tensor& tangent(int i) const { return tangents_[static_cast<std::size_t>(i)]; }
  // The tangent of output i. Left unset, the output does not move.
  void set(int i, Tensor tangent) { results_[static_cast<std::size_t>(i)] = std::move(tangent); }

 private:
  const OpCall& call_;
  std::span<const Tensor> tangents_;
  std::span<Tensor> results_;
};

}  // namespace tapescope
