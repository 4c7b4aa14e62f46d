// What to say of a file that is no recording.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tapescope::record {

// A sentence: that the file is none, and what to do instead, such as giving a program after "--". `begin`:
// its first bytes, as far as they were read.
std::string no_recording(std::string_view path, std::span<const std::uint8_t> begin);

}  // namespace tapescope::record
