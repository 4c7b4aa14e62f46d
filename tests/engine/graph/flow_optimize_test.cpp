// Passes in and around branches and loops: less runs, and every bit stays.
#include <algorithm>
#include <vector>

#include "engine/events/records/graphs.h"
#include "engine/events/session.h"
#include "engine/graph/executor.h"
#include "engine/graph/flow.h"
#include "engine/graph/flow_node.h"
#include "engine/graph/function.h"
#include "engine/graph/optimize.h"
#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

struct Made {
  std::shared_ptr<Graph> graph;
  std::vector<Tensor> parameters;

  std::vector<double> run() const {
    std::vector<Tensor> results(graph->results.size());
    Executable(graph).run(parameters, results);
    std::vector<double> all;
    for (const Tensor& result : results) {
      for (const double value : elements(result)) all.push_back(value);
    }
    return all;
  }
};

// What `program` of one tensor is traced to.
Made traced(const Tensor& x, const std::function<Tensor(const Tensor&)>& program) {
  Trace trace("f");
  const Tensor result = program(trace.parameter(&x.type(), 0));
  return {trace.finish({&result, 1}).graph, {x}};
}

// The ops in the bodies of the graph's first node that has some.
std::vector<std::string_view> inside(const Graph& graph) {
  std::vector<std::string_view> ops;
  for (const GraphNode& node : graph.nodes()) {
    const FlowRow* flow = flow_row_of(*node.op);
    if (!flow) continue;
    for (const FlowBody& body : flow->node->bodies()) {
      for (const GraphNode& each : body.graph->nodes()) ops.push_back(each.op->name);
    }
    break;
  }
  return ops;
}

bool has(const std::vector<std::string_view>& ops, std::string_view op) {
  return std::find(ops.begin(), ops.end(), op) != ops.end();
}

std::size_t moves(const OptimizeReport& report) {
  return static_cast<std::size_t>(
      std::count_if(report.rewrites.begin(), report.rewrites.end(), [](const Rewrite& rewrite) {
        return rewrite.pass == Pass::loop_invariants && rewrite.kind == RewriteKind::bit_exact &&
               rewrite.rule == "move_before_loop";
      }));
}

// Made when it is needed: a thread that made a tensor flushes denormals, which tests of half types must not.
Tensor some() { return constant({0.25, -0.5, 0.125}); }

}  // namespace

TEST_CASE("what is the same in every round is computed once, before the loop", "[graph]") {
  const Variable w(constant({{0.5, 0.25, 1}, {2, -1, 0.5}, {1, 1, -0.25}}), {.name = "w"});
  const auto program = [&](const Tensor& x) {
    return std::get<1>(while_loop([](const Tensor& i, const Tensor&) { return i < 4; },
                                  [&](const Tensor& i, const Tensor& v) {
                                    const Tensor same = tanh(matmul(transpose(w), expand_dims(x, 1)));
                                    return std::tuple(i + 1, v * 0.5 + squeeze(same));
                                  },
                                  std::tuple(constant(0, DType::i32), x)));
  };
  const Made plain = traced(some(), program), moved = traced(some(), program), off = traced(some(), program);
  const OptimizeReport report = optimize(*moved.graph, {.reassociating = false});
  CHECK(moves(report) >= 5);  // the read, the transpose, the product, its tanh and the views
  for (const std::string_view op : {"ReadVariableOp", "Transpose", "MatMul", "Tanh"}) {
    INFO(op);
    CHECK(has(inside(*plain.graph), op));
    CHECK_FALSE(has(inside(*moved.graph), op));
  }
  OptimizeOptions without{.reassociating = false};
  without.switch_off(Pass::loop_invariants);
  CHECK(moves(optimize(*off.graph, without)) == 0);
  CHECK(has(inside(*off.graph), "ReadVariableOp"));
  CHECK(moved.run() == plain.run());
  CHECK(off.run() == plain.run());
}

TEST_CASE("a variable that a loop changes is read in every round", "[graph]") {
  const Variable w(constant({1.0, 2.0, 3.0}), {.name = "w"});
  const auto program = [&](const Tensor& x) {
    return while_loop([](const Tensor& v) { return reduce_sum(v) < 100; },
                      [&](const Tensor& v) {
                        const Tensor next = v + square(w);
                        w.assign_add(ones({3}));
                        return next;
                      },
                      x);
  };
  const Made made = traced(some(), program);
  CHECK(moves(optimize(*made.graph)) == 0);
  const std::vector<double> first = made.run();
  w.assign(constant({1.0, 2.0, 3.0}));
  CHECK(elements(program(some())) == first);
}

