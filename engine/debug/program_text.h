// The text of the program that runs, where its files are at hand.
#pragma once
#include <string>
#include <string_view>

namespace tapescope {

// Letters, digits and the underscore.
bool of_word(char letter);

// A file of this program by its name without a folder; empty where none is at hand, or it has over 8 MiB.
std::string program_text(std::string_view file);

// The same text with blanks for C++ comments and for what stands in quotes; lines and columns stay.
std::string code_of(std::string_view program);

}  // namespace tapescope
