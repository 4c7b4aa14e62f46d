// A function's account as the row that panels and reports show.
#pragma once
#include "engine/explain/retrace.h"
#include "viewer/store/snapshot.h"

namespace tapescope {

FunctionRow function_row(const FunctionAccount& account);

// "scale went from 1 to 2"; of a function that is made again, where. What has no two values is said in words.
std::string change_of(const Retrace& retrace);

}  // namespace tapescope