TEST_CASE("what may fail stays in a loop that may never run", "[graph]") {
  const Tensor zero = constant(0, DType::i32);
  const Made made = traced(constant(7, DType::i32), [&](const Tensor& x) {
    return while_loop([](const Tensor& v) { return v < 0; },
                      [&](const Tensor& v) { return v + floordiv(x, zero); }, x);
  });
  CHECK(moves(optimize(*made.graph)) == 0);
  CHECK(made.run() == std::vector<double>{7});
}

TEST_CASE("what moves out of an inner loop moves out of the outer one", "[graph]") {
  const auto program = [](const Tensor& x) {
    return while_loop([](const Tensor& v) { return reduce_sum(v) < 50; },
                      [&](const Tensor& v) {
                        return while_loop([](const Tensor& u) { return reduce_max(u) < 20; },
                                          [&](const Tensor& u) { return u * 2 + exp(x); }, v) +
                               1;
                      },
                      x);
  };
  const Made plain = traced(some(), program), moved = traced(some(), program);
  CHECK(moves(optimize(*moved.graph)) == 2);
  CHECK(moved.graph->nodes()[0].op->name == "Exp");
  CHECK(moved.run() == plain.run());
}

TEST_CASE("map_fn computes what its rows share once", "[graph]") {
  const Tensor rows = constant({1, 2, 3, 4, 5, 6}, Shape{2, 3}, DType::f32);
  const auto program = [&](const Tensor& x) {
    return map_fn([&](const Tensor& row) { return row * exp(x); }, rows);
  };
  const Made plain = traced(some(), program), moved = traced(some(), program);
  CHECK(moves(optimize(*moved.graph)) == 1);
  CHECK(moved.run() == plain.run());
}

TEST_CASE("passes go through branches: equal nodes merge and chains fuse", "[graph]") {
  const auto program = [](const Tensor& x) {
    return cond(
        reduce_sum(x) < 10, [&] { return exp(x) * exp(x) + sin(exp(x)); }, [&] { return x; });
  };
  const Made plain = traced(some(), program), better = traced(some(), program);
  const OptimizeReport report = optimize(*better.graph, {.reassociating = false});
  CHECK(report.before.nodes > report.after.nodes + 3);
  CHECK(has(inside(*better.graph), "_FusedElementwise"));
  CHECK(better.run() == plain.run());
}

TEST_CASE("a branch or loop without a use is not run, one that acts is", "[graph]") {
  const Variable count(constant(0.0));
  Function f("f", [&](const Tensor& x) {
    cond(
        x > 0, [&] { return exp(x); }, [&] { return x; });
    cond(
        x > 0,
        [&] {
          count.assign_add(1.0);
          return x;
        },
        [&] { return x; });
    return x + 1;
  });
  f(constant(1.0));
  CHECK(element(count.peek(), 0) == 1);
  const Made unused = traced(constant(1.0), [](const Tensor& x) {
    cond(
        x > 0, [&] { return exp(x); }, [&] { return x; });
    return x + 1;
  });
  optimize(*unused.graph);
  CHECK(unused.graph->nodes().size() == 1);
}

TEST_CASE("branches and loops give the same while a session listens and in tensors apart", "[graph]") {
  const auto program = [](const Tensor& x) {
    const Tensor start = cond(
        reduce_sum(x) < 10, [&] { return exp(x); }, [&] { return x; });
    const Tensor grown = while_loop([](const Tensor& v) { return reduce_sum(v) < 50; },
                                    [&](const Tensor& v) { return v * 2 + x; }, start);
    return scan([](const Tensor& sum, const Tensor& each) { return sum + each * each; }, grown,
                constant(0.0));
  };
  Function gradient("gradient", [&](const Tensor& x) {
    GradientTape tape;
    tape.enter();
    tape.watch(x);
    const Tensor y = program(x);
    tape.exit();
    return tape.gradient(y, x);
  });
  const Tensor x = some();
  const std::vector<double> expected = elements(gradient(x));
  const Made made = traced(x, program);
  const std::vector<double> values = made.run();
  Session session;
  session.start();
  CHECK(elements(gradient(x)) == expected);
  CHECK(made.run() == values);
  session.stop();
  std::vector<Tensor> apart(1);
  Executable(made.graph, {.plan = false}).run(made.parameters, apart);
  CHECK(elements(apart[0]) == values);
}
