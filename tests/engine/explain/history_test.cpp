// History: look-ups, records that arrive in pieces, forgetting, and a million ops.
#include <algorithm>

#include "engine/events/records/ops.h"
#include "engine/events/records/tapes.h"
#include "tests/engine/explain/record_program.h"
#include "tests/support/catch.h"

using namespace tapescope;

TEST_CASE("a history knows who made and who used a tensor", "[explain]") {
  RecordProgram p;
  const TensorId w = p.variable("w", 3);
  const TensorId x = p.constant(4, "x");
  p.enter(1, 5);
  const TensorId v = p.read(w, 6);
  const TensorId y = p.op("Mul", {v, x}, 6);
  const TensorId all = p.op("AddN", {v, x, y, y, x}, 7);
  p.exit(1, 8);
  const History h = p.history();
  REQUIRE(h.producer(all) != nullptr);
  CHECK(h.producer(all)->inputs == 5);
  CHECK(h.inputs(*h.producer(all))[4] == x);
  CHECK(h.producer(w) == nullptr);
  CHECK(h.consumers(v).size() == 2);
  CHECK(h.consumers(y).size() == 1);  // an op that takes it twice uses it once
  CHECK(h.given_name(w) == "w");
  CHECK(h.given_name(x) == "x");
  CHECK(h.variable(w)->trainable);
  CHECK(h.answer(*h.producer(y), 1) == TapeAnswer::recorded);
  CHECK(h.answer(*h.producer(y), 2) == TapeAnswer::absent);
  REQUIRE(h.tape(1) != nullptr);
  CHECK(h.tape(1)->watches.at(w)[0].kind == WatchKind::by_read);
}

TEST_CASE("records may arrive in pieces of any length", "[explain]") {
  RecordProgram p;
  const TensorId w = p.variable("w", 3);
  p.enter(1, 4);
  const TensorId v = p.read(w, 5);
  const TensorId y = p.op("AddN", {v, v, v, v, v, v, v}, 5);
  const TensorId z = p.op("Round", {y}, 6, DType::f32, OpRecord::kNoGradient);
  p.exit(1, 7);
  p.on_thread(2);
  p.op("Exp", {p.constant(8)}, 8);
  const std::vector<Record>& records = p.records(1);
  for (std::size_t piece = 1; piece < records.size(); ++piece) {
    History h;
    for (std::size_t i = 0; i < records.size(); i += piece) {
      h.add(1, std::span(records).subspan(i, std::min(piece, records.size() - i)));
      // Another thread's op comes in between and must not tear the inputs apart.
      if (i == 0) h.add(2, p.records(2));
    }
    CHECK(h.producer(y)->inputs == 7);
    CHECK(explain_none(h, 1, z, w).reason == Reason::not_differentiable);
  }
}

TEST_CASE("a node that a tape holds counts as recorded", "[explain]") {
  RecordProgram p;
  const TensorId w = p.variable("w", 3);
  const TensorId y = p.op("Square", {p.read(w, 4)}, 4);
  History h = p.history();
  CHECK(h.answer(*h.producer(y), 7) == TapeAnswer::absent);
  h.mark_recorded(7, y);
  CHECK(h.answer(*h.producer(y), 7) == TapeAnswer::recorded);
  CHECK(h.recorded_by_other(*h.producer(y), 1) == 7);
}

TEST_CASE("answers count only when all active tapes are known", "[explain]") {
  RecordProgram p;
  const TensorId w = p.variable("w", 3);
  p.enter(1, 4);
  p.enter(2, 5);
  const TensorId y = p.op("Square", {p.read(w, 6)}, 6);
  // The history begins after the first tape was entered.
  std::vector<Record> records = p.records(1);
  std::erase_if(records,
                [](const Record& r) { return r.is<TapeEnterRecord>() && r.as<TapeEnterRecord>().tape == 1; });
  History h;
  h.add(1, records);
  CHECK_FALSE(h.answer(*h.producer(y), 2).has_value());
  CHECK(explain_none(h, 2, y, w).reason == Reason::none);
}

TEST_CASE("each of an op's outputs is known for what a framework's step made of it", "[explain]") {
  for (unsigned wrong = 0; wrong < 16; ++wrong) {
    const auto bit = static_cast<std::uint16_t>(1u << wrong);
    for (const ValueMasks results : {ValueMasks{.nan = bit}, ValueMasks{.infinity = bit}}) {
      History h;
      const Record record(StepResultRecord{.forward = true, .results = results, .output = 40});
      h.add(1, std::span(&record, 1));
      for (TensorId tensor = 38; tensor < 58; ++tensor) {
        const auto* values = h.values(tensor);
        INFO("output " << wrong << ", tensor " << tensor);
        CHECK((values && values->flags & TensorValuesRecord::kNan) ==
              (tensor == 40 + wrong && results.nan != 0));
        CHECK((values && values->flags & TensorValuesRecord::kInfinity) ==
              (tensor == 40 + wrong && results.infinity != 0));
      }
    }
  }
}

TEST_CASE("what came before a stamp can be forgotten", "[explain]") {
  RecordProgram p;
  const TensorId w = p.variable("w", 3), never = p.variable("never", 3);
  History h;
  TensorId y = 0;
  std::size_t fed = 0, largest = 0;
  for (int step = 0; step < 200; ++step) {
    const TapeId tape = static_cast<TapeId>(step + 1);
    const TensorId begin = p.constant(4);
    p.enter(tape, 4);
    const TensorId v = p.read(w, 5);
    y = p.op("Round", {p.op("Mul", {v, begin}, 5)}, 6, DType::f32, OpRecord::kNoGradient);
    p.exit(tape, 7);
    p.gradient(tape, y, {w}, 8);
    const auto& records = p.records(1);
    h.add(1, std::span(records).subspan(fed));
    fed = records.size();
    const Explanation e = explain_none(h, tape, y, w);
    CHECK(e.reason == Reason::not_differentiable);
    CHECK(e.message.find("variable 'w' (program.cpp:3)") != std::string::npos);
    CHECK(explain_none(h, tape, y, never).reason == Reason::unused);
    largest = std::max(largest, h.ops().size());
    if (step % 4 == 3) h.forget_before(begin);
  }
  CHECK(largest <= 3 * 5);
  CHECK(h.questions().size() == 1);
  CHECK(h.variable(w) != nullptr);
}

TEST_CASE("a chain of a million ops is explained without recursion, in linear time", "[explain]") {
  RecordProgram p;
  const TensorId w = p.variable("w", 3);
  p.enter(1, 4);
  TensorId y = p.read(w, 5);
  y = p.op("Round", {y}, 6, DType::f32, OpRecord::kNoGradient);
  constexpr int kOps = 1000000;
  for (int i = 0; i < kOps; ++i) y = p.op("AddV2", {y, y}, 7);
  p.exit(1, 8);
  const History h = p.history();
  CHECK(h.ops().size() == kOps + 2);
  const Explanation e = explain_none(h, 1, y, w);
  CHECK(e.reason == Reason::not_differentiable);
  CHECK(e.location == "program.cpp:6");
  // Both ends of the way are kept, what lies between is counted.
  CHECK(e.path.size() == 201);
  CHECK(e.path[100].name == "999801 more");
  CHECK(e.path.back().op == "Round");
}
