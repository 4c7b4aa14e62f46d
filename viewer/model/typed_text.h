// Reads words and numbers that a person typed: arguments of commands, breakpoints, scripts.
#pragma once
#include <cstdint>
#include <string_view>

namespace tapescope {

// `text` without the blanks around it.
std::string_view trimmed(std::string_view text);
// The first word of `text`, which loses it.
std::string_view take_word(std::string_view& text);
// A whole number from `low` on; `fallback` where there is no text. False when it is none.
bool read_count(std::string_view text, std::int64_t low, std::int64_t fallback, std::int64_t& value);
bool read_number(std::string_view text, double& value);

}  // namespace tapescope
