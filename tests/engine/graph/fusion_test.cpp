// Fused nodes give the bits of the ops they stand for, in every layout, size and dtype that is fused.
#include "engine/events/records/graphs.h"
#include "engine/graph/fused.h"

#include "engine/graph/optimize.h"
#include "engine/kernels/compiled_tiles.h"
#include "engine/kernels/map.h"
#include "tests/support/graph_maker.h"

using namespace tapescope;
using namespace tapescope::test;

namespace {

// Optimizes with fusions alone, so that nothing else explains a difference; returns the ops that are left.
std::string fuse(Graph& graph, bool compiled = false) {
  OptimizeOptions options;
  options.compiled = compiled;
  for (const Pass pass : {Pass::prune, Pass::value_numbering, Pass::constant_folding, Pass::arithmetic})
    options.switch_off(pass);
  optimize(graph, options);
  std::string ops;
  for (const GraphNode& node : graph.nodes()) ops += (ops.empty() ? "" : " ") + std::string(node.op->name);
  return ops;
}

// Runs the graph one by one, fuses it, runs it again.
std::string check_fused(const std::shared_ptr<Graph>& graph, unsigned seed = 1) {
  const auto parameters = noise_for(*graph, seed);
  const auto expected = run_eagerly(*graph, parameters);
  const std::string ops = fuse(*graph);
  INFO(ops);
  Executable executable(graph);
  check_same_bits(run(executable, parameters), expected);
  check_same_bits(run(executable, parameters), expected);
  // The loops of all instruction sets agree; their products do not.
  if (ops.find("MatMul") != std::string::npos) return ops;
  for (const kernels::Instructions used : kernels::kInstructions) {
    kernels::limit_instructions(used);
    check_same_bits(run(executable, parameters), expected);
  }
  return ops;
}

}  // namespace

