// A trace: while one is open the ops of its thread become nodes of a graph, and tensors are symbols without
// elements.
//
// Tapes opened inside see the traced ops as they see eager ones, so a gradient taken there adds its ops to
// the graph. Tapes and accumulators from outside see nothing: they get the call of the finished
// graph.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/gate/state.h"
#include "engine/gate/symbol.h"
#include "engine/graph/graph.h"
#include "engine/tape/variable.h"

namespace tapescope {

// What a trace gives: the graph, and what its parameters stood for.
struct TracedGraph {
  std::shared_ptr<Graph> graph;
  // For each parameter the tensor that stood for it, a symbol or a variable's handle. Parameters at the end
  // stand for symbols of an enclosing trace that the function used: `closures`, which every call must give
  // after the others.
  std::vector<Tensor> parameters;
  std::vector<Tensor> closures;
};

class Trace {
 public:
  // `arguments` are the values of the parameters in the call that is traced: what a variable made inside is
  // computed from. Empty where the trace is made without a call.
  // Branches and bodies are given up where the trace around them is; functions are kept.
  enum class Of { function, body };
  explicit Trace(std::string function, std::span<const Tensor> arguments = {}, Of of = Of::function);
  // Closes it: symbols of an open trace that was given up are out of reach from here on.
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  // The next parameter; all are added before the first op.
  Tensor parameter(const Type* type, NameId name);
  Variable parameter(const Variable& like);
  // A parameter that a tensor stands for already: the handle of a variable of another trace.
  void parameter(const Tensor& handle);

  // The value of this graph that a tensor is. Eager tensors become captures, those made since the trace began
  // constants. Throws TypeError for a symbol that was leaked from another trace.
  ValueIndex value_of(const Tensor& tensor, const Location& location = Location::current());
  const Graph& graph() const;
  // What stands for each of the graph's parameters so far.
  std::span<const Tensor> parameters() const;
  // What tapes inside answered.
  const std::vector<TraceScope::Answer>& answers() const;

  // Of the innermost trace on this thread: its graph, null outside of any; the value that a tensor is; a new
  // symbol for a value.
  static const Graph* current_graph();
  static ValueIndex current_value(const Tensor& tensor, const Location& location);
  static Tensor current_symbol(ValueIndex value);
  // Of the innermost trace: the node that runs in place of this one, a branch or a loop that was traced
  // before anybody asked for a gradient, and keeps what gradients of any order need. One node is left of the
  // two in the end.
  static NodeIndex current_saving(NodeIndex node);

  // Whether the tape was active before the innermost trace began, so that it is notified of none of its
  // nodes.
  static bool is_outside(const TapeListener* tape);

  // Ends the trace; `results` may be symbols, eager tensors and handles.
  TracedGraph finish(std::span<const Tensor> results, const Location& location = Location::current());

 private:
  struct State;
  void close();
  std::shared_ptr<State> state_;
};

// Runs what is inside as if no function were traced (TensorFlow's init_scope), for values that must outlive
// the trace.
class InitScope {
 public:
  InitScope();
  ~InitScope();
  InitScope(const InitScope&) = delete;
  InitScope& operator=(const InitScope&) = delete;

 private:
  std::vector<Interceptor*> interceptors_;
  TraceScope* trace_;
};

}  // namespace tapescope
