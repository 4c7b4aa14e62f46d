// Freezing and thawing variables.
#pragma once
#include "engine/tape/variable.h"

namespace tapescope {

// Whether reading the variable makes tapes watch it, from here on. What a tape has watched already stays
// watched.
void set_trainable(const Variable& variable, bool trainable, Location location = Location::current());

}  // namespace tapescope
