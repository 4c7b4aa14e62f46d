// A function's account as the row that panels and reports show.
#pragma once
#include <span>
#include <string>

#include "engine/explain/retrace.h"
#include "viewer/store/snapshot.h"

namespace tapescope {

FunctionRow function_row(const FunctionAccount& account);

// "scale went from 1 to 2"; of a function that is made again, where. What has no two values is said in words.
std::string change_of(const Retrace& retrace);

// Why a function was traced again where several things changed: of each the last change, the one that took
// the most values first, since with it go the traces that the others had already.
struct RetraceCauses {
  const Retrace* main = nullptr;  // null where there are none
  std::string text, fix;          // of at most two
};
RetraceCauses causes_of(std::span<const Retrace* const> retraces);

}  // namespace tapescope
