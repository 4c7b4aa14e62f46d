// The executor gives what eager ops give, leaves results alone, allocates nothing, and records what it runs.
#include "engine/graph/executor.h"

#include <thread>

#include "engine/core/pool.h"
#include "engine/debug/gate.h"
#include "engine/events/records/ops.h"
#include "engine/events/session.h"
#include "engine/graph/optimize.h"
#include "engine/ops/variable_read.h"
#include "engine/tape/variable.h"
#include "tests/support/graph_maker.h"

using namespace tapescope;
using namespace tapescope::test;

TEST_CASE("random graphs give the bits of eager ops, planned or apart, run after run", "[graph]") {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const auto graph = random_graph(seed);
    INFO(graph_text(*graph));
    Executable planned(graph), apart(graph, {.plan = false});
    for (unsigned run_seed = 1; run_seed <= 2; ++run_seed) {
      const auto parameters = noise_for(*graph, run_seed * 10);
      const auto expected = run_eagerly(*graph, parameters);
      check_same_bits(run(planned, parameters), expected);
      check_same_bits(run(apart, parameters), expected);
    }
  }
}

TEST_CASE("results outlive the next run, are separate tensors and have consecutive ids", "[graph]") {
  GraphMaker make;
  const ValueIndex x = make.parameter({3}), y = make.op("Square", {x});
  make.graph->results = {y, make.reshape(y, {3, 1}), y, x, make.number(7)};
  Executable executable(make.graph);
  const Tensor one = constant({1.0, 2.0, 3.0}), two = constant({4.0, 5.0, 6.0});
  const auto first = run(executable, {one}), second = run(executable, {two});
  CHECK(values_text(first[0]) == "[1, 4, 9]");
  CHECK(values_text(first[1]) == "[[1], [4], [9]]");
  CHECK(values_text(first[2]) == "[1, 4, 9]");
  CHECK(values_text(first[3]) == "[1, 2, 3]");
  CHECK(values_text(first[4]) == "7");
  CHECK(values_text(second[0]) == "[16, 25, 36]");
  for (std::size_t i = 0; i < first.size(); ++i) {
    CHECK(first[i].id() == first[0].id() + i);
    CHECK(first[i].id() != one.id());
  }
}

TEST_CASE("a parameter of another type than traced is refused by name", "[graph]") {
  GraphMaker make("scale");
  make.graph->results = {make.op("Neg", {make.parameter({3})})};
  Executable executable(make.graph);
  CHECK_THROWS_WITH(run(executable, {constant({1.0, 2.0})}),
                    contains_text("[scale] parameter 0 must be float32[3]"));
  CHECK_THROWS_WITH(run(executable, {Tensor()}), contains_text("got None"));
}

TEST_CASE("nothing is asked of the system once a graph has run", "[graph]") {
  if (!pool_caches()) return;
  const auto graph = random_graph(7, 80);
  Executable executable(graph);
  const auto parameters = noise_for(*graph);
  std::vector<Tensor> results(graph->results.size());
  executable.run(parameters, results);
  executable.run(parameters, results);
  const PoolStats before = pool_stats();
  for (int i = 0; i < 50; ++i) executable.run(parameters, results);
  CHECK(pool_stats().system_allocations == before.system_allocations);
  CHECK(pool_stats().live_bytes == before.live_bytes);
}

TEST_CASE("a variable read before an assignment in place keeps its snapshot; without a reader none is copied",
          "[graph]") {
  const Variable v(constant({1.0, 2.0, 3.0}), {.name = "v"});
  GraphMaker make;
  const ValueIndex handle = make.graph->add_capture(v.handle());
  const Type* types[] = {&v.type()};
  const NodeIndex read =
      make.graph->add_node(kReadVariable, std::vector{handle}, kNoAttrs, Location::current(), 0, types);
  make.graph->results = {make.op("Neg", {make.graph->nodes()[read].first_output})};
  Executable executable(make.graph);
  const auto first = run(executable, {});
  const void* place = v.peek().raw();
  v.assign(constant({4.0, 5.0, 6.0}));
  CHECK(v.peek().raw() == place);  // the run let go of the snapshot
  const auto second = run(executable, {});
  CHECK(values_text(first[0]) == "[-1, -2, -3]");
  CHECK(values_text(second[0]) == "[-4, -5, -6]");

  make.graph->results = {make.graph->nodes()[read].first_output};
  Executable snapshots(make.graph);
  const auto snapshot = run(snapshots, {});
  v.assign(constant({7.0, 8.0, 9.0}));
  CHECK(values_text(snapshot[0]) == "[4, 5, 6]");
}

