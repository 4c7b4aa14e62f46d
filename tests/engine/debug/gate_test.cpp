// The debugger's gate: stops where it should, sees what is there, and changes nothing.
#include "engine/debug/gate.h"

#include "engine/core/slices.h"
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
    return DebugGate::Move{DebugGate::Move::Kind::go_on, frame.cursor + 1};
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
  gate.breakpoints().set({{.kind = Breakpoint::Kind::backward}});
  std::uint64_t at = 0;
  gate.on_park([&](StopReason reason, const Frame& frame, const Breakpoint* hit) {
    CHECK(reason == StopReason::backward_begin);
    REQUIRE(hit);
    at = frame.cursor;
    return DebugGate::Move{};
  });
  gate.bind();
  gate.begin_step(DebugGate::kNever);
  step(w);
  gate.unbind();
  CHECK(at == 5);
  CHECK(gate.breakpoints().get()[0].hits == 1);
}

TEST_CASE("breakpoints on an op, a name, a line and a norm", "[gate]") {
  const Variable w = weights();
  DebugGate gate;
  std::vector<std::string> stops;
  gate.on_park([&](StopReason, const Frame& frame, const Breakpoint*) {
    stops.push_back(std::string(op_name_text(frame.op)) + (frame.backward ? " back" : ""));
    return DebugGate::Move{};
  });
  gate.bind();
  const auto stops_with = [&](Breakpoint breakpoint) {
    stops.clear();
    gate.breakpoints().set({breakpoint});
    gate.begin_step(DebugGate::kNever);
    step(w);
    return stops;
  };
  CHECK(stops_with({.kind = Breakpoint::Kind::op, .text = "Relu"}) ==
        std::vector<std::string>{"Relu", "Relu back"});
  // With its place it is one of them, and none where another op stands there.
  CHECK(stops_with({.kind = Breakpoint::Kind::op, .text = "Relu"}).size() == 2);
  std::vector<std::string> alone;
  for (std::uint64_t place = 1; place <= 10; ++place) {
    for (const std::string& stop : stops_with({.kind = Breakpoint::Kind::op, .text = "Relu", .place = place}))
      alone.push_back(stop);
  }
  CHECK(alone == std::vector<std::string>{"Relu", "Relu back"});
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
    void describe(Frame&) const override { gate.breakpoints().set({}); }
  };
  const std::string name = "a name that is longer than a string holds in itself";
  using Kind = Breakpoint::Kind;
  for (const Kind kind : {Kind::op, Kind::none, Kind::retrace}) {
    DebugGate gate;
    const Setter setter(gate);
    const GatePoint point{.op = intern_op_name(name)};
    gate.breakpoints().set({{.kind = kind,
                             .text = kind == Kind::op ? name : "",
                             .source = kind == Kind::none ? name : "",
                             .id = 7}});
    Breakpoint met{};
    gate.on_park([&](StopReason reason, const Frame&, const Breakpoint* hit) {
      CHECK(reason == StopReason::breakpoint);
      REQUIRE(hit);
      met = *hit;
      return DebugGate::Move{};
    });
    gate.begin_step(DebugGate::kNever);
    if (kind == Kind::op) gate.arrive(point, setter);
    if (kind != Kind::op) gate.arrive_between(kind, point, setter, name, 1);
    CHECK(met.kind == kind);
    CHECK(met.text + met.source == (kind == Kind::retrace ? "" : name));
    CHECK(met.id == 7);
    CHECK(met.hits == 1);
    CHECK(gate.breakpoints().get().empty());
  }
}

TEST_CASE("what stops at any None names the gradient at which it does", "[gate]") {
  struct Nothing final : FrameSource {
    void describe(Frame&) const override {}
  };
  DebugGate gate;
  gate.breakpoints().set({{.kind = Breakpoint::Kind::none}});
  std::vector<std::string> named;
  gate.on_park([&](StopReason, const Frame&, const Breakpoint* hit) {
    REQUIRE(hit);
    named.push_back(hit->source);
    return DebugGate::Move{};
  });
  gate.begin_step(DebugGate::kNever);
  for (const char* const name : {"model.spare", "model.bias"})
    gate.arrive_between(Breakpoint::Kind::none, {}, Nothing(), name, 1);
  CHECK(named == std::vector<std::string>{"model.spare", "model.bias"});
  CHECK(gate.breakpoints().get().at(0).source.empty());
}

