// Where the text of a program makes a tape.
#pragma once
#include <string>
#include <string_view>

#include "viewer/store/sources.h"

namespace tapescope {

// Of a place where a tape of C++ is entered the one that makes it, as far as the function's text says; else
// the place itself. make_unique() and containers hide the program's line from the tape.
std::string tape_made_at(const SourceFiles* files, std::string_view location);

}  // namespace tapescope
