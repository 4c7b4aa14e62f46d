// Reasons that lie on the way from source to target, from records written by hand; the words are approved
// files.
#include "engine/events/records/ops.h"
#include "tests/engine/explain/expect_reason.h"

using namespace tapescope;

TEST_CASE("records: the way ends in stop_gradient", "[explain]") {
  RecordProgram p;
  const TensorId w = p.variable("w", 3);
  p.enter(1, 4);
  const TensorId v = p.read(w, 5);
  const TensorId h = p.stop_gradient(p.op("Mul", {v, v}, 6), 6);
  const TensorId y = p.op("Exp", {h}, 7);
  p.exit(1, 8);
  expect(p, Reason::stop_gradient, y, w);
}

TEST_CASE("records: an op without a gradient", "[explain]") {
  RecordProgram p;
  const TensorId w = p.variable("w", 3);
  p.enter(1, 4);
  const TensorId h = p.op("Round", {p.read(w, 5)}, 5, DType::f32, OpRecord::kNoGradient);
  const TensorId y = p.op("Exp", {h}, 6);
  p.exit(1, 7);
  expect(p, Reason::not_differentiable, y, w);
}

TEST_CASE("records: the positions that top_k gives", "[explain]") {
  RecordProgram p;
  const TensorId w = p.variable("w", 3);
  p.enter(1, 4);
  const TensorId best = p.op("TopKV2", {p.read(w, 5)}, 5, DType::f32, 0, 2);
  const TensorId y = p.op("OneHot", {best + 1}, 6, DType::f32, OpRecord::kNoGradient);
  p.exit(1, 7);
  expect(p, Reason::not_differentiable, y, w, "not_differentiable_output");
}

TEST_CASE("records: an argument without a gradient", "[explain]") {
  RecordProgram p;
  const TensorId w = p.variable("w", 3);
  const TensorId x = p.constant(4, "x");
  p.enter(1, 5);
  p.watch(1, x, 6);
  const TensorId y = p.op("Polygamma", {p.read(w, 7), x}, 7, DType::f32, OpRecord::kNeverFirst);
  p.exit(1, 8);
  expect(p, Reason::argument_not_differentiable, y, w);
}

TEST_CASE("records: a source of an integer type", "[explain]") {
  RecordProgram p;
  const TensorId n = p.variable("n", 3, true, DType::i32);
  p.enter(1, 4);
  const TensorId v = p.read(n, 5);
  const TensorId y = p.op("Mul", {v, v}, 5, DType::i32);
  p.exit(1, 6);
  expect(p, Reason::integer_dtype, y, n);
}

TEST_CASE("records: a cast to whole numbers", "[explain]") {
  RecordProgram p;
  const TensorId w = p.variable("w", 3);
  p.enter(1, 4);
  const TensorId whole = p.op("Cast", {p.read(w, 5)}, 5, DType::i32);
  const TensorId y = p.op("Cast", {whole}, 6);
  p.exit(1, 7);
  expect(p, Reason::integer_cast, y, w);
}

TEST_CASE("records: values that went to the host and came back", "[explain]") {
  RecordProgram p;
  const TensorId w = p.variable("w", 3);
  p.enter(1, 4);
  const TensorId h = p.op("Exp", {p.read(w, 5)}, 5);
  p.host_read(h, 6, 77);
  const TensorId back = p.constant(7, "", DType::f32, 78);
  const TensorId y = p.op("Square", {back}, 8);
  p.exit(1, 9);
  expect(p, Reason::host_round_trip, y, w);
}

TEST_CASE("records: a number read from a tensor and used in the next expression", "[explain]") {
  RecordProgram p;
  const TensorId w = p.variable("w", 3), b = p.variable("b", 3);
  p.enter(1, 4);
  const TensorId h = p.op("Exp", {p.read(w, 5)}, 5);
  const TensorId c = p.read(b, 6);
  p.host_read(h, 6);
  const TensorId y = p.op("Mul", {c, p.number()}, 6);
  p.exit(1, 7);
  expect(p, Reason::host_round_trip, y, w, "host_round_trip_number");
}

TEST_CASE("records: the way passes through an assignment", "[explain]") {
  RecordProgram p;
  const TensorId w = p.variable("w", 3), state = p.variable("state", 3);
  p.enter(1, 4);
  const TensorId h = p.op("Exp", {p.read(w, 5)}, 5);
  p.assign(state, h, 6);
  const TensorId y = p.op("Square", {p.read(state, 7)}, 7);
  p.exit(1, 8);
  expect(p, Reason::state_update, y, w);
}

