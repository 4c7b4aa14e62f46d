// Values of a program that runs once: they are taken from its steps as they pass, and are those that it
// computed.
#include "engine/recording/program_values.h"
#include "engine/program.h"

#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"

using namespace tapescope;
using namespace tapescope::record;

namespace {

struct KeptStep {
  StepValues head;
  std::vector<KeptFrame> frames;
};

// Of a program of `count` steps of gradient descent on (w - 3)^2.
std::vector<KeptStep> kept(ProgramValues& values, int count) {
  set_process_gate(&values);
  const Variable w(constant({1.0, 2.0}), {.name = "w"});
  for (int i = 0; i < count; ++i) {
    note_step_begin(static_cast<std::uint64_t>(i), 0);
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_sum(square((w - 3.0).named("error")));
    }
    w.assign_sub(tape.gradient(loss, w) * 0.25);
    note_step_end(static_cast<std::uint64_t>(i), 0);
  }
  values.finish();
  set_process_gate(nullptr);
  std::vector<KeptStep> steps;
  for (const Bytes& payload : values.take()) {
    ByteReader in(payload);
    KeptStep step;
    REQUIRE(read_step_values(in, step.head));
    REQUIRE(read_frames(in, step.frames));
    steps.push_back(std::move(step));
  }
  return steps;
}

// The value an op of a step put out first.
double output_of(const KeptStep& step, std::string_view op) {
  for (const KeptFrame& kept : step.frames) {
    if (!kept.frame.backward && op_name_text(kept.frame.op) == op && kept.frame.outputs.at(0).value)
      return element(kept.frame.outputs[0].value, 0);
  }
  return -1;
}

}  // namespace

TEST_CASE("Steps that the rule names keep every place of theirs, the last step among them", "[record]") {
  ProgramValues values(ValueOptions::of(ValueRule::parse("every:3,last"), 1));
  const std::vector<KeptStep> steps = kept(values, 6);
  REQUIRE(steps.size() == 3);
  CHECK((steps[0].head.step == 0 && steps[1].head.step == 3 && steps[2].head.step == 5));
  for (const KeptStep& step : steps) {
    // Read, Sub, Square, Sum; and back.
    CHECK((step.head.nodes == 8 && step.head.forward_nodes == 4 && step.head.left_out == 0));
    REQUIRE(step.frames.size() == 8);
    for (std::size_t i = 0; i < step.frames.size(); ++i) {
      CHECK(step.frames[i].frame.cursor == i + 1);
      CHECK(step.frames[i].hash == step.frames[i].frame.hash());
    }
    // w - 3 begins at -2 and is halved by each step.
    CHECK(output_of(step, "Sub") == Approx(-2 * std::pow(0.5, static_cast<double>(step.head.step))));
  }
}

TEST_CASE("A budget cuts the values of a program, and what it cut is counted", "[record]") {
  ProgramValues values(ValueOptions::of(ValueRule::parse("first,last"), 0.0004));
  const std::vector<KeptStep> steps = kept(values, 2);
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].frames.size() < 8);
  CHECK(steps[0].frames.size() + steps[0].head.left_out == 8);
  CHECK(steps[1].head.left_out == 8);
}

TEST_CASE("Where the rule names tensors the others have statistics", "[record]") {
  ProgramValues values(ValueOptions::of(ValueRule::parse("last,only:err"), 1));
  const std::vector<KeptStep> steps = kept(values, 2);
  REQUIRE(steps.size() == 1);
  CHECK(output_of(steps[0], "Sub") == Approx(-1));
  std::size_t squares = 0;
  for (const KeptFrame& kept : steps[0].frames) {
    if (kept.frame.backward || op_name_text(kept.frame.op) != "Square") continue;
    ++squares;
    CHECK_FALSE(kept.frame.outputs.at(0).value);
    const TensorDigest* digest = digest_of(kept.digests, PlacedDigest::List::outputs, 0);
    REQUIRE(digest);
    CHECK(digest->stats.max == Approx(1));
    // Names are looked for in each frame: what Square read was named before.
    CHECK(kept.frame.inputs.at(0).value);
  }
  CHECK(squares == 1);
  CHECK_THROWS(ValueRule::parse("only:w"));
}

TEST_CASE("Nothing is kept after the end, nor of steps that no rule names", "[record]") {
  ProgramValues values(ValueOptions::of(ValueRule::parse("2"), 1));
  const std::vector<KeptStep> steps = kept(values, 5);
  REQUIRE(steps.size() == 1);
  CHECK(steps[0].head.step == 1);
  const std::vector<KeptStep> later = kept(values, 5);
  CHECK(later.empty());
}
