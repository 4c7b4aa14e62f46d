// What the hooks of a framework found, as rows: the last answer counts, and figures follow their finding.
#include "viewer/store/framework_findings.h"

#include "engine/events/records/findings.h"
#include "tests/support/catch.h"
#include "tests/viewer/store/record_writer.h"

using namespace tapescope;

namespace {

FindingRecord answer(std::string_view source, std::string_view status, std::string_view reason = {}) {
  return {.about = FindingKind::answer,
          .op = intern_op_name("Sum"),
          .subject = intern_name(source),
          .reason = reason.empty() ? 0 : intern_name(reason),
          .site = test::RecordWriter().site(7),
          .detail = intern_name(status),
          .target = intern_name("loss")};
}

FindingRecord alert(std::string_view op, std::string_view detail, std::uint32_t line) {
  return {.about = FindingKind::alert,
          .op = intern_op_name(op),
          .subject = intern_name("w"),
          .reason = intern_name("nonfinite"),
          .site = test::RecordWriter().site(line),
          .detail = intern_name(detail)};
}

FindingRecord retrace(std::string_view function, std::string_view kind = {}) {
  return {.about = FindingKind::retrace,
          .subject = intern_name(function),
          .reason = kind.empty() ? 0 : intern_name(kind),
          .message = intern_name("3"),
          .detail = intern_name("n"),
          .target = intern_name("2")};
}

}  // namespace

TEST_CASE("the last answer about a source takes the place of the tables' rows", "[store]") {
  FrameworkFindings findings;
  CHECK(findings.empty());
  findings.add(answer("w", "none", "unused"), 1);
  findings.add(FindingStepRecord{.op = intern_op_name("Mul"), .name = intern_name("product")}, 1);
  findings.add(answer("b", "none", "unused"), 1);
  findings.add(answer("w", "nonfinite"), 4);
  findings.add(FindingFiguresRecord{.norm = 2.5, .elements = 3}, 4);
  findings.add(answer("b", "withdrawn"), 5);
  findings.add(FindingFiguresRecord{.norm = 7}, 5);  // of an answer that was withdrawn
  CHECK_FALSE(findings.empty());
  std::vector<GradientRow> rows(3);
  rows[0].source = "w", rows[1].source = "b", rows[2].source = "v";
  findings.answer(rows);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].source == "v");
  CHECK(rows[1].source == "w");
  CHECK(rows[1].target == "loss");
  CHECK(rows[1].status == GradientStatus::nonfinite);
  CHECK(rows[1].reason.empty());
  CHECK(rows[1].path.empty());
  CHECK(rows[1].location == "sample.cpp:7");
  CHECK(rows[1].edge.op == "Sum");
  CHECK(rows[1].step == 4);
  CHECK(rows[1].has_stats);
  CHECK(rows[1].norm == 2.5);
  CHECK(rows[1].nonfinite == 3);
}

TEST_CASE("an answer has the way from the target, in the order in which it was found", "[store]") {
  FrameworkFindings findings;
  findings.add(answer("w", "none", "cast_to_integer"), 0);
  for (const char* op : {"Sum", "Cast"})
    findings.add(FindingStepRecord{.op = intern_op_name(op), .name = intern_name("x")}, 0);
  findings.add(alert("Log", "forward nan", 1), 0);
  findings.add(FindingStepRecord{.op = intern_op_name("Log")}, 0);  // of the alert, which has none
  std::vector<GradientRow> rows;
  findings.answer(rows);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].status == GradientStatus::none);
  CHECK(rows[0].reason == "cast_to_integer");
  CHECK_FALSE(rows[0].has_stats);
  REQUIRE(rows[0].path.size() == 2);
  CHECK(rows[0].path[0].op == "Sum");
  CHECK(rows[0].path[1].op == "Cast");
}

TEST_CASE("an alert has direction and value, once, in the place of those that noticed it", "[store]") {
  FrameworkFindings findings;
  findings.add(alert("Log", "backward -inf", 12), 3);
  findings.add(alert("Log", "backward -inf", 12), 4);
  FindingRecord dead = alert("Relu", "all", 14);
  dead.reason = intern_name("dead");
  findings.add(dead, 5);
  std::vector<AlertRow> alerts(2);
  alerts[0].kind = "nonfinite", alerts[1].kind = "leak";
  findings.alert(alerts, nullptr);
  REQUIRE(alerts.size() == 3);
  CHECK(alerts[0].kind == "nonfinite");
  CHECK(alerts[0].op_type == "Log");
  CHECK(alerts[0].direction == "backward");
  CHECK(alerts[0].value == "-inf");
  CHECK(alerts[0].step == 3);
  CHECK(alerts[0].op_index == kNoOp);
  CHECK(alerts[1].kind == "dead");
  CHECK(alerts[1].value.empty());
  CHECK(alerts[2].kind == "leak");
}