TEST_CASE("records: a later assignment that adds keeps the earlier one on the way", "[explain]") {
  RecordProgram p;
  const TensorId w = p.variable("w", 3), state = p.variable("state", 3);
  const TensorId c = p.constant(3);
  p.enter(1, 4);
  p.assign(state, p.op("Exp", {p.read(w, 5)}, 5), 5);
  p.silence("assign_add");
  p.assign(state, p.op("AddV2", {p.number(), c}, 6), 6);
  p.unsilence();
  const TensorId y = p.op("Square", {p.read(state, 7)}, 7);
  p.exit(1, 8);
  expect(p, Reason::state_update, y, w, "state_update_added");
}

TEST_CASE("records: an initial value is no way for a gradient", "[explain]") {
  RecordProgram p;
  const TensorId w = p.variable("w", 3);
  p.enter(1, 4);
  const TensorId h = p.op("Exp", {p.read(w, 5)}, 5);
  const TensorId copy = p.variable("copy", 6, true, DType::f32, h);
  const TensorId y = p.op("Square", {p.read(copy, 7)}, 7);
  p.exit(1, 8);
  expect(p, Reason::state_update, y, w, "state_update_initial");
}

TEST_CASE("records: a value read before, of a variable assigned since", "[explain]") {
  RecordProgram p;
  const TensorId w = p.variable("w", 3);
  const TensorId stale = p.read(w, 4);
  p.assign(w, p.constant(5), 5);
  p.enter(1, 6);
  const TensorId y = p.op("Square", {stale}, 7);
  p.exit(1, 8);
  expect(p, Reason::overwritten, y, w);
}

TEST_CASE("records: a tensor that took over its variable's name", "[explain]") {
  RecordProgram p;
  const TensorId w = p.variable("w", 3);
  const TensorId replaced = p.op("AddV2", {p.read(w, 4), p.number()}, 4);
  p.name(replaced, "w");
  p.enter(1, 5);
  const TensorId y = p.op("Square", {replaced}, 6);
  p.exit(1, 7);
  expect(p, Reason::overwritten, y, replaced, "overwritten_name");
}

TEST_CASE("records: asked for a copy", "[explain]") {
  RecordProgram p;
  const TensorId x = p.constant(3, "x");
  p.enter(1, 4);
  p.watch(1, x, 4);
  const TensorId y = p.op("Square", {x}, 5);
  const TensorId copy = p.op("Identity", {x}, 6);
  p.exit(1, 7);
  expect(p, Reason::recreated_tensor, y, copy);
}

TEST_CASE("records: asked for a variable that was made again", "[explain]") {
  RecordProgram p;
  const TensorId w = p.variable("w", 3);
  p.enter(1, 4);
  const TensorId y = p.op("Square", {p.read(w, 5)}, 5);
  p.exit(1, 6);
  const TensorId again = p.variable("w", 3);
  expect(p, Reason::recreated_tensor, y, again, "recreated_tensor_variable");
}

TEST_CASE("records: a custom gradient that returned nothing", "[explain]") {
  RecordProgram p;
  const TensorId w = p.variable("w", 3);
  p.enter(1, 4);
  const TensorId h = p.op("MyRound", {p.read(w, 5)}, 5);
  const TensorId y = p.op("Exp", {h}, 6);
  p.exit(1, 7);
  p.gradient(1, y, {w}, 8, [&] {
    p.walked(y);
    p.op("Mul", {y, y}, 6);
    p.walked(h);
    return TensorId{0};
  });
  expect(p, Reason::custom_gradient_none, y, w);
}

TEST_CASE("records: a first gradient outside the outer tape's block", "[explain]") {
  RecordProgram p;
  const TensorId w = p.variable("w", 3);
  p.enter(1, 4);
  p.enter(2, 5);
  const TensorId v = p.read(w, 6);
  const TensorId y = p.op("Square", {v}, 6);
  p.exit(2, 7);
  p.exit(1, 8);
  const TensorId dy = p.gradient(2, y, {w}, 9, [&] {
    p.walked(y);
    return p.op("Mul", {v, p.number()}, 6);
  });
  expect(p, Reason::inner_gradient_outside_outer_tape, dy, w);
}

TEST_CASE("records: never used", "[explain]") {
  RecordProgram p;
  const TensorId w = p.variable("w", 3), b = p.variable("b", 4);
  p.enter(1, 5);
  const TensorId y = p.op("Square", {p.read(w, 6)}, 6);
  p.exit(1, 7);
  expect(p, Reason::unused, y, b);
}

