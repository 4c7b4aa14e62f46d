// Tracing the graphs of branches and loops into nodes. Inside a trace only.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/graph/flow.h"
#include "engine/graph/flow_node.h"

namespace tapescope {

struct TracedFlow {
  Value structure;              // of the results, tensors absent
  std::vector<Tensor> tensors;  // in its places
};

TracedFlow trace_branches(std::string_view op, const Tensor& chooser,
                          std::span<const std::function<Value()>> branches,
                          std::span<const std::string> names, const Location& location);
TracedFlow trace_while(const std::function<Tensor(const Value&)>& condition,
                       const std::function<Value(const Value&)>& body, const Value& structure,
                       std::span<const Tensor> loop_vars, const WhileLoopOptions& options,
                       const Location& location);

// A loop over rows: `fn` takes the state and a row of each of the elements, and gives the next state and what
// is stacked. map_fn has no state, scan stacks its states.
struct RowLoop {
  std::string_view op;
  std::function<Value(const Value& state, const Value& row)> fn;
  Value state, elems;  // structures
  std::span<const Tensor> states, rows;
  bool reverse;
};
TracedFlow trace_rows(const RowLoop& loop, const Location& location);

// Throws TypeError or ValueError unless it is a bool scalar.
void check_predicate(std::string_view op, std::string_view what, const Tensor& pred,
                     const Location& location);
// Throws TypeError where the state a round gives is of another structure or other dtypes than the one before,
// and ValueError where it must keep its shapes and does not.
void check_state(std::string_view op, const Value& before, std::span<const Tensor> tensors_before,
                 const Value& after, std::span<const Tensor> tensors_after, bool keeps_shapes,
                 const Location& location);

}  // namespace tapescope
