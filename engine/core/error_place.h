// Whose line an error names: inside a backward step the program's forward op, not the line of a gradient
// rule.
#pragma once
#include "engine/core/names.h"

namespace tapescope {

// The place that errors of the calling thread name instead of where they arose; null where there is none. Set
// once, by what knows the thread's state.
using ErrorPlace = const Location* (*)();
extern constinit ErrorPlace error_place;

}  // namespace tapescope
