// Graphs made by hand or at random, and the judge of what runs them: the same ops one by one.
#pragma once
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "engine/graph/executor.h"
#include "engine/graph/infer_types.h"
#include "engine/ops/ops.h"
#include "tests/support/catch.h"

namespace tapescope::test {

class GraphMaker {
 public:
  explicit GraphMaker(std::string name = "f") : graph(std::make_shared<Graph>(std::move(name))) {}

  ValueIndex parameter(const Shape& shape, DType dtype = DType::f32) {
    return graph->add_parameter(intern_type(dtype, shape), 0);
  }
  ValueIndex number(double value, DType dtype = DType::f32) {
    return graph->add_constant(make_full(Shape{}, value, dtype));
  }
  ValueIndex op(std::string_view name, std::vector<ValueIndex> inputs, const Attrs& attrs = kNoAttrs,
                std::uint8_t flags = 0, Location location = Location::current()) {
    const OpDef* row = find_op(name);
    REQUIRE(row);
    std::vector<const Type*> types;
    for (const ValueIndex input : inputs) types.push_back(graph->value(input).type);
    const auto outputs = infer_types(*row, types, attrs);
    const NodeIndex node = graph->add_node(*row, inputs, attrs, location, 0, outputs, flags);
    return graph->nodes()[node].first_output;
  }
  ValueIndex reduce(std::string_view name, ValueIndex x, std::vector<int> axes, bool keepdims = false) {
    Attrs attrs;
    for (const int axis : axes) attrs.push(axis);
    attrs.flags = keepdims;
    return op(name, {x}, attrs);
  }
  ValueIndex reshape(ValueIndex x, const Shape& shape) {
    Attrs attrs;
    for (const std::int64_t size : shape.dims()) attrs.push(size);
    return op("Reshape", {x}, attrs);
  }
  ValueIndex matmul(ValueIndex a, ValueIndex b, bool transpose_a = false, bool transpose_b = false) {
    Attrs attrs;
    attrs.flags = (transpose_a ? 1u : 0u) | (transpose_b ? 2u : 0u);
    return op("MatMul", {a, b}, attrs);
  }

  std::shared_ptr<Graph> graph;
};

// Runs the nodes as eager ops.
inline std::vector<Tensor> run_eagerly(const Graph& graph, const std::vector<Tensor>& parameters) {
  std::vector<Tensor> values(graph.values().size());
  for (ValueIndex i = 0; i < values.size(); ++i) {
    const GraphValue& value = graph.value(i);
    if (value.kind == ValueKind::parameter) values[i] = parameters[value.source];
    if (value.kind == ValueKind::capture) values[i] = graph.captures()[value.source];
    if (value.kind == ValueKind::constant) values[i] = graph.constants()[value.source];
  }
  for (const GraphNode& node : graph.nodes()) {
    std::vector<TensorImpl*> inputs;
    for (const ValueIndex input : graph.inputs(node)) inputs.push_back(values[input].impl());
    TensorList outputs;
    apply(*node.op, inputs, node.attrs, node.location, outputs);
    for (std::uint32_t i = 0; i < node.outputs; ++i)
      values[node.first_output + i] = outputs[static_cast<int>(i)];
  }
  std::vector<Tensor> results;
  for (const ValueIndex result : graph.results) results.push_back(values[result]);
  return results;
}

inline std::vector<Tensor> run(Executable& executable, const std::vector<Tensor>& parameters) {
  std::vector<Tensor> results(executable.graph().results.size());
  executable.run(parameters, results);
  return results;
}

inline bool same_bits(const Tensor& a, const Tensor& b) {
  return &a.type() == &b.type() && std::memcmp(a.raw(), b.raw(), static_cast<std::size_t>(a.bytes())) == 0;
}

inline void check_same_bits(const std::vector<Tensor>& got, const std::vector<Tensor>& expected) {
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    INFO("result " << i << ": " << values_text(got[i], 8) << " for " << values_text(expected[i], 8));
    CHECK(same_bits(got[i], expected[i]));
  }
}

// Between low and high, the same for the same seed.
inline Tensor noise(const Type& type, unsigned seed, double low = 0.5, double high = 2) {
  std::mt19937 random(seed);
  Tensor tensor(new_tensor(&type));
  for (std::int64_t i = 0; i < type.numel; ++i) {
    set_element(tensor.impl(), i, low + (high - low) * static_cast<double>(random()) / 4294967296.0);
  }
  return tensor;
}

inline std::vector<Tensor> noise_for(const Graph& graph, unsigned seed = 1) {
  std::vector<Tensor> tensors;
  for (const ValueIndex parameter : graph.parameters())
    tensors.push_back(noise(*graph.value(parameter).type, seed++));
  return tensors;
}

// A program of elementwise ops with broadcasting, products, reductions and views; some values have many
// users, some none.
inline std::shared_ptr<Graph> random_graph(unsigned seed, int nodes = 40) {
  std::mt19937 random(seed);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  GraphMaker make("random_" + std::to_string(seed));
  const auto m = static_cast<std::int64_t>(1 + below(40)), n = static_cast<std::int64_t>(1 + below(70));
  std::vector<ValueIndex> matrices{make.parameter({m, n}), make.parameter({m, n})}, rows{make.parameter({n})},
      scalars{make.number(1), make.number(0.5), make.number(2)};
  const auto pick = [&](const std::vector<ValueIndex>& of) {
    return of[of.size() - 1 - below(std::min<std::size_t>(of.size(), 6))];
  };
  constexpr std::string_view kUnary[] = {"Neg", "Abs",      "Square", "Tanh",     "Sigmoid", "Relu",
                                         "Exp", "Softplus", "Sign",   "Identity", "Softsign"};
  constexpr std::string_view kBinary[] = {
      "AddV2", "Sub", "Mul", "Maximum", "Minimum", "SquaredDifference", "DivNoNan", "TanhGrad"};
  for (int i = 0; i < nodes; ++i) {
    switch (below(12)) {
      case 0:
      case 1:
      case 2: matrices.push_back(make.op(kUnary[below(std::size(kUnary))], {pick(matrices)})); break;
      case 3:
      case 4:
      case 5:
        matrices.push_back(make.op(kBinary[below(std::size(kBinary))], {pick(matrices), pick(matrices)}));
        break;
      case 6:
        matrices.push_back(make.op(kBinary[below(std::size(kBinary))], {pick(matrices), pick(rows)}));
        break;
      case 7:
        matrices.push_back(make.op(kBinary[below(std::size(kBinary))], {pick(scalars), pick(matrices)}));
        break;
      case 8: rows.push_back(make.reduce("Mean", pick(matrices), {0})); break;
      case 9: scalars.push_back(make.op("Tanh", {make.reduce("Mean", pick(matrices), {0, 1})})); break;
      case 10: matrices.push_back(make.reshape(make.reshape(pick(matrices), {n, m}), {m, n})); break;
      default: {
        const ValueIndex product =
            make.matmul(make.op("Tanh", {pick(matrices)}), make.op("Tanh", {pick(matrices)}), false, true);
        matrices.push_back(make.op("Tanh", {make.matmul(product, pick(matrices))}));
        break;
      }
    }
  }
  make.graph->results = {matrices.back(), scalars.back(), rows.back(), matrices[below(matrices.size())],
                         matrices.back()};
  return make.graph;
}

}  // namespace tapescope::test
