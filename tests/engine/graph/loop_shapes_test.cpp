// Loops in functions whose variables change their shapes, as shape_invariants let them.
#include <functional>
#include <vector>

#include "engine/graph/flow.h"
#include "engine/graph/function.h"
#include "engine/graph/gradients.h"
#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"
#include "tests/support/error_of.h"

using namespace tapescope;

namespace {

constexpr std::int64_t kAny = TensorSpec::kAny;
const FunctionOptions kKeepsOrder{.optimize = {.reassociating = false}};

TensorSpec shape(std::vector<std::int64_t> dims) { return {.dims = std::move(dims), .name = {}}; }
const TensorSpec kAnyRank{.dims = {}, .name = {}, .ranked = false};

using LoopProgram = std::function<Tensor(const Tensor&)>;

// Three rounds, each of which puts sin(rows) * w under the rows: 1, 2, 4, 8 of them.
LoopProgram doubling(const Variable& w,
                     WhileLoopOptions options = {.shape_invariants = {shape({}), shape({kAny, 2})}}) {
  return [&w, options](const Tensor& x) {
    return std::get<1>(while_loop([](const Tensor& i, const Tensor&) { return i < 3; },
                                  [&](const Tensor& i, const Tensor& rows) {
                                    return std::tuple(i + 1, concat({rows, sin(rows) * w}, 0));
                                  },
                                  std::tuple(constant(0, DType::i32), x), options));
  };
}

std::vector<std::vector<double>> elements_of(const std::vector<Tensor>& tensors) {
  std::vector<std::vector<double>> all;
  for (const Tensor& tensor : tensors) all.push_back(elements(tensor));
  return all;
}

std::string graph_of(const LoopProgram& program, const Tensor& like) {
  Function f("f", program);
  return f.get_concrete_function({like}).graph_text();
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("a loop variable grows in a function as it does in eager code", "[graph]") {
  const Variable w(constant({0.5, -1.5}, DType::f64));
  const LoopProgram program = doubling(w);
  Function f("f", program, kKeepsOrder);
  for (const Tensor& x : {constant({0.25, 1.0}, Shape{1, 2}, DType::f64),
                          constant({0.25, 1.0, -0.5, 2.0}, Shape{2, 2}, DType::f64)}) {
    const Tensor y = f(x);
    CHECK(y.shape() == Shape{8 * x.dim(0), 2});
    CHECK(elements(y) == elements(program(x)));
  }
}

TEST_CASE("gradients pass through the rounds that change a shape", "[graph]") {
  const Variable w(constant({0.5, -1.5}, DType::f64));
  const Tensor x = constant({0.25, 1.0}, Shape{1, 2}, DType::f64);
  const LoopProgram program = doubling(w);
  const auto loss_of = [](const Tensor& y) { return reduce_sum(y * y); };
  const auto by_tape = [&](const LoopProgram& run) {
    GradientTape outer, inner;
    outer.enter();
    outer.watch(x);
    inner.enter();
    inner.watch(x);
    const Tensor loss = loss_of(run(x));
    inner.exit();
    const std::vector<Tensor> first = inner.gradient(loss, {x, w});
    const Tensor both = reduce_sum(first[0]) + reduce_sum(first[1]);
    outer.exit();
    std::vector<Tensor> all = first;
    for (const Tensor& second : outer.gradient(both, {x, w})) all.push_back(second);
    return elements_of(all);
  };
  const auto eager = by_tape(program);
  Function f("f", program, kKeepsOrder);
  const auto traced = by_tape([&](const Tensor& at) { return f(at); });
  REQUIRE(traced.size() == 4);
  for (std::size_t i = 0; i < eager.size(); ++i) {
    for (std::size_t k = 0; k < eager[i].size(); ++k)
      CHECK(traced[i][k] == Approx(eager[i][k]).epsilon(1e-13));
  }
  Function symbolic(
      "symbolic",
      [&](const Tensor& at) {
        return gradients({loss_of(program(at))}, {at, w});
      },
      kKeepsOrder);
  Function taped(
      "taped",
      [&](const Tensor& at) {
        GradientTape tape;
        tape.enter();
        tape.watch(at);
        const Tensor loss = loss_of(program(at));
        tape.exit();
        return tape.gradient(loss, {at, w});
      },
      kKeepsOrder);
  for (const auto& found : {elements_of(symbolic(x)), elements_of(taped(x))}) {
    REQUIRE(found.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t k = 0; k < 2; ++k) CHECK(found[i][k] == Approx(eager[i][k]).epsilon(1e-13));
    }
  }
}

TEST_CASE("once the shapes stay the rest of a loop is one node", "[graph]") {
  const Variable w(constant({2.0, 3.0, 0.5}));
  const auto widening = [&](std::int64_t most) {
    return [&w, most](const Tensor& x) {
      return std::get<1>(
          while_loop([](const Tensor& i, const Tensor&) { return i < 5; },
                     [&](const Tensor& i, const Tensor& v) { return std::tuple(i + 1, v * w); },
                     std::tuple(constant(0, DType::i32), x),
                     {.maximum_iterations = most, .shape_invariants = {shape({}), shape({kAny})}}));
    };
  };
  const Tensor x = constant({1.0}, Shape{1});
  const std::string text = graph_of(widening(100), x);
  INFO(text);
  CHECK(count(text, "StatelessWhile(") == 1);
  CHECK(count(text, "= Mul(") == 1);
  for (const std::int64_t most : {0, 1, 3, 100}) {
    Function f("f", LoopProgram(widening(most)));
    CHECK(elements(f(x)) == elements(widening(most)(x)));
  }
}

TEST_CASE("host code in the body runs once for each round that changes a shape, and once for the rest",
          "[graph]") {
  const Variable w(constant({2.0, 3.0, 0.5}));
  int conditions = 0, bodies = 0;
  const auto counted = [&](std::int64_t rounds, std::int64_t most) {
    return [&, rounds, most](const Tensor& x) {
      return std::get<1>(
          while_loop([&, rounds](const Tensor& i, const Tensor&) { return ++conditions, i < rounds; },
                     [&](const Tensor& i, const Tensor& v) { return ++bodies, std::tuple(i + 1, v * w); },
                     std::tuple(constant(0, DType::i32), x),
                     {.maximum_iterations = most, .shape_invariants = {shape({}), shape({kAny})}}));
    };
  };
  struct Case {
    std::int64_t rounds, most, rows;
    int conditions, bodies;
  };
  // [1] becomes [3] in the first round; [3] stays.
  for (const Case& c : {Case{5, 100, 1, 2, 2}, Case{5, 100, 3, 1, 1}, Case{1, 100, 1, 2, 1},
                        Case{5, 1, 1, 1, 1}, Case{0, 100, 1, 1, 1}}) {
    CAPTURE(c.rounds, c.most, c.rows);
    conditions = bodies = 0;
    Function f("f", LoopProgram(counted(c.rounds, c.most)));
    const Tensor x = make_full({c.rows}, 1, DType::f32), y = f(x);
    CHECK(conditions == c.conditions);
    CHECK(bodies == c.bodies);
    CHECK(elements(y) == elements(counted(c.rounds, c.most)(x)));
  }
}

TEST_CASE("a loop may change the rank, and its condition may look at shapes", "[graph]") {
  const auto until = [](int rank) {
    return [rank](const Tensor& x) {
      return while_loop([=](const Tensor& v) { return constant(v.rank() < rank, DType::boolean); },
                        [](const Tensor& v) { return expand_dims(v, 0) * 2; }, x,
                        {.shape_invariants = {kAnyRank}});
    };
  };
  Function f("f", until(3));
  CHECK(f(constant(1.5)).shape() == Shape{1, 1, 1});
  CHECK(elements(f(constant(1.5))) == std::vector<double>{12});
  CHECK(graph_of(until(0), constant(1.5)).find("Mul") == std::string::npos);
}

TEST_CASE("a shape that a loop may not take is reported with variable, shapes and line", "[graph]") {
  const Variable w(constant({0.5, -1.5}));
  const Tensor x = constant({0.25, 1.0}, Shape{1, 2}).named("rows");
  const auto says = [&](const LoopProgram& program, const std::string& what) {
    Function f("f", program);
    const std::string message = error_of([&] { f(x); });
    INFO(message);
    CHECK(message.find(what) != std::string::npos);
    CHECK(message.find("loop_shapes_test.cpp:") != std::string::npos);
  };
  says(doubling(w, {}),
       "loop variable 2 ('rows') is float32[1, 2] before a round and float32[2, 2] after it, but the values "
       "of a graph have one shape");
  says(doubling(w, {.shape_invariants = {shape({})}}), "got 1 shape invariants for 2 loop variables");
  says(doubling(w, {.shape_invariants = {shape({}), shape({kAny, 3})}}),
       "loop variable 2 ('rows') enters the loop as float32[1, 2], which its shape invariant [None, 3] does "
       "not allow");
  says(doubling(w, {.shape_invariants = {shape({}), shape({1, kAny})}}),
       "loop variable 2 ('rows') is float32[1, 2] before a round and float32[2, 2] after it, which its shape "
       "invariant [1, None] does not allow");
  const auto grow = [](auto condition) {
    return [condition](const Tensor& x) {
      return while_loop(condition,
                        [](const Tensor& v) {
                          return concat({v, v}, 0);
                        },
                        x, {.shape_invariants = {shape({kAny, 2})}});
    };
  };
  says(grow([](const Tensor& v) { return reduce_sum(v) < 100; }),
       "only a call will know whether that round runs");
  says(
      [](const Tensor& x) {
        return while_loop([](const Tensor&) { return constant(1, DType::boolean); },
                          [](const Tensor& v) {
                            return v.rank() == 1 ? reshape(v, {1, 2}) : reshape(v, {2});
                          },
                          x, {.shape_invariants = {kAnyRank}});
      },
      "10000 rounds changed a shape");
}
