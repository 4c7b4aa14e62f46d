// Nodes that run graphs: what branches and loops have in common.
//
// Inside a trace cond() and the loops become one node each, which holds a graph for every branch or body. All
// that such a graph takes from around it (symbols of the enclosing trace, captured tensors, handles of
// variables) is an input of the node, so that gradients pass. A node that is recorded runs its forward
// variant: the same, and lists of what the gradient of each graph needs, one element for each round that ran
// it, as further outputs. Its gradient is again such a node, which reads the lists; so higher derivatives
// follow. (TensorFlow's cond_v2 and while_v2 work alike.)
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/graph/executor.h"
#include "engine/graph/graph_function.h"
#include "engine/graph/rewrite.h"

namespace tapescope {

class FlowNode;

// Every node has its own row, since what a call saves for backward differs. The row lives as long as the
// node, which what names it keeps: graphs among their programs, tapes by TapeStorage::hold.
struct FlowRow : OpDef {
  FlowNode* node = nullptr;
};

void infer_flow(InferContext& context);
// Null for any other op.
inline const FlowRow* flow_row_of(const OpDef& op) {
  return op.infer == infer_flow ? static_cast<const FlowRow*>(&op) : nullptr;
}

// Where a result of a body goes: an output of the node, or nowhere, since it is one of the node's inputs.
struct FlowPlace {
  bool is_input = false;
  std::uint32_t index = 0;
};

// One graph of a node.
struct FlowBody {
  // What is differentiated; absent once passes changed the graph, of which no gradient is taken.
  std::shared_ptr<GraphFunction> function;
  // What runs: the function's nodes; its results are those that the node's outputs want.
  std::shared_ptr<const Graph> graph;
  std::vector<std::uint32_t> inputs;  // for each parameter the node's input that it takes
  std::vector<bool> elements;         // and whether it takes an element of that input, a list
  std::vector<FlowPlace> places;      // for each result of the function
};

class FlowNode : public std::enable_shared_from_this<FlowNode> {
 public:
  using Order = GraphFunction::Order;

  virtual ~FlowNode() = default;
  const OpDef& row() const { return row_; }
  std::span<const Type* const> types() const { return types_; }  // of the outputs
  std::span<const FlowBody> bodies() const { return bodies_; }
  // Whether running it changes anything beside its outputs.
  bool has_effects() const { return effects_; }
  // Whether the bodies may run many times in one run of the node.
  virtual bool repeats() const = 0;

  virtual void run(KernelContext& context) = 0;
  // The variant that keeps what gradients of that order need, itself where it does already; its first outputs
  // are this one's. Made once.
  std::shared_ptr<FlowNode> forward(Order order);
  // Of a forward variant: sets the cotangents of its inputs.
  virtual void backward(VjpContext& context) = 0;
  // The same with other graphs to run, which no gradient is taken of.
  virtual std::shared_ptr<FlowNode> with_bodies(std::vector<FlowBody> bodies) const = 0;
  // Of the inputs and outputs that are used, as these say: sets those too that the node cannot do without.
  virtual void keep_own(std::vector<bool>& inputs, std::vector<bool>& outputs) const = 0;
  // The same without the others. No gradient is taken of it.
  virtual std::shared_ptr<FlowNode> reduced(const std::vector<bool>& inputs,
                                            const std::vector<bool>& outputs) const = 0;

 protected:
  // `name` lives as long as the process; `effects`: see any_effect().
  FlowNode(std::string_view name, std::vector<FlowBody> bodies, std::vector<const Type*> types,
           std::uint32_t saves, Order order, bool effects);
  FlowNode(const FlowNode&) = delete;
  FlowNode& operator=(const FlowNode&) = delete;

  virtual std::shared_ptr<FlowNode> make_forward(Order order) const = 0;
  void run_body(std::size_t body, std::span<const Tensor> parameters, std::span<Tensor> results,
                ResultIds ids = ResultIds::consecutive);
  // A body that takes only those inputs of the node and gives only those of its results.
  static FlowBody reduced_body(const FlowBody& body, const std::vector<bool>& inputs,
                               const std::vector<bool>& results);
  Order order() const { return order_; }

  FlowRow row_;

 private:
  std::vector<FlowBody> bodies_;
  std::vector<const Type*> types_;
  Order order_;
  bool effects_;
  std::shared_ptr<FlowNode> first_, higher_;
  std::once_flag made_;
  std::vector<std::unique_ptr<Executable>> executables_;
};

// A body as it was traced, with what it takes from outside as further parameters.
struct LiftedBody {
  std::shared_ptr<GraphFunction> function;
  std::vector<Tensor> outside;  // for its last parameters
};
LiftedBody lift(const TracedGraph& traced);

// Runs the node, or adds it to the trace, in the variant that the tapes of the thread want. Gives the outputs
// of `node`.
std::vector<Tensor> call_flow(FlowNode& node, std::span<const Tensor> inputs, const Location& location);
// Another node in the place of an old one; its first outputs stand for the old one's.
void put_flow(Rebuild& rebuild, NodeIndex old, std::span<const ValueIndex> inputs,
              const std::shared_ptr<FlowNode>& node);

// For nodes' implementations.

// A node's gradients: one for each set of cotangents given and cotangents wanted, made when it is first asked
// for.
template <class Gradient>
class GradientsByNeed {
 public:
  // make(given, wanted): a bool for each output, for each input.
  template <class Make>
  const Gradient& find(const VjpContext& context, Make make) {
    std::vector<bool> given, wanted;
    for (int o = 0; o < context.output_count(); ++o) given.push_back(static_cast<bool>(context.grad(o)));
    for (int i = 0; i < context.input_count(); ++i) wanted.push_back(context.needs(i));
    const auto known = known_.find({given, wanted});
    if (known != known_.end()) return known->second;
    Gradient made = make(given, wanted);
    return known_.emplace(std::pair(std::move(given), std::move(wanted)), std::move(made)).first->second;
  }

 private:
  std::map<std::pair<std::vector<bool>, std::vector<bool>>, Gradient> known_;
};

// Whether a node of theirs changes anything beside its outputs.
bool any_effect(std::span<const FlowBody> bodies);
// The body in its forward variant of that order. What it saves of the node's inputs that are `fixed` (by
// parameter) stays an input; the rest become outputs from `first_output` on, whose number is added to it.
FlowBody saving_body(const FlowBody& body, GraphFunction::Order order, const std::vector<bool>& fixed,
                     std::uint32_t& first_output);
// The graph to run: the function's, of whose results only those are left that are outputs.
std::shared_ptr<const Graph> graph_to_run(const GraphFunction& function, std::span<const FlowPlace> places);
// Its own tensor in place of one that shows elements of the node's inputs, whose place is used again
// after the node.
Tensor apart_from(Tensor tensor, OpInputs inputs);
// The trace of a gradient's body: its nodes are backward ones, placed where the forward op was; no event is
// left.
class BackwardTrace {
 public:
  explicit BackwardTrace(const std::string& name);
  Trace& operator*() { return trace_; }
  Trace* operator->() { return &trace_; }

 private:
  Mute mute_;
  const Location* origin_;
  Trace trace_;
};
// In a trace: calls the gradient of a body. For each input of its function a dense cotangent, absent where
// there is none.
struct BackwardCall {
  const GraphFunction::Backward& with;
  std::vector<Tensor> saved;       // as with.saved
  std::vector<Tensor> cotangents;  // as with.cotangents
  std::size_t inputs;              // of the function
};
std::vector<Tensor> cotangents_of(const BackwardCall& call);

}  // namespace tapescope
