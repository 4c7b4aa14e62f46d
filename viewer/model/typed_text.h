// Reads words and numbers that a person typed: arguments of commands, breakpoints, scripts.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tapescope {

// `text` without the blanks around it.
std::string_view trimmed(std::string_view text);
// The first word of `text`, which loses it.
std::string_view take_word(std::string_view& text);
// The same as a shell takes it: blanks separate, quotes and backslashes keep.
std::string take_quoted(std::string_view& text);
std::vector<std::string> words_of(std::string_view text);
// The word as a shell and `words_of` read it back.
std::string shell_word(std::string_view word);
// A whole number from `low` on; `fallback` where there is no text. False when it is none.
bool read_count(std::string_view text, std::int64_t low, std::int64_t fallback, std::int64_t& value);
bool read_number(std::string_view text, double& value);

}  // namespace tapescope
