// Why a gradient is None, from records alone.
#pragma once
#include "engine/explain/explain.h"

namespace tapescope {

class History;

// Why `target`'s gradient with respect to `source` came out None when `tape` was asked, as of the end of the
// history. `tape` 0 means the tape of the last question. Never throws; what the records do not hold it says.
Explanation explain_none(const History& history, TapeId tape, TensorId target, TensorId source);

}  // namespace tapescope
