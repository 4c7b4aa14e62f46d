// The debugger's gate: stops where it is told, sees what is there, and changes nothing.
#include "engine/debug/gate.h"

#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

struct Result {
  Tensor gradient;
  Tensor loss;
};

Result step(const Variable& w) {
  const Tensor x = constant(std::vector<double>{1, 2, 3, 4}, Shape{2, 2}).named("x");
  GradientTape tape;
  Result result;
  {
    auto recording = tape.record();
    result.loss = reduce_mean(square(relu(matmul(x, w))));
  }
  result.gradient = tape.gradient(result.loss, w);
  return result;
}

Variable weights() {
  return Variable(constant(std::vector<double>{1, -2, 3, -4}, Shape{2, 2}), {.name = "w"});
}

}  // namespace

TEST_CASE("the cursor counts forward nodes, then backward nodes", "[gate]") {
  const Variable w = weights();
  DebugGate gate;
  gate.bind();
  gate.begin_step(DebugGate::kNever);
  step(w);
  CHECK(gate.cursor() == 10);
  CHECK(gate.forward_nodes() == 5);
  gate.unbind();
}

TEST_CASE("stopping at every node changes no bit and shows each op once", "[gate]") {
  const Variable w = weights();
  const Result free = step(w);
  DebugGate gate;
  std::vector<std::string> ops;
  std::vector<std::uint64_t> hashes;
  gate.on_park([&](StopReason reason, const Frame& frame, const Breakpoint*) {
    CHECK(reason == StopReason::target);
    ops.emplace_back(op_name_text(frame.op));
    hashes.push_back(frame.hash());
    return DebugGate::Command{DebugGate::Command::Kind::go_on, frame.cursor + 1};
  });
  gate.bind();
  gate.begin_step(1);
  const Result stepped = step(w);
  CHECK(ops == std::vector<std::string>{"ReadVariableOp", "MatMul", "Relu", "Square", "Mean", "Mean",
                                        "Square", "Relu", "MatMul", "ReadVariableOp"});
  CHECK(elements(stepped.gradient) == elements(free.gradient));
  CHECK(elements(stepped.loss) == elements(free.loss));
  const auto first = hashes;
  hashes.clear();
  gate.begin_step(1);
  step(w);
  CHECK(hashes == first);  // the same places have the same hashes however often they are reached
  gate.unbind();
}

TEST_CASE("break backward stops before the first op of the backward pass", "[gate]") {
  const Variable w = weights();
  DebugGate gate;
  gate.set_breakpoints({{.kind = Breakpoint::Kind::backward}});
  std::uint64_t at = 0;
  gate.on_park([&](StopReason reason, const Frame& frame, const Breakpoint* hit) {
    CHECK(reason == StopReason::backward_begin);
    REQUIRE(hit);
    at = frame.cursor;
    return DebugGate::Command{};
  });
  gate.bind();
  gate.begin_step(DebugGate::kNever);
  step(w);
  gate.unbind();
  CHECK(at == 5);
  CHECK(gate.breakpoints()[0].hits == 1);
}

TEST_CASE("breakpoints on an op, a name, a line and a norm", "[gate]") {
  const Variable w = weights();
  DebugGate gate;
  std::vector<std::string> stops;
  gate.on_park([&](StopReason, const Frame& frame, const Breakpoint*) {
    stops.push_back(std::string(op_name_text(frame.op)) + (frame.backward ? " back" : ""));
    return DebugGate::Command{};
  });
  gate.bind();
  const auto stops_with = [&](Breakpoint breakpoint) {
    stops.clear();
    gate.set_breakpoints({breakpoint});
    gate.begin_step(DebugGate::kNever);
    step(w);
    return stops;
  };
  CHECK(stops_with({.kind = Breakpoint::Kind::op, .text = "Relu"}) ==
        std::vector<std::string>{"Relu", "Relu back"});
  CHECK(stops_with({.kind = Breakpoint::Kind::name, .text = "x"}) ==
        std::vector<std::string>{"MatMul", "MatMul back"});
  CHECK(stops_with({.kind = Breakpoint::Kind::nonfinite}).empty());
  CHECK_FALSE(stops_with({.kind = Breakpoint::Kind::norm_above, .limit = 1}).empty());
  CHECK(stops_with({.kind = Breakpoint::Kind::norm_above, .limit = 1e9}).empty());
  gate.unbind();
}

TEST_CASE("breakpoints that are set while one is met take nothing from who stops there", "[gate]") {
  // As another thread may, between the meeting and the stop.
  struct Setter final : FrameSource {
    DebugGate& gate;
    explicit Setter(DebugGate& gate) : gate(gate) {}
    void describe(Frame&) const override { gate.set_breakpoints({}); }
  };
  const std::string name = "a name that is longer than a string holds in itself";
  using Kind = Breakpoint::Kind;
  for (const Kind kind : {Kind::op, Kind::none, Kind::retrace}) {
    DebugGate gate;
    const Setter setter(gate);
    const GatePoint point{.op = intern_op_name(name)};
    gate.set_breakpoints({{.kind = kind, .text = name, .id = 7}});
    Breakpoint met{};
    gate.on_park([&](StopReason reason, const Frame&, const Breakpoint* hit) {
      CHECK(reason == StopReason::breakpoint);
      REQUIRE(hit);
      met = *hit;
      return DebugGate::Command{};
    });
    gate.begin_step(DebugGate::kNever);
    if (kind == Kind::op) gate.arrive(point, setter);
    if (kind == Kind::none) gate.result_none(name, point, setter);
    if (kind == Kind::retrace) gate.retraced(name, point, setter);
    CHECK(met.kind == kind);
    CHECK(met.text == name);
    CHECK(met.id == 7);
    CHECK(met.hits == 1);
    CHECK(gate.breakpoints().empty());
  }
}

TEST_CASE("a step that is given up unwinds and leaves the variables alone", "[gate]") {
  const Variable w = weights();
  const auto before = elements(w.peek());
  DebugGate gate;
  gate.on_park([](StopReason, const Frame&, const Breakpoint*) {
    return DebugGate::Command{DebugGate::Command::Kind::abandon, 0};
  });
  gate.bind();
  gate.begin_step(7);
  CHECK_THROWS_AS(step(w), StepAbandoned);
  gate.begin_step(DebugGate::kNever);
  CHECK(step(w).gradient);
  CHECK(elements(w.peek()) == before);
  gate.unbind();
}

TEST_CASE("a backward frame holds cotangents, what was saved, and what has accumulated", "[gate]") {
  const Variable w = weights();
  DebugGate gate;
  Frame last;
  gate.on_park([&](StopReason, const Frame& frame, const Breakpoint*) {
    last = frame;
    return DebugGate::Command{};
  });
  gate.bind();
  gate.begin_step(9);  // the MatMul's backward step
  step(w);
  gate.unbind();
  CHECK(op_name_text(last.op) == "MatMul");
  REQUIRE(last.cotangents_in.size() == 1);
  CHECK(last.cotangents_in[0].value.shape() == Shape{2, 2});
  REQUIRE(last.cotangents_out.size() == 2);
  CHECK_FALSE(last.cotangents_out[0].value);  // nobody wants the gradient of x
  CHECK(last.cotangents_out[1].value);
  CHECK_FALSE(last.inputs.empty());
  REQUIRE(last.accumulated.size() == 1);
  CHECK(last.accumulated[0].name == "w");
}
