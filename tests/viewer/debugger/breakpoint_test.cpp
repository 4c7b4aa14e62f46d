// Breakpoints as words, and runs that stop from a certain hit on.
#include "viewer/debugger/breakpoint_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/ops/ops.h"
#include "tests/support/catch.h"
#include "viewer/debugger/run_control.h"

using namespace tapescope;

namespace {

Breakpoint parsed(const std::string& text) {
  Breakpoint breakpoint;
  INFO(text);
  REQUIRE(parse_break(text, breakpoint) == "");
  return breakpoint;
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
  for (const char* text :
       {"op MatMul", "name the loss", "line a.cpp:12", "backward", "nonfinite", "norm-above 1000",
        "norm-below 1e-06", "zeros-above 0.5", "none", "retrace", "op Log hit 3", "backward hit 20",
        "name hit hit 2", "op Log at 21", "op Log at 21 hit 2", "name a at 3"}) {
    CHECK(text_of(parsed(text)) == text);
  }
  CHECK(parsed("op hit").text == "hit");
  CHECK(parsed("op Log at 21").place == 21);
  CHECK(sentence_of(parsed("op Log at 21")) == "op 21, Log");
}

TEST_CASE("what is no breakpoint is refused in words", "[break]") {
  for (const char* text : {"", "often", "op", "norm-above much", "zeros-above 2", "zeros-above 0",
                           "backward soon", "op Log hit 0", "op Log hit x", "op Log at 0", "op Log at x"}) {
    INFO(text);
    Breakpoint breakpoint;
    const std::string wrong = parse_break(text, breakpoint);
    CHECK_FALSE(wrong.empty());
    CHECK(breakpoint.text.empty());
  }
}

TEST_CASE("a breakpoint stops from its hit on, and counts every one", "[break]") {
  RunControl control;
  load(control, "linear-regression", 8);
  control.set_breakpoints({parsed("backward hit 3")});
  RunStatus status = run(control);
  REQUIRE(status.mode == RunMode::paused);
  CHECK(status.frame->step == 2);
  CHECK(status.frame->breakpoint == "a backward pass begins, hit 3");
  CHECK(control.breakpoints()[0].hits == 3);
  status = run(control);
  REQUIRE(status.mode == RunMode::paused);
  CHECK(status.frame->step == 3);
  // What is off is not looked for, and its count stays.
  std::vector<Breakpoint> all = control.breakpoints();
  all[0].enabled = false;
  control.set_breakpoints(all);
  CHECK(run(control).mode == RunMode::finished);
  CHECK(control.breakpoints()[0].hits == 4);
  CHECK(control.breakpoints()[0].id == all[0].id);
}

TEST_CASE("one condition that waits for its hit hides no other at the same place", "[break]") {
  RunControl control;
  load(control, "linear-regression", 4);
  control.set_breakpoints(
      {parsed("backward hit 1000"), parsed("backward hit 2"), parsed("norm-above -1 hit 1000")});
  const RunStatus status = run(control);
  REQUIRE(status.mode == RunMode::paused);
  CHECK(status.frame->step == 1);
  const std::vector<Breakpoint> all = control.breakpoints();
  CHECK(all[0].hits == 2);
  CHECK(all[1].hits == 2);
  CHECK(all[2].hits > 0);
}

TEST_CASE("a breakpoint of a source or an op reads back as it was written", "[break]") {
  for (const char* text : {"norm-above 1000 source recurrent kernel", "nonfinite op Dropout hit 2",
                           "zeros-above 0.5 op Relu", "none source w#2", "norm-below 1e-06 source w hit 3"}) {
    CHECK(text_of(parsed(text)) == text);
  }
  CHECK(parsed("norm-above 2 source w").source == "w");
  CHECK(parsed("nonfinite op Dropout").op == "Dropout");
  CHECK(sentence_of(parsed("norm-above 2 source w")) == "the gradient of w's norm is above 2");
  // What has no place takes none.
  Breakpoint breakpoint;
  CHECK_FALSE(parse_break("backward source w", breakpoint).empty());
  CHECK_FALSE(parse_break("none op Relu", breakpoint).empty());
  CHECK(parsed("name a source w").text == "a source w");
}

TEST_CASE("hits of a breakpoint that never stops leave the run to its end", "[break]") {
  RunControl control;
  load(control, "linear-regression", 2);
  control.set_breakpoints({parsed("zeros-above 1"), parsed("norm-above -1 hit 1000000")});
  CHECK(run(control).mode == RunMode::finished);
  CHECK(control.breakpoints()[0].hits == 0);
  CHECK(control.breakpoints()[1].hits > 10);
}

TEST_CASE("a norm above a limit stops where a source's sum passes it", "[break]") {
  RunControl control;
  RunRequest request;
  request.sample = "gradient-clipping";
  request.options.variant = "unclipped";
  control.load(request);
  REQUIRE(control.wait_at_rest(30));
  control.set_breakpoints({parsed("norm-above 1000")});
  const RunStatus status = run(control);
  REQUIRE(status.mode == RunMode::paused);
  const double norm = std::max_element(status.frame->arrived.begin(), status.frame->arrived.end(),
                                       [](const Arrived& a, const Arrived& b) {
                                         return a.sum.norm < b.sum.norm;
                                       })->sum.norm;
  CHECK(status.frame->breakpoint ==
        fmt::format("a gradient's norm is above 1000: {:.6g} in the gradient of recurrent_kernel", norm));
  REQUIRE(status.frame->frame.backward);
  CHECK(op_name_text(status.frame->frame.op) == "ReadVariableOp");
  // No op's gradient is above it here, nor was one before: the 30 uses of the recurrent kernel are.
  for (const FrameTensor& item : status.frame->frame.accumulated) {
    if (item.value) CHECK(tensor_stats(item.value).norm < 800);
  }
  for (const Arrived& arrived : status.frame->arrived)
    CHECK((arrived.sum.norm > 1000) == (arrived.name == "recurrent_kernel"));
}

TEST_CASE("a stop says which value met it, and where", "[break]") {
  const Tensor broken = constant({1.0, NAN, 0.0, INFINITY, NAN});
  Frame frame;
  frame.outputs = {{.name = "whole", .value = constant({1.0})}, {.name = "", .value = broken}};
  CHECK(stop_text(parsed("nonfinite"), frame) ==
        "a value is not finite: 2 of 5 are NaN and 1 is Infinity in output 2");
  CHECK(stop_text(parsed("op Log"), frame) == "op Log");
  frame.backward = true;
  frame.cotangents_out = {{.name = "", .value = constant({0.0, 0.0, 3.0, 4.0})}};
  CHECK(stop_text(parsed("norm-above 2"), frame) ==
        "a gradient's norm is above 2: 5 in the gradient of input");
  CHECK(stop_text(parsed("zeros-above 0.5"), frame) ==
        "a gradient's share of zeros is 0.5 or more: 2 of 4 are 0 in the gradient of input");
  // A value that is kept as its statistics alone.
  frame.cotangents_out[0].value = Tensor();
  auto digest = std::make_shared<record::TensorDigest>();
  digest->stats.infinities = 1;
  digest->stats.count = 9;
  const record::PlacedDigest placed{record::PlacedDigest::List::cotangents_out, 0, digest};
  CHECK(stop_text(parsed("nonfinite"), frame, {&placed, 1}) ==
        "a value is not finite: 1 of 9 is infinite in the gradient of input");
}

TEST_CASE("a run stops at members of a compiled function's fused ops, and goes on to the same results",
          "[break]") {
  RunRequest request;
  request.sample = "train-step";
  request.options.variant = "compiled";
  request.options.steps = 2;
  RunControl free(false), control;
  for (RunControl* each : {&free, &control}) {
    each->load(request);
    REQUIRE(each->wait_at_rest(30));
  }
  REQUIRE(run(free).mode == RunMode::finished);
  control.set_breakpoints({parsed("op BiasAdd")});
  RunStatus status = run(control);
  REQUIRE(status.mode == RunMode::paused);
  CHECK(op_name_text(status.frame->frame.op) == "BiasAdd");
  const std::uint64_t cursor = status.frame->cursor, inner = status.frame->frame.inner;
  CHECK(inner > 0);
  REQUIRE(status.frame->frame.outputs.size() == 1);
  // The next member, then the fused op as a whole, which is the step's next place.
  control.step_into();
  REQUIRE(control.wait_at_rest(30));
  status = control.status();
  CHECK(op_name_text(status.frame->frame.op) == "Relu");
  CHECK(status.frame->cursor == cursor);
  CHECK(status.frame->frame.inner == inner + 1);
  control.step_into();
  REQUIRE(control.wait_at_rest(30));
  CHECK(op_name_text(control.status().frame->frame.op) == "_FusedMatMul");
  CHECK(control.status().frame->cursor == cursor + 1);
  control.set_breakpoints({});
  REQUIRE(run(control).mode == RunMode::finished);
  const auto expected = free.result(0).outputs, found = control.result(0).outputs;
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    REQUIRE(found[i].value.bytes() == expected[i].value.bytes());
    CHECK(std::memcmp(found[i].value.raw(), expected[i].value.raw(),
                      static_cast<std::size_t>(found[i].value.bytes())) == 0);
  }
}
