// Numbers of tensors and tapes in records and answers.
#pragma once
#include <cstdint>

#include "engine/core/public.h"

namespace tapescope TAPESCOPE_PUBLIC {

using TensorId = std::uint64_t;  // never reused within a process; 0 is none
using TapeId = std::uint32_t;    // from 1; never reused within a process

}  // namespace tapescope
