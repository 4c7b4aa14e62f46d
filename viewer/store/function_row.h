// A function's account as the row that panels and reports show.
#pragma once
#include "engine/explain/retrace.h"
#include "viewer/store/snapshot.h"

namespace tapescope {

FunctionRow function_row(const FunctionAccount& account);

}  // namespace tapescope
