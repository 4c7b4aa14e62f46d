// One trace of a function's callable for arguments of known shapes: the graph with what goes in and comes
// out.
#pragma once
#include <functional>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/events/lasting.h"
#include "engine/graph/graph_function.h"
#include "engine/graph/unrolled_loops.h"
#include "engine/graph/value.h"

namespace tapescope {

class FunctionTrace : public std::enable_shared_from_this<FunctionTrace> {
 public:
  Value call(const std::vector<Value>& arguments, const Location& location);
  const Graph& graph() const { return function->graph(); }

  std::shared_ptr<GraphFunction> function;
  Value results;  // as the callable returned them, tensors absent
  std::size_t result_tensors = 0;
  // For each tensor of the results its dense type where it is kept as rows, which are two results of the
  // graph: values and indices. Null for a dense one.
  std::vector<const Type*> rows;
  // Results that are gradients which a tape inside the callable answered: which tensor of the results, of
  // which source.
  struct GradientResult {
    std::size_t place;
    NameId source_name;
    TensorId source;
    bool looked_at;  // a look (looks.h) sees it first, while a session holds the step's tensors
  };
  std::vector<GradientResult> gradients;
  std::vector<UnrolledLoop> loops;
  std::list<LastingRecord> lasting;  // of the loops, for viewers that attach later
  std::size_t variables_made = 0;    // while it was traced
  bool repeated = false;             // traced a second time, since the first time made variables
};

// Runs `body` once on symbols like the arguments. Throws what it throws.
std::shared_ptr<FunctionTrace> trace_function(const std::string& name,
                                              const std::function<Value(std::vector<Value>&)>& body,
                                              const std::vector<Value>& arguments,
                                              std::span<const std::string> names,
                                              const OptimizeOptions& optimize, const Location& location);

// A number or nested list of numbers as a tensor of that dtype; anything else as it is.
Value to_tensor(const Value& value, DType dtype);

}  // namespace tapescope
