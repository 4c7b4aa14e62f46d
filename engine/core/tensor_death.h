// Told when a tensor that somebody follows is no more.
#pragma once
#include "engine/core/tensor.h"

namespace tapescope {

// Of TensorImpl::flags: its death is to be told.
inline constexpr std::uint8_t kTellDeath = 2;

// Called on the thread that lets the last reference go, before the memory is given back. It may let go of
// other tensors. Set once, by what follows tensors.
using TensorDied = void (*)(TensorId);
extern constinit TensorDied tensor_died;

}  // namespace tapescope
