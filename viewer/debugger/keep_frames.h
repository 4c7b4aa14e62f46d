// The values of whole steps, for a recording.
#pragma once
#include <cstdint>
#include <span>

#include "engine/recording/step_values.h"
#include "viewer/debugger/running_sample.h"

namespace tapescope {

// Gives the keeper every place of these steps, by running each once more without a record; the program then
// stands in the last of them. On the thread that runs the program, between two steps.
void keep_frames(RunningSample& program, std::span<const std::uint64_t> steps, record::ValueKeeper& keeper);

}  // namespace tapescope