TEST_CASE("records: used, but not for the target", "[explain]") {
  RecordProgram p;
  const TensorId w = p.variable("w", 3), b = p.variable("b", 4);
  p.enter(1, 5);
  const TensorId y = p.op("Square", {p.read(w, 6)}, 6);
  p.op("Exp", {p.read(b, 7)}, 7);
  p.exit(1, 8);
  expect(p, Reason::independent, y, b);
}

TEST_CASE("records: no sources at all", "[explain]") {
  RecordProgram p;
  const TensorId w = p.variable("w", 3);
  p.enter(1, 4);
  const TensorId y = p.op("Square", {p.read(w, 5)}, 5);
  p.exit(1, 6);
  p.gradient(1, y, {}, 7);
  expect(p, Reason::empty_sources, y, 0);
}

TEST_CASE("records: a list of sources that is filled only after the first question", "[explain]") {
  RecordProgram p;
  const TensorId w = p.variable("w", 3);
  p.enter(1, 4, true, true);
  const TensorId y = p.op("Square", {p.read(w, 5)}, 5);
  p.exit(1, 6);
  p.gradient(1, y, {}, 7);
  p.enter(2, 8);
  const TensorId z = p.op("Exp", {p.read(w, 9)}, 9);
  p.exit(2, 10);
  p.gradient(2, z, {w}, 11, [&] { return p.op("Mul", {z, z}, 9); });
  expect(p, Reason::empty_sources, y, 0, "empty_sources_first");
  expect(p, Reason::none, z, w, "empty_sources_filled", 2);
}

TEST_CASE("records: a variable of the branch that did not run, and of no other op", "[explain]") {
  for (const bool traced : {false, true}) {
    RecordProgram p;
    const TensorId w = p.variable("w", 1), v = p.variable("v", 2), x = p.constant(3);
    // The other branch: it ran before, or was traced.
    p.branch(
        1, p.op("Greater", {x, x}, 4, DType::boolean), 5,
        [&] {
          return p.op("Mul", {p.read(v, 6), x}, 6);
        },
        traced);
    p.enter(1, 7);
    const TensorId z = p.branch(0, p.op("Greater", {x, x}, 4, DType::boolean), 5, [&] {
      return p.op("Mul", {p.read(w, 8), x}, 8);
    });
    const TensorId y = p.op("Square", {z}, 9);
    p.exit(1, 10);
    expect(p, Reason::branch_not_taken, y, v);
    CHECK(explain_none(p.history(), 1, y, w).reason == Reason::none);
  }
}

TEST_CASE("records: what a branch reads is known when its ops are forgotten", "[explain]") {
  RecordProgram p;
  const TensorId w = p.variable("w", 1), v = p.variable("v", 2), x = p.constant(3);
  p.branch(1, x, 5, [&] { return p.op("Mul", {p.read(v, 6), x}, 6); });
  p.enter(1, 7);
  const TensorId z = p.branch(0, x, 5, [&] { return p.op("Mul", {p.read(w, 8), x}, 8); });
  p.exit(1, 10);
  History history = p.history();
  history.forget_before(z - 1);
  CHECK(history.branches().size() == 1);
  CHECK(explain_none(history, 1, z, v).reason == Reason::branch_not_taken);
}

TEST_CASE("records: a cond that the target does not come through is no reason", "[explain]") {
  RecordProgram p;
  const TensorId w = p.variable("w", 1), v = p.variable("v", 2), x = p.constant(3);
  p.branch(1, x, 5, [&] { return p.op("Mul", {p.read(v, 6), x}, 6); });
  p.enter(1, 7);
  p.branch(0, x, 5, [&] { return p.op("Mul", {p.read(w, 8), x}, 8); });
  const TensorId y = p.op("Square", {p.read(w, 9)}, 9);
  p.exit(1, 10);
  CHECK(explain_none(p.history(), 1, y, v).reason == Reason::independent);
}

TEST_CASE("records: where there is a gradient there is no reason", "[explain]") {
  RecordProgram p;
  const TensorId w = p.variable("w", 3);
  p.enter(1, 4);
  const TensorId y = p.op("Square", {p.read(w, 5)}, 5);
  p.exit(1, 6);
  CHECK(explain_none(p.history(), 1, y, w).reason == Reason::none);
  CHECK(explain_none(p.history(), 1, y, y).reason == Reason::none);
}

TEST_CASE("records: every reason has the name that the interface fixes", "[explain]") {
  CHECK(name_of(Reason::none) == "none");
  CHECK(name_of(Reason::branch_not_taken) == "branch_not_taken");
  CHECK(name_of(Reason::empty_sources) == "empty_sources");
}
