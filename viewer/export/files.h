// Exports that need more than text: a database, an array file, a drawing.
#pragma once
#include <string>

#include "viewer/debugger/headless.h"

namespace tapescope {

// A SQLite database as bytes; its tables are documented in sqlite.cpp and, for its users, in the table
// `about`.
std::string sqlite_database(const HeadlessRun& run);
// NumPy's array file: one structured row a step, with times, counts and every metric (NaN where a step has
// none).
std::string steps_npy(const Snapshot& snapshot);
// A tensor as NumPy's array file; bfloat16, which NumPy has not, as float32.
std::string tensor_npy(const Tensor& tensor);
// A line a row of the last axis. From rank 3 on the indices of the other axes come first, with a head
// line.
std::string tensor_csv(const Tensor& tensor);
// The graph as the window lays it out: forward ops down the left, backward ops beside them.
std::string graph_svg(const StepView& view);
// The same drawing as PNG, made without a display, at two pixels a unit where that is no larger than programs
// open.
std::string graph_png(const StepView& view);

}  // namespace tapescope