TEST_CASE("a chain becomes one node, whatever its length", "[graph]") {
  for (const std::int64_t n : {1, 2, 7, 511, 512, 513, 5000, 300'000}) {
    GraphMaker make;
    const ValueIndex x = make.parameter({n}), y = make.parameter({n});
    ValueIndex z = make.op("Mul", {make.op("Tanh", {x}), make.op("AddV2", {y, make.number(0.5)})});
    z = make.op("Sub", {make.number(2), make.op("Exp", {make.op("Sigmoid", {z})})});
    make.graph->results = {make.op("RealDiv", {z, make.op("Softplus", {x})})};
    CHECK(check_fused(make.graph) == "_FusedElementwise");
  }
}

TEST_CASE("rows, columns and scalars broadcast inside a chain", "[graph]") {
  struct Layout {
    Shape whole, a, b;
  };
  for (const Layout& layout :
       {Layout{{7, 5}, {5}, {7, 1}}, Layout{{7, 600}, {600}, {7, 1}}, Layout{{3, 513}, {1, 513}, {}},
        Layout{{600, 3}, {3}, {600, 1}}, Layout{{2, 3, 4}, {3, 4}, {2, 1, 1}}, Layout{{2, 3, 4}, {4}, {1}},
        Layout{{40, 1, 30}, {30}, {40, 1, 1}}, Layout{{1, 9}, {9}, {1, 1}}, Layout{{5, 512}, {512}, {5, 1}},
        Layout{{2, 100'000}, {100'000}, {2, 1}}}) {
    GraphMaker make;
    const ValueIndex x = make.parameter(layout.whole), a = make.parameter(layout.a),
                     b = make.parameter(layout.b);
    const ValueIndex y = make.op("Mul", {make.op("Sub", {x, a}), make.op("AddV2", {b, make.op("Exp", {x})})});
    make.graph->results = {make.op("Maximum", {b, make.op("Relu", {make.op("AddV2", {y, a})})})};
    INFO(layout.whole.text());
    CHECK(check_fused(make.graph) == "_FusedElementwise");
  }
}

TEST_CASE("what no program can address stays outside of the chain", "[graph]") {
  GraphMaker make;
  const ValueIndex x = make.parameter({2, 3, 4}), middle = make.parameter({3, 1});
  make.graph->results = {make.op("Exp", {make.op("Neg", {make.op("Mul", {make.op("Neg", {x}), middle})})})};
  CHECK(check_fused(make.graph) == "Neg Mul _FusedElementwise");

  GraphMaker two;
  const ValueIndex y = two.parameter({2, 3, 4});
  const ValueIndex both = two.op("AddV2", {two.op("Mul", {y, two.parameter({3, 4})}), two.parameter({4})});
  two.graph->results = {two.op("Exp", {both})};
  CHECK(check_fused(two.graph) == "Mul _FusedElementwise");
}

TEST_CASE("comparisons, selections, casts and sums of many join a chain", "[graph]") {
  GraphMaker make;
  const ValueIndex x = make.parameter({1000}), y = make.parameter({1000});
  Attrs to_float, to_double;
  to_float.push(static_cast<int>(DType::f32));
  to_double.push(static_cast<int>(DType::f64));
  const ValueIndex larger = make.op("Greater", {x, y});
  const ValueIndex chosen = make.op("SelectV2", {larger, make.op("Neg", {x}), make.number(3)});
  const ValueIndex mask = make.op("Cast", {make.op("LogicalNot", {larger})}, to_float);
  const ValueIndex sum = make.op("AddN", {chosen, mask, y});
  make.graph->results = {make.op("Cast", {make.op("Sin", {make.op("Cast", {sum}, to_double)})}, to_float)};
  CHECK(check_fused(make.graph) == "_FusedElementwise");
}

TEST_CASE("integers and doubles are fused; half types round between ops and are not", "[graph]") {
  for (const auto& [dtype, ops] :
       {std::pair(DType::f64, "_FusedElementwise"), std::pair(DType::i32, "_FusedElementwise"),
        std::pair(DType::i64, "_FusedElementwise"), std::pair(DType::f16, "Neg AddV2 Square"),
        std::pair(DType::bf16, "Neg AddV2 Square")}) {
    GraphMaker make;
    const ValueIndex x = make.parameter({700}, dtype);
    make.graph->results = {
        make.op("Square", {make.op("AddV2", {x, make.op("Neg", {make.parameter({700}, dtype)})})})};
    CHECK(check_fused(make.graph) == ops);
  }
}

TEST_CASE("a value that is used after the chain is a result of it; one of the other direction stays a node",
          "[graph]") {
  GraphMaker make;
  const ValueIndex x = make.parameter({100});
  const ValueIndex y = make.op("Exp", {x});
  make.graph->results = {make.op("Neg", {make.op("Square", {y})}), y};
  CHECK(check_fused(make.graph) == "_FusedElementwise");

  GraphMaker two;
  const ValueIndex z = two.op("Exp", {two.parameter({100})});
  two.graph->results = {two.op("Neg", {z}, kNoAttrs, GraphNode::kBackward)};
  CHECK(check_fused(two.graph) == "Exp Neg");
}

TEST_CASE("a value that something before the root needs from outside of the chain is no part of it",
          "[graph]") {
  GraphMaker make;
  const ValueIndex x = make.parameter({100});
  const ValueIndex y = make.op("Exp", {x});
  const ValueIndex sum = make.reduce("Sum", y, {0});
  make.graph->results = {make.op("Neg", {make.op("RealDiv", {y, sum})})};
  CHECK(check_fused(make.graph) == "Exp Sum _FusedElementwise");
}

TEST_CASE("many results of many dtypes, each used by what follows", "[graph]") {
  for (const std::int64_t n : {1, 513, 40'000}) {
    GraphMaker make;
    const ValueIndex x = make.op("Neg", {make.reduce("Sum", make.parameter({n, 2}), {1})}),
                     other = make.parameter({n});
    Attrs to_float;
    to_float.push(static_cast<int>(DType::f32));
    std::vector<ValueIndex> kept{make.op("Exp", {x})};
    const ValueIndex larger = make.op("Greater", {x, other});
    for (int i = 0; i < 4; ++i)
      kept.push_back(make.op("Mul", {kept.back(), make.op("AddN", {x, kept.front(), other})}));
    kept.push_back(make.op("Cast", {larger}, to_float));
    const ValueIndex last = make.op(
        "SelectV2", {larger, make.op("AddN", {kept[1], kept[2], kept[3], kept[4], kept[5], x}), other});
    make.graph->results = {last, larger};
    for (const ValueIndex value : kept)
      make.graph->results.push_back(make.op("Sin", {value}, kNoAttrs, GraphNode::kBackward));
    INFO(n);
    check_fused(make.graph);
    std::size_t results = 0;
    for (const GraphNode& node : make.graph->nodes()) results = std::max<std::size_t>(results, node.outputs);
    CHECK(results == 8);
  }
}

TEST_CASE("a backward node keeps its forward node, whichever member of a chain that was", "[graph]") {
  GraphMaker make;
  const ValueIndex x = make.parameter({50});
  const ValueIndex y = make.op("Exp", {x}), z = make.op("Sin", {y});
  const NodeIndex forward = make.graph->value(y).source;
  const ValueIndex inputs[] = {y};
  const Type* types[] = {make.graph->value(y).type};
  const NodeIndex backward = make.graph->add_node(*find_op("Neg"), inputs, kNoAttrs, Location::current(), {},
                                                  types, GraphNode::kBackward, forward);
  make.graph->results = {z, make.graph->nodes()[backward].first_output};
  CHECK(fuse(*make.graph) == "_FusedElementwise Neg");
  CHECK(make.graph->nodes()[1].forward == 0);
}

TEST_CASE("a chain longer than a program is cut", "[graph]") {
  GraphMaker make;
  ValueIndex x = make.parameter({2000});
  for (int i = 0; i < 200; ++i) x = make.op(i % 2 ? "Sin" : "Softsign", {x});
  make.graph->results = {x};
  CHECK(check_fused(make.graph) == "_FusedElementwise _FusedElementwise");
}

TEST_CASE("a wide expression runs out of registers and is still right", "[graph]") {
  GraphMaker make;
  std::vector<ValueIndex> terms;
  for (int i = 0; i < 16; ++i) terms.push_back(make.op("Exp", {make.parameter({600})}));
  while (terms.size() > 1) {
    std::vector<ValueIndex> sums;
    for (std::size_t i = 0; i + 1 < terms.size(); i += 2)
      sums.push_back(make.op("AddV2", {terms[i], terms[i + 1]}));
    terms = sums;
  }
  make.graph->results = terms;
  check_fused(make.graph);
}

TEST_CASE("a reduction over neighbouring axes takes its chain in", "[graph]") {
  struct Case {
    Shape shape;
    std::vector<int> axes;
  };
  for (const Case& c :
       {Case{{10}, {0}}, Case{{300'000}, {0}}, Case{{64, 10}, {1}}, Case{{64, 10}, {0, 1}},
        Case{{3, 50'000}, {1}}, Case{{9, 3000}, {1}}, Case{{4, 5, 6}, {1, 2}}, Case{{1, 700, 1}, {1}},
        Case{{2, 200'000}, {1}}, Case{{40, 30}, {0}}, Case{{5000, 40}, {0}}, Case{{9, 20, 30}, {1}}}) {
    for (const std::string_view op : {"Sum", "Mean", "Max", "Min", "Prod", "EuclideanNorm"}) {
      GraphMaker make;
      const ValueIndex x = make.parameter(c.shape), y = make.parameter(c.shape);
      make.graph->results = {make.reduce(op, make.op("Square", {make.op("Sub", {x, y})}), c.axes)};
      INFO(op << " " << c.shape.text());
      CHECK(check_fused(make.graph) == "_FusedReduction");
    }
  }
}

TEST_CASE("other reductions keep their input", "[graph]") {
  GraphMaker apart;
  apart.graph->results = {
      apart.reduce("Sum", apart.op("Square", {apart.op("Neg", {apart.parameter({4, 3, 5})})}), {0, 2})};
  CHECK(check_fused(apart.graph) == "_FusedElementwise Sum");

  GraphMaker shared;
  const ValueIndex y = shared.op("Square", {shared.parameter({40})});
  shared.graph->results = {shared.reduce("Sum", y, {0}), y};
  CHECK(check_fused(shared.graph) == "Square Sum");

  GraphMaker half;
  half.graph->results = {half.reduce("Sum", half.op("Square", {half.parameter({40}, DType::bf16)}), {0})};
  CHECK(check_fused(half.graph) == "Square Sum");
}

TEST_CASE("many long rows are fused when compiled, since the order of additions changes", "[graph]") {
  for (const bool compiled : {false, true}) {
    GraphMaker make;
    make.graph->results = {
        make.reduce("Sum", make.op("Square", {make.op("Neg", {make.parameter({9, 80'000})})}), {1})};
    const auto parameters = noise_for(*make.graph);
    const auto expected = run_eagerly(*make.graph, parameters);
    OptimizeOptions options;
    options.compiled = compiled;
    const OptimizeReport report = optimize(*make.graph, options);
    REQUIRE(report.rewrites.size() == 1);
    CHECK(report.rewrites[0].rule == (compiled ? "fuse_reduction" : "fuse_elementwise"));
    CHECK(report.rewrites[0].kind == (compiled ? RewriteKind::reassociating : RewriteKind::bit_exact));
    Executable executable(make.graph);
    const auto results = run(executable, parameters);
    for (std::int64_t i = 0; i < 9; ++i)
      CHECK(element(results[0], i) == Approx(element(expected[0], i)).epsilon(1e-6));
  }
}

TEST_CASE("a forward chain and its gradient become one loop of machine code, with the bits of the ops",
          "[graph]") {
  kernels::CompiledTiles::compile_at_once(true);
  struct Off {
    ~Off() { kernels::CompiledTiles::compile_at_once(false); }
  } off;
  // With 12 rounds the backward pass reads more values than a program has inputs, until it has its forward
  // pass.
  struct Case {
    std::int64_t n;
    std::size_t rounds;
  };
  for (const auto [n, rounds] :
       {Case{1, 5}, Case{31, 5}, Case{32, 5}, Case{33, 5}, Case{1000, 5}, Case{300'000, 5}, Case{1000, 12}}) {
    // Rounds of relu(t * 1.25 + 0.5) * x and of tanh, whose values the backward pass reads.
    GraphMaker make;
    const ValueIndex x = make.parameter({n}), seed = make.parameter({n}), slope = make.number(1.25),
                     offset = make.number(0.5);
    std::vector<ValueIndex> rectified, bounded;
    ValueIndex t = x;
    for (std::size_t i = 0; i < rounds; ++i) {
      t = make.op("AddV2", {make.op("Mul", {t, slope}), offset});
      rectified.push_back(t = make.op("Relu", {t}));
      bounded.push_back(t = make.op("Tanh", {make.op("Mul", {t, x})}));
    }
    const auto back = [&](std::string_view name, std::vector<ValueIndex> inputs) {
      return make.op(name, std::move(inputs), kNoAttrs, GraphNode::kBackward);
    };
    ValueIndex d = seed, dx = seed;
    for (std::size_t i = rounds; i-- > 0;) {
      d = back("TanhGrad", {bounded[i], d});
      dx = back("AddV2", {dx, back("Mul", {d, rectified[i]})});
      d = back("ReluGrad", {back("Mul", {d, x}), rectified[i]});
      d = back("Mul", {d, slope});
    }
    make.graph->results = {t, back("AddV2", {dx, d})};
    const auto parameters = noise_for(*make.graph);
    const auto expected = run_eagerly(*make.graph, parameters);
    Graph interpreted = *make.graph;
    CHECK(fuse(interpreted) != "_FusedElementwise");
    const std::string ops = fuse(*make.graph, true);
    const bool code =
        kernels::has_machine_code({.inputs = {{DType::f32, kernels::TileProgram::Access::whole}},
                                   .steps = {{.from = DType::f32, .to = DType::f32}}});
    CHECK((ops == "_FusedElementwise") == code);
    Executable executable(make.graph);
    check_same_bits(run(executable, parameters), expected);
    check_same_bits(run(executable, parameters), expected);
    if (!code || n < 32) continue;
    const auto& compiled = *fused_chain(make.graph->nodes()[0].attrs).program.compiled;
    CHECK((compiled.state() == kernels::CompiledTiles::State::compiled) ==
          kernels::load_machine_code_compiler());
  }
}

TEST_CASE("product, bias and activation become one node", "[graph]") {
  for (const auto& [add, activation] : {std::pair("BiasAdd", "Relu"), std::pair("AddV2", "Tanh"),
                                        std::pair("BiasAdd", "LeakyRelu"), std::pair("AddV2", "")}) {
    for (const bool transpose : {false, true}) {
      for (const std::int64_t rows : {1, 33, 700}) {
        GraphMaker make;
        const ValueIndex x = make.parameter({rows, 20}),
                         w = make.parameter(transpose ? Shape{17, 20} : Shape{20, 17}),
                         b = make.parameter({17});
        const ValueIndex y = make.op(add, {make.matmul(x, w, false, transpose), b});
        Attrs alpha;
        alpha.f[0] = 0.25;
        make.graph->results = {*activation ? make.op(activation, {y}, alpha) : y};
        CHECK(check_fused(make.graph) == "_FusedMatMul");
      }
    }
  }
}

TEST_CASE("a pre-activation that the gradient needs keeps the activation apart; other sums are no bias",
          "[graph]") {
  GraphMaker make;
  const ValueIndex y =
      make.op("BiasAdd", {make.matmul(make.parameter({8, 4}), make.parameter({4, 6})), make.parameter({6})});
  make.graph->results = {make.op("Softplus", {y}), y};
  CHECK(check_fused(make.graph) == "_FusedMatMul Softplus");

  GraphMaker column;
  column.graph->results = {column.op(
      "AddV2",
      {column.matmul(column.parameter({6, 4}), column.parameter({4, 6})), column.parameter({6, 1})})};
  CHECK(check_fused(column.graph) == "MatMul AddV2");

  GraphMaker half;
  half.graph->results = {
      half.op("BiasAdd", {half.matmul(half.parameter({6, 4}, DType::f16), half.parameter({4, 6}, DType::f16)),
                          half.parameter({6}, DType::f16)})};
  CHECK(check_fused(half.graph) == "MatMul BiasAdd");
}

TEST_CASE("fused nodes cost the work of their members and the traffic of their ends", "[graph]") {
  GraphMaker make;
  const ValueIndex x = make.parameter({1000});
  make.graph->results = {make.op("Exp", {make.op("Neg", {x})})};
  const GraphCost before = cost_of(*make.graph);
  fuse(*make.graph);
  const GraphCost after = cost_of(*make.graph);
  CHECK(before.flops == after.flops);
  CHECK(before.bytes == 16000);
  CHECK(after.bytes == 8000);
  CHECK(op_name_text(kFusedElementwise.id) == "_FusedElementwise");
}
