// Who calls a function, read in the text of a program, C++ or Python: records hold an op's line alone.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/names.h"
#include "viewer/store/sources.h"

namespace tapescope {

struct FunctionText {
  std::string name;        // without its class; empty where none is found, or it has no name
  std::uint32_t line = 0;  // that it begins on
  std::string of_class;    // of an operator(), __call__ or call, where it stands in the class
};
// The function, or the lambda that a variable holds, around that line. By indentation.
FunctionText function_around(const SourceFile& file, std::uint32_t line);
// Objects and members that the file declares of that class.
std::vector<std::string> objects_of(const SourceFile& file, const std::string& of_class);
// Lines that call a function of that name, in order; declarations and comments do not.
std::vector<std::uint32_t> lines_that_call(const SourceFile& file, const FunctionText& function);

// Whether the line names a part of what that is of: "student" of "student/out/kernel" and of
// "student_kernel".
bool names_part_of(const SourceFile& file, std::uint32_t line, std::string_view of);

// Which call of the function around a line is meant.
struct WantedCall {
  bool again = false;    // a second one, where several lines call it
  bool in_loop = false;  // one in a loop, none where the line stands in one itself
  // Between these lines of that file, as places name it; last 0: anywhere.
  std::string file;
  std::uint32_t first = 0, last = 0;
  // What is called belongs to it: of calls of two objects of a class those of the one whose name is part of
  // it.
  std::string of;
};
// The line of that call, in whichever of the files it stands. A function with a single call is taken for a
// part of its caller, up to 4 of them. Line 0 where the text does not say.
SourcePlace calling_line(const SourceFiles& files, SourcePlace line, const WantedCall& wanted);
// Of the lines that are known to have led to the first of them, the innermost first.
SourcePlace calling_line(const SourceFiles& files, const std::vector<SiteId>& way, const WantedCall& wanted);

}  // namespace tapescope
