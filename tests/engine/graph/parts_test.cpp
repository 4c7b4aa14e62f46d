// The debugger sees the members of fused nodes: each is a place, with the bits of the fused node.
#include <algorithm>
#include <limits>
#include <string>

#include "engine/debug/gate.h"
#include "engine/graph/function.h"
#include "engine/graph/fused.h"
#include "engine/graph/optimize.h"
#include "engine/tape/tape.h"
#include "tests/support/graph_maker.h"

using namespace tapescope;
using namespace tapescope::test;

namespace {

struct Stop {
  std::string op;
  TapePlace place;
  bool backward;
  std::vector<FrameTensor> inputs, outputs;
};

// Runs the program with a gate that stops at `first`, then at each place inside where `everywhere`, and at
// breakpoints.
std::vector<Stop> stops(const auto& program, TapePlace first, bool everywhere,
                        std::vector<Breakpoint> breakpoints = {}) {
  DebugGate gate;
  gate.bind();
  gate.breakpoints().set(std::move(breakpoints));
  std::vector<Stop> met;
  gate.on_park([&](StopReason, const Frame& frame, const Breakpoint*) {
    met.push_back({std::string(op_name_text(frame.op)),
                   {frame.cursor, frame.inner},
                   frame.backward,
                   frame.inputs,
                   frame.outputs});
    return DebugGate::Move{DebugGate::Move::Kind::go_on,
                           everywhere ? TapePlace(frame.cursor, frame.inner + 1) : DebugGate::kNever};
  });
  gate.begin_step(first);
  program();
  gate.unbind();
  return met;
}

std::size_t fused_nodes(const Graph& graph) {
  const auto nodes = graph.nodes();
  return static_cast<std::size_t>(
      std::ranges::count_if(nodes, [](const GraphNode& node) { return parts_of(node) != nullptr; }));
}

}  // namespace

TEST_CASE("members of fused nodes give their bits one by one", "[graph]") {
  std::size_t fused = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    for (const bool compiled : {false, true}) {
      const auto graph = random_graph(seed);
      const auto parameters = noise_for(*graph, seed);
      optimize(*graph, {.compiled = compiled});
      fused += fused_nodes(*graph);
      std::size_t places = graph->nodes().size();
      for (const GraphNode& node : graph->nodes()) {
        if (const Graph* parts = parts_of(node)) places += parts->nodes().size();
      }
      Executable executable(graph);
      const auto expected = run(executable, parameters);
      std::vector<Tensor> found;
      INFO("seed " << seed << "\n" << graph_text(*graph));
      const auto met = stops([&] { found = run(executable, parameters); }, TapePlace(0, 1), true);
      CHECK(met.size() == places);
      for (const Stop& stop : met) CHECK_FALSE(stop.outputs.empty());
      check_same_bits(found, expected);
    }
  }
  CHECK(fused > 100);
}

TEST_CASE("long folds that fusion cuts give the same bits one by one", "[graph]") {
  for (const std::string_view reduction : {"Sum", "Mean", "Prod", "Max", "EuclideanNorm"}) {
    GraphMaker make;
    make.graph->results = {
        make.reduce(reduction, make.op("Square", {make.op("Neg", {make.parameter({9, 80'000})})}), {1})};
    const auto parameters = noise_for(*make.graph);
    optimize(*make.graph, {.compiled = true});
    REQUIRE(fused_nodes(*make.graph) == 1);
    REQUIRE(fused_chain(make.graph->nodes()[0].attrs).cut);
    Executable executable(make.graph);
    const auto expected = run(executable, parameters);
    std::vector<Tensor> found;
    const auto met = stops([&] { found = run(executable, parameters); }, TapePlace(0, 1), true);
    REQUIRE(met.size() == 4);
    CHECK(met[2].op == reduction);
    check_same_bits(found, expected);
  }
}

TEST_CASE("places inside are the same whether members run one by one or not", "[graph]") {
  const auto graph = random_graph(7);
  const auto parameters = noise_for(*graph, 7);
  optimize(*graph);
  REQUIRE(fused_nodes(*graph) > 0);
  Executable executable(graph);
  const auto program = [&] { run(executable, parameters); };
  for (const Stop& each : stops(program, TapePlace(0, 1), true)) {
    const auto there = stops(program, each.place, false);
    REQUIRE(there.size() == 1);
    CHECK(there[0].place == each.place);
    CHECK(there[0].op == each.op);
  }
}

TEST_CASE("breakpoints stop at members of compiled functions", "[graph]") {
  const Variable v(constant({4.0, -1.0, 9.0}), {.name = "v"});
  const FunctionOptions compiled{.optimize = {.compiled = true}};
  Function train(
      "train",
      [&](const Tensor& x) {
        GradientTape tape;
        tape.enter();
        const Tensor y = exp(sqrt(x * v) * 0.5);
        tape.exit();
        v.assign_sub(0.1 * tape.gradient(y, v));
        return y;
      },
      compiled);
  const auto run = [&] {
    v.assign(constant({4.0, -1.0, 9.0}));
    train(ones({3}));
  };
  using Kind = Breakpoint::Kind;

  const auto op = stops(run, DebugGate::kNever, false, {{.kind = Kind::op, .text = "Sqrt"}});
  REQUIRE(op.size() == 1);
  CHECK(op[0].op == "Sqrt");
  CHECK(op[0].inputs.size() == 1);
  CHECK(op[0].outputs.size() == 1);

  // The first value that is not finite is the root of -1.
  const auto first = stops(run, DebugGate::kNever, false, {{.kind = Kind::nonfinite}});
  REQUIRE_FALSE(first.empty());
  CHECK(first[0].op == "Sqrt");
  CHECK(std::ranges::none_of(op, [](const Stop& stop) { return stop.op.starts_with("_Fused"); }));
}
