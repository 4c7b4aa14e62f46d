// Records what the optimizer did to a graph.
#pragma once
#include <cstdint>

#include "engine/graph/optimize.h"

namespace tapescope {

// The trace of a function that a graph belongs to, as records name it; zeros where none does.
struct GraphOwner {
  std::uint32_t function = 0;
  std::uint32_t trace = 0;
};

// Writes the records of events/records/graphs.h on this thread while a session listens; else nothing, nor for
// a graph that no function owns.
void note_optimization(const OptimizeReport& report, GraphOwner owner);

}  // namespace tapescope