TEST_CASE("alerts of the tables stay where the framework found none of that kind", "[store]") {
  FrameworkFindings findings;
  FindingRecord dead = alert("Relu", "all", 14);
  dead.reason = intern_name("dead");
  findings.add(dead, 0);
  std::vector<AlertRow> alerts(1);
  alerts[0].kind = "nonfinite";
  findings.alert(alerts, nullptr);
  REQUIRE(alerts.size() == 2);
  CHECK(alerts[1].kind == "nonfinite");
}

TEST_CASE("an alert is placed at its op: in its expression, else in its line, in its direction", "[store]") {
  test::RecordWriter at;
  const SiteId here = at.site(12), beside = intern_site("sample.cpp", "other", 12, 0);
  StepView view;
  const auto op = [&](std::string_view name, SiteId site, Direction direction) {
    OpRow& row = view.ops.emplace_back();
    row.op = name, row.site = site, row.direction = direction, row.location = "sample.cpp:12";
  };
  op("Log", beside, Direction::backward);
  op("Log", beside, Direction::forward);
  op("Exp", here, Direction::forward);
  const auto place_of = [&](const FindingRecord& record) {
    FrameworkFindings findings;
    findings.add(record, 0);
    std::vector<AlertRow> alerts;
    findings.alert(alerts, &view);
    return alerts.at(0).op_index;
  };
  CHECK(place_of(alert("Log", "forward nan", 12)) == 1);   // in the line
  CHECK(place_of(alert("Log", "backward nan", 12)) == 0);  // that of the backward pass
  CHECK(place_of(alert("Sqrt", "forward nan", 12)) == kNoOp);
  op("Log", here, Direction::forward);
  CHECK(place_of(alert("Log", "forward nan", 12)) == 3);  // in the very expression
}

TEST_CASE("an advice is listed once for each kind, subject and line", "[store]") {
  FrameworkFindings findings;
  test::RecordWriter at;
  FindingRecord advice{.about = FindingKind::advice,
                       .subject = intern_name("w"),
                       .reason = intern_name("host_reads"),
                       .site = at.site(3)};
  findings.add(advice, 0);
  findings.add(advice, 1);
  CHECK(findings.advice().size() == 1);
  advice.site = at.site(4);
  findings.add(advice, 1);
  advice.subject = intern_name("b");
  findings.add(advice, 1);
  advice.reason = intern_name("tiny_ops");
  findings.add(advice, 1);
  CHECK(findings.advice().size() == 4);
}

TEST_CASE("figures of a retrace are its function's: the last count, all times, the most calls", "[store]") {
  FrameworkFindings findings;
  findings.add(retrace("step"), 0);  // the first trace
  findings.add(FindingFiguresRecord{.norm = 100, .elements = 1, .count = 1}, 0);
  findings.add(retrace("other"), 0);
  findings.add(FindingFiguresRecord{.norm = 5, .elements = 1, .count = 1}, 0);
  findings.add(retrace("step", "value"), 1);
  findings.add(FindingFiguresRecord{.norm = 40, .elements = 6, .count = 2}, 1);
  findings.add(answer("w", "none"), 1);
  findings.add(FindingFiguresRecord{.norm = 9}, 1);  // of the answer
  std::vector<FunctionRow> functions(1);
  findings.add_functions(functions);
  REQUIRE(functions.size() == 3);
  CHECK(functions[1].name == "other");
  CHECK(functions[1].trace_us == 5);
  CHECK(functions[1].retraces.empty());
  const FunctionRow& step = functions[2];
  CHECK(step.name == "step");
  CHECK(step.calls == 6);
  CHECK(step.traces == 2);
  CHECK(step.trace_us == 140);
  REQUIRE(step.retraces.size() == 1);
  CHECK(step.retraces[0].kind == "value");
  CHECK(step.retraces[0].argument == "n");
  CHECK(step.retraces[0].from == "2");
  CHECK(step.retraces[0].to == "3");
  CHECK(step.retraces[0].call == 6);
  CHECK(step.retraces[0].trace_us == 40);
}
