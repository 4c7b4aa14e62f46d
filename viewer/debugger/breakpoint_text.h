// Breakpoints as words: what a person types after `break`, and what the window says of them.
#pragma once
#include <string>
#include <string_view>

#include "engine/debug/breakpoint.h"

namespace tapescope {

// As after `break`: "norm-above 1000 source w", "op Log hit 3". What parse_break() reads.
std::string text_of(const Breakpoint& breakpoint);
// For people: "a gradient's norm is above 1000".
std::string sentence_of(const Breakpoint& breakpoint);
// Of one that was met, with the hit where it counts them: "op Sum, hit 3".
std::string stop_text(const Breakpoint& hit);
// What is wrong with `text`; empty when nothing is, and `breakpoint` is what it says.
std::string parse_break(std::string_view text, Breakpoint& breakpoint);

}  // namespace tapescope
