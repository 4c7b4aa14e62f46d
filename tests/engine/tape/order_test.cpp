// The order of the backward walk and of accumulation: TensorFlow's, as its own log showed it.
#include <string>
#include <vector>

#include "engine/events/records/gradients.h"
#include "engine/events/session.h"
#include "engine/ops/ops.h"
#include "engine/tape/storage.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

// "Mul#4 Read#3 …": the nodes in the order they are walked, by op type and position on the tape.
std::vector<std::string> walk(GradientTape& tape, const Traced& target,
                              std::initializer_list<Traced> sources) {
  Session session;
  session.start();
  tape.gradient(target, sources);
  std::vector<std::string> order;
  session.drain([&](std::uint32_t, std::span<const Record> records) {
    for (const Record& record : records) {
      if (!record.is<BackwardStepRecord>()) continue;
      for (std::uint32_t n = 0; n < tape.storage().nodes.size(); ++n) {
        const Node& node = tape.storage().nodes[n];
        if (node.output == record.as<BackwardStepRecord>().output)
          order.push_back(std::string(node.op->name) + "#" + std::to_string(n));
      }
    }
  });
  session.stop();
  return order;
}

Variable variable(std::initializer_list<double> values, const Shape& shape, const char* name) {
  return Variable(constant(std::vector<double>(values), shape), {.name = name});
}

}  // namespace

TEST_CASE("x x y + y y", "[tape][order]") {
  const Variable x(constant(2.0), {.name = "x"}), y(constant(3.0), {.name = "y"});
  GradientTape tape;
  Tensor z;
  {
    auto recording = tape.record();
    const Tensor x1 = x.value(), x2 = x.value();
    const Tensor xx = x1 * x2;
    const Tensor y1 = y.value();
    const Tensor xxy = xx * y1;
    const Tensor y2 = y.value(), y3 = y.value();
    z = xxy + y2 * y3;
  }
  CHECK(walk(tape, z, {x, y}) ==
        std::vector<std::string>{"AddV2#8", "Mul#4", "Mul#7", "Mul#2", "ReadVariableOp#3", "ReadVariableOp#5",
                                 "ReadVariableOp#6", "ReadVariableOp#0", "ReadVariableOp#1"});
}

TEST_CASE("mean((relu(x w + b) - t)^2)", "[tape][order]") {
  const Variable w = variable({1, 2, 3, 4}, {2, 2}, "w");
  const Variable b = variable({1, 2}, {2}, "b");
  const Tensor x = constant(std::vector<double>{1, 2, 3, 4}, Shape{2, 2});
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    loss = reduce_mean(square(relu(matmul(x, w) + b) - constant(1.0)));
  }
  CHECK(walk(tape, loss, {w, b}) == std::vector<std::string>{"Mean#7", "Square#6", "Sub#5", "Relu#4",
                                                             "AddV2#3", "MatMul#1", "ReadVariableOp#2",
                                                             "ReadVariableOp#0"});
}

TEST_CASE("a walk does not stop at its source", "[tape][order]") {
  const Variable v(constant(0.5), {.name = "v"});
  GradientTape tape;
  Tensor e, y;
  {
    auto recording = tape.record();
    e = exp(v);
    y = sin(e);
  }
  CHECK(walk(tape, y, {e}) == std::vector<std::string>{"Sin#2", "Exp#1", "ReadVariableOp#0"});
}

TEST_CASE("one op with several uses: a = exp v; tanh(sin a) cos a", "[tape][order]") {
  const Variable v(constant(0.5), {.name = "v"});
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    const Tensor a = exp(v);
    const Tensor s = sin(a);
    const Tensor t = tanh(s);
    y = t * cos(a);
  }
  CHECK(walk(tape, y, {v}) ==
        std::vector<std::string>{"Mul#5", "Tanh#3", "Cos#4", "Sin#2", "Exp#1", "ReadVariableOp#0"});
}

TEST_CASE("several targets are walked from the last one", "[tape][order]") {
  const Variable v(constant(0.5), {.name = "v"}), w(constant(0.6), {.name = "w"}),
      u(constant(0.7), {.name = "u"});
  GradientTape tape({.persistent = true});
  std::vector<Traced> targets;
  {
    auto recording = tape.record();
    targets = {exp(v), sin(w), cos(u)};
  }
  Session session;
  session.start();
  const std::vector<Traced> sources{v, w, u};
  tape.gradient(targets, sources);
  std::vector<TensorId> order;
  session.drain([&](std::uint32_t, std::span<const Record> records) {
    for (const Record& record : records) {
      if (record.is<BackwardStepRecord>()) order.push_back(record.as<BackwardStepRecord>().output);
    }
  });
  REQUIRE(order.size() == 6);
  CHECK(order[0] == targets[2].tensor().id());
  CHECK(order[1] == targets[1].tensor().id());
  CHECK(order[2] == targets[0].tensor().id());
}

TEST_CASE("contributions arrive as ((1x + 2x) + 3x) + 4x sends them: 4, 3, 1, 2", "[tape][order]") {
  // Sums of these float32 numbers depend on the order.
  const double big = 1e8;
  const Tensor x = constant(1.0);
  const auto run = [&](double a, double b, double c, double d) {
    GradientTape tape;
    Tensor y;
    {
      auto recording = tape.record();
      tape.watch(x);
      const Tensor p = x * a, q = x * b, r = x * c, s = x * d;
      y = ((p + q) + r) + s;
    }
    return element(tape.gradient(y, x), 0);
  };
  // In order 4, 3, 1, 2: (((1 + 1) + 1e8) - 1e8) loses the twos in float32's last place.
  const auto in_order = [](float a, float b, float c, float d) { return ((d + c) + a) + b; };
  CHECK(run(big, -big, 1, 1) == in_order(static_cast<float>(big), static_cast<float>(-big), 1, 1));
  CHECK(run(1, 1, big, -big) == in_order(1, 1, static_cast<float>(big), static_cast<float>(-big)));
}