TEST_CASE("a step that is given up unwinds and leaves the variables alone", "[gate]") {
  const Variable w = weights();
  const auto before = elements(w.peek());
  DebugGate gate;
  gate.on_park([](StopReason, const Frame&, const Breakpoint*) {
    return DebugGate::Move{DebugGate::Move::Kind::abandon, 0};
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
    return DebugGate::Move{};
  });
  gate.bind();
  gate.begin_step(9);  // the MatMul's backward step
  step(w);
  gate.unbind();
  CHECK(op_name_text(last.op) == "MatMul");
  REQUIRE(last.cotangents_in.size() == 1);
  CHECK(last.cotangents_in[0].value.shape() == Shape{2, 2});
  REQUIRE(last.cotangents_out.size() == 2);
  CHECK_FALSE(last.cotangents_out[0].value);  // the gradient of x is not wanted
  CHECK(last.cotangents_out[1].value);
  CHECK_FALSE(last.inputs.empty());
  REQUIRE(last.accumulated.size() == 1);
  CHECK(last.accumulated[0].name == "w");
}

// ---- what breakpoints see: sums of sources, scopes, hits ----

namespace {

// Runs `program` as a step; the places it stopped at.
std::vector<std::uint64_t> stops_at(Breakpoint breakpoint, const std::function<void()>& program,
                                    std::vector<Breakpoint>* after = nullptr) {
  DebugGate gate;
  std::vector<std::uint64_t> stops;
  gate.on_park([&](StopReason reason, const Frame& frame, const Breakpoint* hit) {
    CHECK(reason == StopReason::breakpoint);
    CHECK(hit);
    stops.push_back(frame.cursor);
    return DebugGate::Move{};
  });
  gate.breakpoints().set({std::move(breakpoint)});
  gate.bind();
  gate.begin_step(DebugGate::kNever);
  program();
  gate.unbind();
  if (after) *after = gate.breakpoints().get();
  return stops;
}

// Its gradient is the sum of one contribution a factor, each twice the factor in norm.
Tensor weighed(const Variable& w, const std::vector<double>& factors) {
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    for (const double factor : factors) {
      const Tensor term = reduce_sum(w * factor);
      loss = loss ? loss + term : term;
    }
  }
  return tape.gradient(loss, w);
}

using Kind = Breakpoint::Kind;

struct Silent final : FrameSource {
  void describe(Frame&) const override {}
};

}  // namespace

TEST_CASE("a norm above a limit is met once, where a source's sum passes it", "[gate]") {
  const Variable w = weights();
  std::vector<Breakpoint> after;
  Tensor gradient;
  const auto program = [&] { gradient = weighed(w, {3, 4, 5}); };
  const auto stops = stops_at({.kind = Kind::norm_above, .limit = 11}, program, &after);
  // The contributions have norms of 6, 8 and 10; no op's gradient passes the limit alone.
  REQUIRE(stops.size() == 1);
  CHECK(after[0].hits == 1);
  CHECK(stops_at({.kind = Kind::norm_above, .limit = 25}, program).empty());
  CHECK(stops_at({.kind = Kind::norm_above, .limit = 23}, program)[0] > stops[0]);
  CHECK(elements(gradient) == std::vector<double>(4, 12));
  // Nothing of the sum is an op of the program.
  DebugGate gate;
  gate.breakpoints().set({{.kind = Kind::norm_above, .limit = 1e9}});
  gate.bind();
  gate.begin_step(DebugGate::kNever);
  program();
  const std::uint64_t watched = gate.cursor();
  gate.breakpoints().set({});
  gate.begin_step(DebugGate::kNever);
  program();
  gate.unbind();
  CHECK(gate.cursor() == watched);
}

TEST_CASE("a norm below a limit and a share of zeros are asked of whole sums", "[gate]") {
  const Variable w = weights();
  const auto cancels = [&] { weighed(w, {3, -3}); };
  const auto adds = [&] { weighed(w, {3, 3}); };
  // What is passed on to scalars has a norm of 1, each contribution one of 6.
  CHECK(stops_at({.kind = Kind::norm_below, .limit = 0.5}, cancels).size() == 1);
  CHECK(stops_at({.kind = Kind::norm_below, .limit = 0.5}, adds).empty());
  CHECK(stops_at({.kind = Kind::zeros_above, .limit = 1, .source = "w"}, cancels).size() == 1);
  CHECK(stops_at({.kind = Kind::zeros_above, .limit = 1, .source = "w"}, adds).empty());
}

TEST_CASE("a breakpoint of a source or an op leaves the others alone", "[gate]") {
  const Variable u(constant({1.0, 2.0}), {.name = "u"}), w(constant({1.0, 2.0}), {.name = "w"});
  const auto program = [&] {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_sum(relu(u) * 10.0) + reduce_sum(w * 1000.0);
    }
    tape.gradient(loss, {u, w});
  };
  const auto met = [&](Breakpoint breakpoint) { return stops_at(std::move(breakpoint), program).size(); };
  CHECK(met({.kind = Kind::norm_above, .limit = 10, .source = "u"}) == 1);
  CHECK(met({.kind = Kind::norm_above, .limit = 20, .source = "u"}) == 0);
  CHECK(met({.kind = Kind::norm_above, .limit = 20, .source = "w"}) == 1);
  CHECK(met({.kind = Kind::norm_above, .limit = 10, .op = "Relu"}) == 1);
  CHECK(met({.kind = Kind::norm_above, .limit = 20, .op = "Relu"}) == 0);
  CHECK(met({.kind = Kind::nonfinite, .source = "u"}) == 0);
}

