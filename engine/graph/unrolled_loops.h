// Loops of the program's language that a trace has unrolled: as many copies of their body stand in the graph.
#pragma once
#include <string_view>
#include <vector>

#include "engine/graph/graph.h"

namespace tapescope {

struct UnrolledLoop {
  Location location;    // of its first node
  std::string_view op;  // of that node
  std::uint32_t rounds = 0;
  std::uint32_t nodes = 0;  // of all rounds together
};

// The large ones, in the order of their first nodes. A loop is recognized by its lines: ops of one line that
// are in the graph very often, and whose copies stand among each other, are one loop's, with as many rounds
// as the line with the fewest has copies. Backward nodes, which follow the forward ones, do not count.
std::vector<UnrolledLoop> unrolled_loops(const Graph& graph);

// The line about it in the log.
std::string loop_text(const UnrolledLoop& loop, std::string_view function, std::size_t nodes);

}  // namespace tapescope
