// Gives a recording that was cut off its end.
#pragma once
#include <string>

#include "engine/recording/ending.h"

namespace tapescope::record {

// Where the file at `path` has no last chunk: takes away what is there of a cut chunk, and appends how the
// program ended and a last chunk. False where it has one, or is damaged. Throws Error (surroundings) for what
// is no recording or cannot be written. The program must have ended.
bool append_end(const std::string& path, const Ending& ending);

}  // namespace tapescope::record