TEST_CASE("variables of one name are sources apart: the one made later is the second", "[gate]") {
  const Variable first(constant({1.0, 2.0}), {.name = "w"}), second(constant({1.0, 2.0}), {.name = "w"});
  const Variable unread(constant(1.0), {.name = "v"});
  const auto program = [&] {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_sum(first * 10.0) + reduce_sum(second * 1000.0);
    }
    tape.gradient(loss, {second, first, unread});
  };
  const auto met = [&](Breakpoint breakpoint) { return stops_at(std::move(breakpoint), program).size(); };
  CHECK(met({.kind = Kind::norm_above, .limit = 20, .source = "w"}) == 0);
  CHECK(met({.kind = Kind::norm_above, .limit = 20, .source = "w#2"}) == 1);
  CHECK(met({.kind = Kind::norm_above, .limit = 10, .source = "w"}) == 1);
  CHECK(met({.kind = Kind::none, .source = "w"}) == 0);
  CHECK(met({.kind = Kind::none, .source = "v"}) == 1);
  CHECK(met({.kind = Kind::none}) == 1);
}

TEST_CASE("hits below the first that counts do not stop the thread", "[gate]") {
  const Variable w = weights();
  std::vector<Breakpoint> after;
  const auto program = [&] { step(w); };
  CHECK(stops_at({.kind = Kind::op, .text = "Relu", .from_hit = 2}, program, &after).size() == 1);
  CHECK(after[0].hits == 2);
  CHECK(stops_at({.kind = Kind::op, .text = "Relu", .from_hit = 3}, program, &after).empty());
  CHECK(after[0].hits == 2);
  CHECK(stops_at({.kind = Kind::op, .text = "Relu", .enabled = false}, program, &after).empty());
  CHECK(after[0].hits == 0);
}

TEST_CASE("a breakpoint that is set again counts on while it means the same", "[gate]") {
  Breakpoints breakpoints;
  breakpoints.set({{.kind = Kind::retrace}, {.kind = Kind::none}});
  CHECK(breakpoints.meet(Kind::retrace, {}, 0, Silent()));
  std::vector<Breakpoint> all = breakpoints.get();
  CHECK((all[0].id == 1 && all[0].hits == 1 && all[1].id == 2 && all[1].hits == 0));
  // A count that a caller read before is not what counts.
  CHECK(breakpoints.meet(Kind::retrace, {}, 0, Silent()));
  all[1].enabled = false;
  breakpoints.set(all);
  CHECK(breakpoints.get()[0].hits == 2);
  CHECK_FALSE(breakpoints.meet(Kind::none, {}, 0, Silent()));
  all[0].kind = Kind::backward;
  breakpoints.set(all);
  CHECK(breakpoints.get()[0].hits == 0);
  breakpoints.add_once({.kind = Kind::none});
  const auto once = breakpoints.meet(Kind::none, {}, 0, Silent());
  REQUIRE(once);
  CHECK(once->id == Breakpoints::kOnce);
  breakpoints.forget_once();
  CHECK_FALSE(breakpoints.meet(Kind::none, {}, 0, Silent()));
}

TEST_CASE("a running sum adds rows as rows and dense parts to them", "[gate]") {
  const Type* dense = intern_type(DType::f32, Shape{5, 2});
  const Tensor rows = make_slices(constant({1.0, 2.0, 3.0, 4.0, 0.0, 0.0}, Shape{3, 2}),
                                  constant(std::vector<std::int32_t>{1, 4, 1}, Shape{3}), dense);
  RunningSum sum;
  REQUIRE(sum.add(rows));
  CHECK(sum.stats().norm == Approx(std::sqrt(30.0)));
  CHECK((sum.stats().zeros == 6 && sum.stats().count == 10));
  REQUIRE(sum.add(rows));
  CHECK(sum.stats().norm == Approx(2 * std::sqrt(30.0)));
  REQUIRE(sum.add(make_full(Shape{5, 2}, 1, DType::f32)));
  CHECK(sum.stats().norm == Approx(std::sqrt(9.0 + 25 + 49 + 81 + 6)));
  CHECK(sum.stats().zeros == 0);
  CHECK_FALSE(sum.add(constant({1.0})));  // another shape
}
