// A traced graph: what a function did, as nodes over values, in the order it was traced (which is
// topological).
//
// Every value has a concrete type. Nodes hold rows of the op table and the attributes of the call, so that a
// graph is run by the same kernels and differentiated by the same rules as eager code.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/attrs.h"
#include "engine/core/names.h"
#include "engine/core/tensor.h"
#include "engine/gate/op.h"
#include "engine/gate/symbol.h"

namespace tapescope {

using ValueIndex = std::uint32_t;
using NodeIndex = std::uint32_t;
inline constexpr std::uint32_t kNoIndex = ~std::uint32_t{0};

enum class ValueKind : std::uint8_t {
  parameter,  // given at each call
  capture,    // a tensor or variable handle of the outside, the same at each call
  constant,   // known while tracing, or folded
  output,     // of a node
};

struct GraphValue {
  ValueKind kind;
  std::uint32_t source;  // the node; or the index of the parameter, capture or constant
  std::uint32_t output;  // of the node
  const Type* type;
  NameId name;
};

struct GraphNode {
  static constexpr std::uint8_t kBackward = 1;  // made by a gradient
  static constexpr std::uint8_t kSilenced = 2;  // inside stop_gradient
  static constexpr std::uint8_t kKeep = 4;      // runs although nothing uses its outputs

  const OpDef* op;
  Attrs attrs;
  Location location;
  ScopeId scope;
  std::uint32_t first_input;  // into the graph's inputs
  std::uint32_t inputs;
  ValueIndex first_output;  // its outputs are consecutive values
  std::uint32_t outputs;
  NodeIndex forward;  // of a backward node: the node it is the gradient of; else kNoIndex
  std::uint8_t flags;
};

// A gradient call that was traced inside the function: what its tape is asked each time the graph runs.
struct GraphQuestion {
  // What a step of the walk took or gave: a value of the graph, or what is known while tracing.
  struct Part {
    ValueIndex value = kNoIndex;
    bool none = false, zero = false;
  };
  struct Step {
    TensorId output;  // first output of the forward op, in the trace
    std::vector<Part> cotangents, gradients;
  };
  // Answers without a value of the graph, such as None, are left out.
  struct Answer {
    ValueIndex gradient;
    TensorId tensor;  // the gradient, in the trace
    NameId source_name;
    TensorId source;
  };

  TracedAsk ask;
  NodeIndex after = 0;  // how many nodes come before its answers are complete
  std::vector<ValueIndex> targets;
  std::vector<Answer> answers;
  std::vector<Step> steps;
};

// The question in a graph where its values have other indices, and other nodes come before its answers.
GraphQuestion moved(GraphQuestion question, const std::vector<ValueIndex>& values, NodeIndex after);

class Graph {
 public:
  explicit Graph(std::string name) : name_(std::move(name)) {}

  ValueIndex add_parameter(const Type* type, NameId name);
  // The same tensor gives the same value.
  ValueIndex add_capture(const Tensor& outside);
  ValueIndex add_constant(const Tensor& value);
  // Returns the node; its first value is nodes()[n].first_output. `types` are those of its outputs.
  NodeIndex add_node(const OpDef& op, std::span<const ValueIndex> inputs, const Attrs& attrs,
                     const Location& location, ScopeId scope, std::span<const Type* const> types,
                     std::uint8_t flags = 0, NodeIndex forward = kNoIndex);

  const std::string& name() const { return name_; }
  // A copy under another name; tensors are shared.
  Graph renamed(std::string name) const {
    Graph copy = *this;
    copy.name_ = std::move(name);
    return copy;
  }
  std::span<const GraphNode> nodes() const { return nodes_; }
  std::span<GraphNode> nodes() { return nodes_; }
  std::span<const GraphValue> values() const { return values_; }
  const GraphValue& value(ValueIndex i) const { return values_[i]; }
  std::span<const ValueIndex> inputs(const GraphNode& node) const {
    return {inputs_.data() + node.first_input, node.inputs};
  }
  std::span<ValueIndex> inputs(const GraphNode& node) {
    return {inputs_.data() + node.first_input, node.inputs};
  }

  std::span<const ValueIndex> parameters() const { return parameters_; }
  std::span<const Tensor> captures() const { return captures_; }  // by GraphValue::source
  std::span<const Tensor> constants() const { return constants_; }
  // Outputs of nodes have no name until they are given one.
  void name_value(ValueIndex value, NameId name) { values_[value].name = name; }
  // What a call returns, in order; may repeat values and name parameters.
  std::vector<ValueIndex> results;
  // What nodes name by its address in their attribute `object`, such as the programs of fused nodes and the
  // branches and bodies of others; and variables whose handles are captured. They live as long as the graph.
  std::vector<std::shared_ptr<const void>> programs;
  // Of the graph as it was traced; rewritten graphs have none.
  std::vector<GraphQuestion> questions;
  std::vector<std::pair<ValueIndex, TensorId>>
      symbols;  // tensors of the trace, and the values they stand for

 private:
  std::string name_;
  std::vector<GraphNode> nodes_;
  std::vector<GraphValue> values_;
  std::vector<ValueIndex> inputs_;
  std::vector<ValueIndex> parameters_;
  std::vector<Tensor> captures_;
  std::vector<ValueIndex> capture_values_;
  std::vector<Tensor> constants_;
};

// "%3 = MatMul(%0, %1) : float32[64, 128]" line by line, for tests and panels.
std::string graph_text(const Graph& graph);

}  // namespace tapescope
