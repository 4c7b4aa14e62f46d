// Tapes for tests of the graph layout.
#pragma once
#include <vector>

#include "viewer/model/layout.h"

namespace tapescope::layout {

// Records a tape as a reverse sweep would leave it: forward ops, their backward ops last to first, updates.
struct Tape {
  Graph graph;

  uint32_t scope(uint32_t parent = kNone, uint64_t stem = 0) {
    graph.scopes.push_back({parent, 1000 + graph.scopes.size(), stem, 0});
    return uint32_t(graph.scopes.size() - 1);
  }
  uint32_t add(uint32_t type, std::vector<uint32_t> inputs, uint32_t scope = kNone, Op::Dir dir = Op::Forward,
               uint32_t partner = kNone) {
    const uint32_t index = uint32_t(graph.ops.size());
    Op op;
    op.key = uint64_t(dir) << 40 | (partner == kNone ? index : uint64_t(partner) << 8 | type) | 1ull << 50;
    op.scope = scope, op.type = type, op.dir = dir, op.partner = partner;
    graph.ops.push_back(op);
    for (size_t i = 0; i < inputs.size(); ++i) graph.edges.push_back({inputs[i], index, uint8_t(i)});
    return index;
  }
  uint32_t variable(uint32_t scope = kNone) {
    const uint32_t v = add(1, {}, scope);
    graph.ops[v].leaf_variable = graph.ops[v].wants_gradient = true;
    return v;
  }
};

}  // namespace tapescope::layout
