// Puts a tape's own nodes and the records its thread kept together into a history that can be explained.
#pragma once
#include "engine/explain/explain.h"
#include "engine/explain/history.h"
#include "engine/tape/storage.h"
#include "engine/tape/tape.h"

namespace tapescope {

// Everything the tape and its thread remember, in order.
History history_of(const TapeStorage& tape);

Explanation explain_from_tape(const TapeStorage& tape, const Traced& target, const Traced& source);

}  // namespace tapescope
