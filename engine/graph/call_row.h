// The row of a call of one graph: op PartitionedCall.
//
// Every callable graph has its own row, since what a call saves for backward differs. The row's address
// is not kept by attributes: what records a call holds the graph function (TapeStorage::hold).
#pragma once
#include "engine/gate/op.h"
#include "engine/graph/graph.h"

namespace tapescope {

class GraphFunction;

struct CallRow : OpDef {
  const Graph* graph = nullptr;
  GraphFunction* function = nullptr;
};

// The outputs are the results of the graph.
void infer_call(InferContext& context);

// Null for any other op.
inline const CallRow* call_row_of(const OpDef& op) {
  return op.infer == infer_call ? static_cast<const CallRow*>(&op) : nullptr;
}

}  // namespace tapescope
