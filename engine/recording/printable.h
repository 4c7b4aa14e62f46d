// Texts of a recording, which may come from anywhere, as they can be shown in a terminal.
#pragma once
#include <string>
#include <string_view>

namespace tapescope::record {

// Longer texts are cut, with a mark: a column is as wide as its longest entry.
inline constexpr std::size_t kMostTextBytes = 4096;

// Control characters (ESC, line feeds, C1), marks that change the direction of writing, and bytes that are no
// UTF-8 as \x1b, \n, \u202e. `scratch` holds the text where it is another one.
std::string_view printable(std::string_view text, std::string& scratch);
std::string printable(std::string_view text);

}  // namespace tapescope::record