TEST_CASE("random nodes draw again at each run, as eager ops would", "[graph]") {
  GraphMaker make;
  Attrs attrs;
  attrs.count = 4;
  attrs.i[0] = attrs.i[1] = attrs.i[2] = attrs.i[3] = 0;
  attrs.push(static_cast<int>(DType::f32));
  attrs.push(4);
  attrs.f[1] = 1;
  make.graph->results = {make.op("RandomUniform", {}, attrs)};
  Executable executable(make.graph);
  set_seed(5);
  const Tensor first = run(executable, {})[0], second = run(executable, {})[0];
  set_seed(5);
  CHECK(same_bits(first, random_uniform({4})));
  CHECK(same_bits(second, random_uniform({4})));
}

TEST_CASE("what a kernel makes as a view of its input is not overwritten with it", "[graph]") {
  static const OpDef pass = [] {
    OpDef row = *find_op("Neg");
    row.name = "TestPass";
    row.flags = OpDef::kMakesOutputs;
    row.kernel = [](KernelContext& c) {
      c.outputs[0] = Tensor(new_view(c.inputs[0], c.inputs[0]->type, c.inputs[0]->data));
    };
    return row;
  }();
  GraphMaker make;
  const ValueIndex x = make.parameter({3});
  const std::vector<ValueIndex> squares{make.op("Square", {x})};
  const Type* types[] = {make.graph->value(x).type};
  const NodeIndex node = make.graph->add_node(pass, squares, kNoAttrs, Location::current(), 0, types);
  const ValueIndex passed = make.graph->nodes()[node].first_output;
  const ValueIndex other = make.op("Neg", {make.op("Exp", {x})});  // takes the place of the squares
  make.graph->results = {passed, make.op("Mul", {passed, make.op("Sign", {other})})};
  Executable executable(make.graph);
  const auto results = run(executable, {constant({1.0, 2.0, 3.0})});
  run(executable, {constant({7.0, 8.0, 9.0})});
  CHECK(values_text(results[0]) == "[1, 4, 9]");
  CHECK(values_text(results[1]) == "[-1, -4, -9]");
}

TEST_CASE("a kernel that refuses its input leaves the executable usable", "[graph]") {
  GraphMaker make;
  const ValueIndex a = make.parameter({2}, DType::i32), b = make.parameter({2}, DType::i32);
  make.graph->results = {make.op("Neg", {make.op("FloorDiv", {make.op("Neg", {a}), b})})};
  Executable executable(make.graph);
  const Tensor x = constant({6, 8}, DType::i32);
  CHECK_THROWS_WITH(run(executable, {x, constant({0, 1}, DType::i32)}), contains_text("division by zero"));
  CHECK(values_text(run(executable, {x, constant({2, 4}, DType::i32)})[0]) == "[3, 2]");
}

// Of a graph whose value i is called "i": the op, inputs and outputs of each node, as eager ops give them.
TEST_CASE("the places of a random graph show names and values of eager ops, alone and inside fused nodes",
          "[graph]") {
  std::size_t inside = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const auto graph = random_graph(seed);
    INFO(graph_text(*graph));
    for (ValueIndex value = 0; value < graph->values().size(); ++value)
      graph->name_value(value, intern_name(std::to_string(value)));
    const auto parameters = noise_for(*graph, seed);
    Graph all = *graph;
    all.results.clear();
    for (ValueIndex value = 0; value < all.values().size(); ++value) all.results.push_back(value);
    const std::vector<Tensor> expected = run_eagerly(all, parameters);
    auto fused = std::make_shared<Graph>(*graph);
    optimize(*fused, {.reassociating = false});
    for (const auto& run_one : {graph, fused}) {
      Executable executable(run_one);
      DebugGate gate;
      std::size_t places = 0;
      gate.on_park([&](StopReason, const Frame& frame, const Breakpoint*) {
        ++places;
        for (const auto* tensors : {&frame.inputs, &frame.outputs}) {
          for (const FrameTensor& tensor : *tensors) {
            if (tensor.name.empty()) continue;
            INFO(op_name_text(frame.op) << " shows " << tensor.name);
            CHECK(same_bits(tensor.value, expected[std::stoul(tensor.name)]));
          }
        }
        if (run_one == graph) {
          const GraphNode& node = graph->nodes()[places - 1];
          CHECK(frame.op == node.op->id);
          REQUIRE(frame.outputs.size() == node.outputs);
          for (std::uint32_t i = 0; i < node.outputs; ++i)
            CHECK(frame.outputs[i].name == std::to_string(node.first_output + i));
          REQUIRE(frame.inputs.size() == graph->inputs(node).size());
          for (std::size_t i = 0; i < frame.inputs.size(); ++i)
            CHECK(same_bits(frame.inputs[i].value, expected[graph->inputs(node)[i]]));
        }
        return DebugGate::Move{DebugGate::Move::Kind::go_on, {frame.cursor, frame.inner + 1}};
      });
      gate.bind();
      gate.begin_step({0, 1});
      const auto results = run(executable, parameters);
      gate.unbind();
      if (run_one == graph) CHECK(places == graph->nodes().size());
      else inside += places > run_one->nodes().size();
      for (std::size_t r = 0; r < results.size(); ++r)
        CHECK(same_bits(results[r], expected[graph->results[r]]));
    }
  }
  CHECK(inside > 0);
}

