// Texts of a run's report, and the numbers in them.
#include "viewer/model/report.h"

#include <cmath>
#include <limits>

#include "tests/support/approval.h"
#include "tests/support/catch.h"
#include "viewer/model/report_tables.h"
#include "viewer/model/text_table.h"

using namespace tapescope;

namespace {

RunReport example() {
  RunReport report;
  report.sample = "stop-gradient";
  report.variant = "default";
  report.steps = 1;
  report.outputs = {{"dg/dx", make_full({}, 6, DType::f32)}, {"dg/dy", Tensor()}};
  report.errors = {{"stop_gradient.cpp:30", "[gradient] the tape was used up"}};
  report.has_events = true;
  report.step = report.forward = {12.34, 11, 14, 10.5};
  report.backward = {8.1, 8, 9, 7.9};
  report.update = {0, 0, 0, 0};
  report.tape = {6, 5, 1, 2, 24, 48};
  GradientRow y;
  y.source = "y";
  y.target = "g";
  y.status = GradientStatus::none;
  y.reason = "stop_gradient";
  y.message = "y reaches g only through stop_gradient at stop_gradient.cpp:21";
  y.location = "stop_gradient.cpp:21";
  y.fix = "leave stop_gradient out where the gradient of y is wanted";
  y.path = {{"Mul", "g", "stop_gradient.cpp:22", 9}};
  y.edge = {"Mul", "stop_gradient", "stop_gradient.cpp:21", 7};
  GradientRow x;
  x.source = "x";
  x.target = "g";
  x.has_stats = true;
  x.norm = 6;
  report.gradients = {y, x};
  OpKindRow mul;
  mul.op = "Mul";
  mul.count = 4;
  mul.backward_runs = 2;
  mul.forward_us = 1.5;
  mul.backward_us = 3;
  mul.backward_run_us = 3;
  mul.share = 0.9;
  mul.flops = 4;
  mul.bytes = 48;
  mul.saved_bytes = 16;
  OpKindRow read;
  read.op = "ReadVariableOp";
  read.count = 2;
  read.forward_us = 0.5;
  read.share = 0.1;
  report.ops = {mul, read};
  AlertRow alert;
  alert.kind = "none";
  alert.subject = "y";
  alert.message = y.message;
  alert.location = y.location;
  alert.fix = y.fix;
  report.alerts = {alert};
  return report;
}

}  // namespace

TEST_CASE("columns line up whatever their letters", "[report]") {
  TextTable table({"a", ">µs"});
  table.row({"×", "1"});
  table.row({"long", "10"});
  CHECK(table.text(0) == "a     µs\n×      1\nlong  10\n");
}

TEST_CASE("percentiles", "[report]") {
  const Quantiles q = quantiles_of({5, 1, 2, 3, 4});
  CHECK(q.median == 3);
  CHECK(q.min == 1);
  CHECK(q.p10 == Approx(1.4));
  CHECK(std::isnan(quantiles_of({}).median));
}

TEST_CASE("the first step is warm-up where there are others", "[report]") {
  RunReport report;
  add_step_times(report, {100, 1, 2, 3});
  CHECK(report.first_step == 100);
  CHECK(report.step.median == 2);
  RunReport single;
  add_step_times(single, {7});
  CHECK(single.step.median == 7);
}

TEST_CASE("texts of a run", "[report][approval]") {
  approve("viewer/approved/run.txt", run_text(example()));
  approve("viewer/approved/explain.txt", explain_text(example()));
}

TEST_CASE("where nothing is known of what is saved, nothing is said of it", "[report]") {
  CHECK(memory_figures({.saved_bytes = 24, .peak_bytes = 48}) == "24 B saved for backward, peak 48 B");
  CHECK(memory_figures({.peak_bytes = 48}) == "peak 48 B");
}

TEST_CASE("nothing wrong is said in words", "[report]") {
  RunReport report = example();
  report.gradients.erase(report.gradients.begin());
  report.alerts.clear();
  CHECK(explain_text(report).find("Nothing is wrong: 1 gradient with a value") != std::string::npos);
}

TEST_CASE("an alert has a line for each thing that is known of it, but one of None stands above",
          "[report]") {
  RunReport report = example();
  report.gradients.clear();
  AlertRow full, bare, none;
  full.kind = "nonfinite", full.message = "w became NaN", full.op = "dense_1/Log";
  full.location = "train.cpp:12", full.fix = "keep it above 0";
  bare.kind = "leak", bare.message = "Tapes are kept.";
  none.kind = "none", none.message = "y has no gradient";
  report.alerts = {full, none, bare};
  CHECK_THAT(explain_text(report), contains_text("\nnonfinite: w became NaN.\n  op     dense_1/Log\n"
                                                 "  where  train.cpp:12\n  fix    keep it above 0\n"
                                                 "\nleak: Tapes are kept.\n"));
  report.alerts = {bare};
  const std::string text = explain_text(report);
  CHECK(text.find("  fix ") == text.npos);
  CHECK(text.find("  where ") == text.npos);
  report.alerts = {none};
  CHECK(explain_text(report).find("y has no gradient") == text.npos);
}

TEST_CASE("a run that was not observed for all is not certified") {
  RunReport report;
  report.steps = 3;
  CHECK(verdict_of(report) == Verdict::nothing_found);
  report.unseen = "the program was watched, which finds no None";
  CHECK(verdict_of(report) == Verdict::cannot_say);
  CHECK(doubt_of(report) == report.unseen);
  CHECK(explain_text(report).find("after 3 steps: " + report.unseen + ".") != std::string::npos);
  // How it ended weighs more.
  report.ending.loss = "the file is cut off";
  CHECK(doubt_of(report) == "the file is cut off");
}
