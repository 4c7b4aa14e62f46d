// Breakpoints as words, and runs that stop from a certain hit on.
#include "viewer/debugger/break_rule.h"

#include "engine/ops/ops.h"
#include "tests/support/catch.h"
#include "viewer/debugger/run_control.h"

using namespace tapescope;

namespace {

BreakRule rule_of(const std::string& text) {
  BreakRule rule;
  INFO(text);
  REQUIRE(parse_break(text, rule) == "");
  return rule;
}

RunStatus run(RunControl& control) {
  control.run();
  REQUIRE(control.wait_at_rest(30));
  return control.status();
}

void load(RunControl& control, const char* sample, std::int64_t steps) {
  RunRequest request;
  request.sample = sample;
  request.options.steps = steps;
  control.load(request);
  REQUIRE(control.wait_at_rest(30));
}

}  // namespace

TEST_CASE("a breakpoint reads back as it was written", "[break]") {
  for (const char* text : {"op MatMul", "name the loss", "line a.cpp:12", "backward", "nonfinite",
                           "norm-above 1000", "norm-below 1e-06", "zeros-above 0.5", "none", "retrace",
                           "op Log hit 3", "backward hit 20", "name hit hit 2"}) {
    CHECK(text_of(rule_of(text)) == text);
  }
  CHECK(rule_of("op hit").when.text == "hit");
}

TEST_CASE("what is no breakpoint is refused in words", "[break]") {
  for (const char* text : {"", "often", "op", "norm-above much", "zeros-above 2", "zeros-above 0",
                           "backward soon", "op Log hit 0", "op Log hit x"}) {
    INFO(text);
    BreakRule rule;
    const std::string wrong = parse_break(text, rule);
    CHECK_FALSE(wrong.empty());
    CHECK(rule.when.text.empty());
  }
}

TEST_CASE("a breakpoint stops from its hit on, and counts every one", "[break]") {
  RunControl control;
  load(control, "linear-regression", 8);
  control.set_breakpoints({rule_of("backward hit 3")});
  RunStatus status = run(control);
  REQUIRE(status.mode == RunMode::paused);
  CHECK(status.frame->step == 2);
  CHECK(status.frame->breakpoint == "a backward pass begins, hit 3");
  CHECK(control.breakpoints()[0].hits == 3);
  status = run(control);
  REQUIRE(status.mode == RunMode::paused);
  CHECK(status.frame->step == 3);
  // What is off is not looked for, and its count stays.
  std::vector<BreakRule> rules = control.breakpoints();
  rules[0].enabled = false;
  control.set_breakpoints(rules);
  CHECK(run(control).mode == RunMode::finished);
  CHECK(control.breakpoints()[0].hits == 4);
  CHECK(control.breakpoints()[0].when.id == rules[0].when.id);
}

TEST_CASE("one condition that waits for its hit hides no other at the same place", "[break]") {
  RunControl control;
  load(control, "linear-regression", 4);
  control.set_breakpoints(
      {rule_of("backward hit 1000"), rule_of("backward hit 2"), rule_of("norm-above -1 hit 1000")});
  const RunStatus status = run(control);
  REQUIRE(status.mode == RunMode::paused);
  CHECK(status.frame->step == 1);
  const std::vector<BreakRule> rules = control.breakpoints();
  CHECK(rules[0].hits == 2);
  CHECK(rules[1].hits == 2);
  CHECK(rules[2].hits > 0);
}

TEST_CASE("a share of zeros is a condition", "[break]") {
  Frame frame;
  frame.backward = true;
  frame.cotangents_out = {{"", Tensor()}, {"x", constant({0.0, 0.0, 1.0, 2.0})}};
  CHECK(fits(rule_of("zeros-above 0.5"), frame));
  CHECK_FALSE(fits(rule_of("zeros-above 0.51"), frame));
  CHECK(fits(rule_of("norm-above 3"), frame));  // the gate has looked at it

  RunControl control;
  load(control, "linear-regression", 2);
  control.set_breakpoints({rule_of("zeros-above 1")});
  CHECK(run(control).mode == RunMode::finished);
  CHECK(control.breakpoints()[0].hits == 0);
}