TEST_CASE("every output of a node has its name where the debugger stands", "[graph]") {
  GraphMaker make;
  Attrs attrs;
  attrs.push(1);
  const ValueIndex parts = make.op("Unpack", {make.parameter({2, 3})}, attrs);
  for (const ValueIndex i : {0u, 1u, 2u}) make.graph->name_value(parts + i, intern_name(std::to_string(i)));
  make.graph->results = {parts + 2, parts, parts + 1};
  Executable executable(make.graph);
  DebugGate gate;
  std::string seen;
  gate.on_park([&](StopReason, const Frame& frame, const Breakpoint*) {
    for (const FrameTensor& output : frame.outputs)
      seen += output.name + " = " + values_text(output.value) + "; ";
    return DebugGate::Move{};
  });
  gate.bind();
  gate.begin_step({0, 1});
  run(executable, {constant({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}})});
  gate.unbind();
  CHECK(seen == "0 = [1, 4]; 1 = [2, 5]; 2 = [3, 6]; ");
}

TEST_CASE("threads run one executable at once", "[graph][threads]") {
  const auto graph = random_graph(11);
  Executable executable(graph);
  const auto parameters = noise_for(*graph);
  const auto expected = run_eagerly(*graph, parameters);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        const auto results = run(executable, parameters);
        for (std::size_t r = 0; r < results.size(); ++r) wrong += !same_bits(results[r], expected[r]);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("while a session listens each node leaves an op record with its site, ids and time", "[graph]") {
  GraphMaker make;
  const ValueIndex x = make.parameter({3});
  const int line = __LINE__ + 1;
  const ValueIndex y = make.op("Square", {x}),
                   z = make.op("Neg", {make.reshape(y, {3, 1})}, kNoAttrs, GraphNode::kBackward);
  make.graph->results = {z};
  Executable executable(make.graph);
  const Tensor input = constant({1.0, 2.0, 3.0});
  Session session;
  session.start();
  const auto results = run(executable, {input});
  std::vector<Record> records;
  session.drain([&](std::uint32_t, std::span<const Record> some) {
    records.insert(records.end(), some.begin(), some.end());
  });
  session.stop();
  CHECK(values_text(results[0]) == "[[-1], [-4], [-9]]");
  std::vector<OpRecord> ops;
  std::vector<OperandsRecord> operands;
  for (const Record& record : records) {
    if (record.is<OpRecord>()) ops.push_back(record.as<OpRecord>());
    if (record.is<OperandsRecord>()) operands.push_back(record.as<OperandsRecord>());
  }
  REQUIRE(ops.size() == 3);
  CHECK(op_name_text(ops[0].name) == "Square");
  CHECK(op_name_text(ops[1].name) == "Reshape");
  CHECK(op_name_text(ops[2].name) == "Neg");
  CHECK(site_with_id(ops[0].site).line == static_cast<std::uint32_t>(line));
  CHECK(operands[0].input[0] == input.id());
  CHECK(operands[1].input[0] == ops[0].output);
  CHECK(operands[2].input[0] == ops[1].output);
  CHECK_FALSE(ops[0].flags & OpRecord::kBackward);
  CHECK(ops[2].flags & OpRecord::kBackward);
  CHECK(ops[1].ticks >= ops[0].ticks);
  CHECK(ops[2].ticks - ops[2].duration == ops[1].ticks);
}

TEST_CASE("the debugger's gate is offered each node and sees values that stay as they are", "[graph]") {
  GraphMaker make;
  const ValueIndex x = make.parameter({2});
  make.graph->results = {make.op("Neg", {make.op("Square", {make.op("AddV2", {x, x})})})};
  Executable executable(make.graph);
  DebugGate gate;
  std::vector<Tensor> seen;
  gate.on_park([&](StopReason, const Frame& frame, const Breakpoint*) {
    seen.push_back(frame.outputs[0].value);
    return DebugGate::Move{DebugGate::Move::Kind::go_on, {frame.cursor, frame.inner + 1}};
  });
  gate.bind();
  gate.begin_step({0, 1});
  const auto results = run(executable, {constant({1.0, 2.0})});
  gate.unbind();
  REQUIRE(seen.size() == 3);
  CHECK(values_text(seen[0]) == "[2, 4]");
  CHECK(values_text(seen[1]) == "[4, 16]");
  CHECK(values_text(seen[2]) == "[-4, -16]");
  CHECK(gate.place() == TapePlace(0, 3));  // inside a node, which has not come to its end
  CHECK(values_text(results[0]) == "[-4, -16]");
}
