// Which tensors an op record's readers cannot know: those made before the session began.
#pragma once
#include <array>
#include <cstdint>

#include "engine/events/session.h"

namespace tapescope {

// Of one thread.
class EarlierTensors {
 public:
  // Whether the tensor is older than the session's records and was not asked for lately. Threads that had a
  // block of ids when the session began give some of these to newer tensors: such a tensor is wanted too.
  bool wants(TensorId tensor) {
    if (tensor >= Session::first_tensor()) return false;
    if (session_ != Session::number()) {
      session_ = Session::number();
      noted_.fill(0);
    }
    TensorId& known = noted_[tensor % noted_.size()];
    if (known == tensor) return false;
    known = tensor;
    return true;
  }

 private:
  std::uint32_t session_ = 0;
  std::array<TensorId, 64> noted_{};
};

}  // namespace tapescope
