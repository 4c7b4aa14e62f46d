// Lines of variables that classes make as their members: the compiler gives a member's default initializer
// the line of the class or of its constructor, records hold that one.
#pragma once
#include <cstdint>
#include <string_view>

#include "engine/core/names.h"

namespace tapescope {

// The line, from 1, on which the class that stands at `line`, or whose constructor does, gives a member that
// name in quotes. `line` itself where it holds the name, or there is no such class or member.
std::uint32_t member_line(std::string_view program, std::uint32_t line, std::string_view name);

// The place of a variable of that name which this program made at `place`. Reads the file for each of the
// first 1,000 variables. Any thread.
SiteId member_place(SiteId place, NameId name);

}  // namespace tapescope
