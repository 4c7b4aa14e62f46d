// Reasons that lie in what was asked of tapes, from records written by hand; the words are approved files.
#include "engine/events/records/tapes.h"
#include "tests/engine/explain/expect_reason.h"

using namespace tapescope;

TEST_CASE("records: a plain tensor that was not watched", "[explain]") {
  RecordProgram p;
  const TensorId x = p.constant(3, "x");
  p.enter(1, 4);
  const TensorId y = p.op("Mul", {x, x}, 5);
  const TensorId z = p.op("Exp", {y}, 6);
  p.exit(1, 7);
  expect(p, Reason::not_watched, z, x);
}

TEST_CASE("records: a watch where no tape records does nothing", "[explain]") {
  RecordProgram p;
  const TensorId x = p.constant(3, "x");
  p.enter(1, 4);
  const TensorId y = p.op("Mul", {x, x}, 5);
  p.exit(1, 6);
  p.watch(1, x, 7, WatchKind::ignored);
  expect(p, Reason::not_watched, y, x, "not_watched_ignored");
}

TEST_CASE("records: a variable that is not trainable", "[explain]") {
  RecordProgram p;
  const TensorId w = p.variable("w", 3, false);
  p.enter(1, 4);
  const TensorId v = p.read(w, 5);
  const TensorId y = p.op("Mul", {v, v}, 5);
  p.exit(1, 6);
  expect(p, Reason::not_trainable, y, w);
}

TEST_CASE("records: a tape that watches nothing by itself", "[explain]") {
  RecordProgram p;
  const TensorId w = p.variable("w", 3);
  p.enter(1, 4, false);
  const TensorId v = p.read(w, 5);
  const TensorId y = p.op("Mul", {v, v}, 5);
  p.exit(1, 6);
  expect(p, Reason::watch_disabled, y, w);
}

TEST_CASE("records: a watch after the tensor was used", "[explain]") {
  RecordProgram p;
  const TensorId x = p.constant(3, "x");
  p.enter(1, 4);
  const TensorId y = p.op("Mul", {x, x}, 5);
  p.watch(1, x, 6);
  p.exit(1, 7);
  expect(p, Reason::watched_too_late, y, x);
}

TEST_CASE("records: computed before the block", "[explain]") {
  RecordProgram p;
  const TensorId w = p.variable("w", 3);
  const TensorId h = p.op("Mul", {p.read(w, 4), p.number()}, 4);
  p.enter(1, 5);
  const TensorId y = p.op("Exp", {h}, 6);
  p.exit(1, 7);
  expect(p, Reason::outside_tape_before, y, w);
}

TEST_CASE("records: computed after the block", "[explain]") {
  RecordProgram p;
  const TensorId w = p.variable("w", 3);
  p.enter(1, 4);
  const TensorId v = p.read(w, 5);
  const TensorId y = p.op("Mul", {v, v}, 5);
  p.exit(1, 6);
  const TensorId loss = p.op("Neg", {y}, 7);
  p.name(loss, "loss");
  p.gradient(1, loss, {w}, 8);
  expect(p, Reason::outside_tape_after, loss, w);
}

TEST_CASE("records: computed while recording was suspended", "[explain]") {
  RecordProgram p;
  const TensorId w = p.variable("w", 3);
  p.enter(1, 4);
  const TensorId v = p.read(w, 5);
  p.pause(1, 6);
  const TensorId h = p.op("Mul", {v, v}, 7);
  p.resume(1, 8);
  const TensorId y = p.op("Exp", {h}, 9);
  p.exit(1, 10);
  expect(p, Reason::paused, y, w);
}

TEST_CASE("records: a recording that was thrown away", "[explain]") {
  RecordProgram p;
  const TensorId w = p.variable("w", 3);
  p.enter(1, 4);
  const TensorId v = p.read(w, 5);
  const TensorId y = p.op("Mul", {v, v}, 6);
  p.reset(1, 7);
  const TensorId z = p.op("Exp", {y}, 8);
  p.exit(1, 9);
  expect(p, Reason::reset, z, w);
}

TEST_CASE("records: a watch goes with the recording that reset() throws away", "[explain]") {
  RecordProgram p;
  const TensorId x = p.constant(3, "x");
  p.enter(1, 4);
  p.watch(1, x, 5);
  p.reset(1, 6);
  const TensorId y = p.op("Mul", {x, x}, 7);
  p.exit(1, 8);
  expect(p, Reason::reset, y, x, "reset_watch");
}

TEST_CASE("records: a tape asked twice", "[explain]") {
  RecordProgram p;
  const TensorId w = p.variable("w", 3), b = p.variable("b", 3);
  p.enter(1, 4);
  const TensorId y = p.op("Mul", {p.read(w, 5), p.read(b, 5)}, 5);
  p.exit(1, 6);
  p.gradient(1, y, {w}, 7);
  p.gradient(1, y, {b}, 8);
  expect(p, Reason::consumed, y, b);
}

TEST_CASE("records: an op after gradient() inside the block finds the tape used up", "[explain]") {
  RecordProgram p;
  const TensorId w = p.variable("w", 3);
  p.enter(1, 4);
  const TensorId v = p.read(w, 5);
  const TensorId y = p.op("Mul", {v, v}, 5);
  p.gradient(1, y, {w}, 6);
  const TensorId z = p.op("Exp", {y}, 7);
  expect(p, Reason::consumed, z, w, "consumed_inside");
}

TEST_CASE("records: a tape that was never entered", "[explain]") {
  RecordProgram p;
  const TensorId w = p.variable("w", 3);
  const TensorId y = p.op("Exp", {p.read(w, 4)}, 4);
  p.gradient(1, y, {w}, 5);
  expect(p, Reason::consumed, y, w, "consumed_never_entered");
}

TEST_CASE("records: another tape saw it", "[explain]") {
  RecordProgram p;
  const TensorId w = p.variable("w", 3);
  p.enter(2, 4);
  const TensorId v = p.read(w, 5);
  const TensorId y = p.op("Mul", {v, v}, 5);
  p.exit(2, 6);
  p.enter(1, 7);
  const TensorId z = p.op("Exp", {y}, 8);
  p.exit(1, 9);
  expect(p, Reason::other_tape, z, w);
}

TEST_CASE("records: another tape watched", "[explain]") {
  RecordProgram p;
  const TensorId x = p.constant(3, "x");
  p.enter(1, 4);
  p.enter(2, 5);
  p.watch(2, x, 6);
  const TensorId y = p.op("Mul", {x, x}, 7);
  p.exit(2, 8);
  p.exit(1, 9);
  expect(p, Reason::other_tape, y, x, "other_tape_watched");
}

TEST_CASE("records: another thread computed it", "[explain]") {
  RecordProgram p;
  const TensorId w = p.variable("w", 3);
  p.enter(1, 4);
  p.on_thread(2);
  const TensorId h = p.op("Mul", {p.read(w, 5), p.number()}, 5);
  p.on_thread(1);
  const TensorId y = p.op("Exp", {h}, 6);
  p.exit(1, 7);
  expect(p, Reason::other_thread, y, w);
}

TEST_CASE("a reason has short words by its name, and what is none has none", "[explain]") {
  CHECK_FALSE(short_words(name_of(Reason::stop_gradient)).empty());
  CHECK_FALSE(short_words(name_of(Reason::paused)).empty());
  CHECK(short_words("no such reason").empty());
}
