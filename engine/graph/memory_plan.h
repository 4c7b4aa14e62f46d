// Where each value of a graph lives while the graph runs: parts of one slab, reused as values die.
#pragma once
#include <cstdint>
#include <vector>

#include "engine/graph/graph.h"

namespace tapescope {

enum class Storage : std::uint8_t {
  outside,  // a parameter, capture or constant
  planned,  // a part of the slab
  fresh,    // its own tensor for each run, since a result shows its elements
  made,     // a tensor that the node's kernel makes
};

struct ValuePlan {
  Storage storage = Storage::outside;  // of the root
  ValueIndex root = kNoIndex;          // the value whose elements this one shows; itself unless it is a view
  ValueIndex reuses = kNoIndex;        // of a planned root: the root whose buffer it took over in place
  std::int64_t offset = 0;             // of a planned root: bytes from the slab's beginning
  NodeIndex first = kNoIndex;          // the node that makes it; kNoIndex for what comes from outside
  NodeIndex last = 0;  // of a root: the last node that uses it or a view of it; results live to the end
};

struct MemoryPlan {
  std::vector<ValuePlan> values;  // as the graph's
  std::int64_t slab_bytes = 0;
  std::int64_t separate_bytes = 0;  // what the planned buffers would take one by one
};

// Offsets are multiples of the pool's alignment. Buffers of values that live at the same time never overlap.
MemoryPlan plan_memory(const Graph& graph);

}  // namespace tapescope
