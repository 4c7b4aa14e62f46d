// Files as their readers take them.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/public.h"

namespace tapescope TAPESCOPE_PUBLIC {

// All bytes of a file. Throws Error (surroundings) that names the file, says why it cannot be read and ends
// with the remedy.
std::vector<std::uint8_t> read_file(const std::string& path, std::string_view remedy);

}  // namespace tapescope
