// Whether a value that the program reads is only written out, read in the text of the program: records hold
// that it was read, not what for.
#pragma once
#include <cstdint>
#include <string_view>

#include "engine/core/names.h"

namespace tapescope {

// Whether all that the line takes from tensors, by item(), element(), elements() or host_values(), goes into
// output: into a stream, the likes of printf and format, a logger, or a variable that itself goes nowhere
// else. False where the line does not say.
bool is_printed(std::string_view program, std::uint32_t line);
// Of a place of this program, whose file is read once for each place. False where no file is at hand. Any
// thread.
bool is_printed(SiteId place);

}  // namespace tapescope
