// Who calls a function, read in the text of a program, C++ or Python: records hold an op's line alone.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "viewer/store/source_text.h"

namespace tapescope {

struct FunctionText {
  std::string name;        // without its class; empty where none is found, or it has no name
  std::uint32_t line = 0;  // that it begins on
};
// The function, or the lambda that a variable holds, around that line. By indentation.
FunctionText function_around(const SourceFile& file, std::uint32_t line);
// Lines that call a function of that name, in order; declarations and comments do not.
std::vector<std::uint32_t> lines_that_call(const SourceFile& file, const FunctionText& function);

// Which call of the function around a line is meant.
struct WantedCall {
  bool again = false;                 // a second one, where several lines call it
  std::uint32_t first = 0, last = 0;  // between these lines; last 0: anywhere
};
// The line of that call. A function with a single call is taken for a part of its caller, up to 4 of them.
// 0 where the text does not say.
std::uint32_t calling_line(const SourceFile& file, std::uint32_t line, const WantedCall& wanted);

}  // namespace tapescope
