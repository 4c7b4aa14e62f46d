// Ops that wait for other processes of a job.
#pragma once
#include "engine/core/names.h"

namespace tapescope {

// Whether an op of that name is an exchange between processes: of ours, of TensorFlow, of PyTorch.
bool is_exchange(OpNameId op);

}  // namespace tapescope
