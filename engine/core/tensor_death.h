// Callback when a recorded tensor is destroyed.
#pragma once
#include "engine/core/tensor.h"

namespace tapescope {

// Of TensorImpl::flags: its destruction calls tensor_died.
inline constexpr std::uint8_t kTellDeath = 2;

// Called on the thread that lets the last reference go, before the memory is given back. It may let go of
// other tensors. Set once, by the recorder of tensors.
using TensorDied = void (*)(TensorId);
extern constinit TensorDied tensor_died;

}  // namespace tapescope
