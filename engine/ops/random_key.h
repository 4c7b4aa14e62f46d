// The thread of keys that stateful random ops draw from, for graphs: a traced draw must not use up a key.
#pragma once
#include <cstdint>

#include "engine/core/attrs.h"

namespace tapescope {

// Puts the next key of the process into a stateful random op's attributes.
void fresh_random_key(Attrs& attrs);

// The number of keys drawn so far. Tracing puts it back to where it was: the traced draws happen at each run.
std::uint64_t random_position();
void set_random_position(std::uint64_t position);

}  // namespace tapescope
