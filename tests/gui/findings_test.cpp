// Results that need a rerun: the window says them as the command line does.
#include "tests/gui/driver.h"
#include "tests/support/catch.h"
#include "viewer/debugger/headless.h"

using namespace tapescope;
using namespace tapescope::ui;

namespace {

constexpr const char* kNanHunt = "nan-hunt";

const GradientRow* zero_row(const Snapshot& snapshot) {
  for (const GradientRow& row : snapshot.gradients) {
    if (row.status == GradientStatus::zero) return &row;
  }
  return nullptr;
}

RunReport of_the_command_line(const char* sample) {
  RunRequest request;
  request.sample = sample;
  request.options.steps = 3;
  return report_of(run_headless(request), 0);
}

void run(UiDriver& ui, const char* sample) {
  REQUIRE(ui.run(std::string("sample ") + sample).empty());
  REQUIRE(ui.run("steps 3").empty());
  ui.frame(3);
  REQUIRE(ui.run("run").empty());
  REQUIRE(ui.settle());
}

}  // namespace

TEST_CASE("the alert of a first NaN or infinity names the op that made it, and selecting it selects the op") {
  const RunReport expected_report = of_the_command_line(kNanHunt);
  UiDriver ui;
  run(ui, kNanHunt);
  REQUIRE_FALSE(ui.bench->a->alerts.empty());
  const AlertRow alert = ui.bench->a->alerts.front();
  CHECK(alert.op == "Log");
  CHECK(alert.location.starts_with("nan_hunt.cpp:"));
  CHECK(alert.message == expected_report.alerts.front().message);
  ui.key("F8");
  REQUIRE(ui.bench->state.selection().kind == Selection::Kind::alert);
  // The last step has the same ops: its own is shown.
  REQUIRE(alert.op_index < ui.bench->a->shown()->ops.size());
  CHECK(ui.bench->a->shown()->ops[alert.op_index].op == "Log");
  CHECK(ui.bench->panel("inspector")->text(ui.bench->context()).find(alert.message) != std::string::npos);
}

TEST_CASE("why a gradient is zero is proved in the window, too, at the end and at a stop") {
  const RunReport expected_report = of_the_command_line(kNanHunt);
  const auto expected =
      std::find_if(expected_report.gradients.begin(), expected_report.gradients.end(),
                   [](const GradientRow& row) { return row.status == GradientStatus::zero; });
  REQUIRE(expected != expected_report.gradients.end());
  CHECK(expected->message.find("probably") == std::string::npos);
  UiDriver ui;
  run(ui, kNanHunt);
  REQUIRE(zero_row(*ui.bench->a));
  CHECK(zero_row(*ui.bench->a)->message == expected->message);
  CHECK(zero_row(*ui.bench->a)->edge.op == expected->edge.op);

  REQUIRE(ui.run("break backward hit 2").empty());
  REQUIRE(ui.run("run").empty());
  REQUIRE(ui.settle());
  REQUIRE(ui.bench->status.mode == RunMode::paused);
  REQUIRE(zero_row(*ui.bench->a));
  CHECK(zero_row(*ui.bench->a)->message == expected->message);
}

TEST_CASE("a comparison starts from a paused run") {
  UiDriver ui;
  REQUIRE(ui.run("sample mnist-mlp").empty());
  REQUIRE(ui.run("steps 3").empty());
  ui.key("F10");
  REQUIRE(ui.bench->status.mode == RunMode::paused);
  ui.click("toolbar/compare");
  ui.key("F5");
  REQUIRE(ui.bench->status.mode == RunMode::finished);
  CHECK(ui.bench->status.error.empty());
  CHECK(ui.bench->status.step == 3);
}

TEST_CASE("a notice leaves when the run it was about is over or another begins") {
  UiDriver ui;
  CHECK_FALSE(ui.run("open /nonexistent.tape").empty());
  ui.frame(2);
  CHECK(ui.bench->notice.find("/nonexistent.tape") != std::string::npos);
  run(ui, "mnist-mlp");
  CHECK(ui.bench->notice.empty());
  CHECK(ui.bench->map.find("words/status")->label == "Finished · 3 steps");
}

TEST_CASE("alerts are walked round, from the first or from the last") {
  UiDriver ui;
  REQUIRE(ui.run("sample nan-hunt").empty());
  REQUIRE(ui.run("run").empty());
  REQUIRE(ui.settle());
  REQUIRE_FALSE(ui.bench->a->alerts.empty());
  auto three = std::make_shared<Snapshot>(*ui.bench->a);
  three->alerts.resize(3, three->alerts.front());
  const auto goes = [&](const char* command) {
    ui.bench->a = three;
    CHECK(ui.bench->execute(command).empty());
    return ui.bench->state.selection().index;
  };
  CHECK(goes("previous-alert") == 2);
  CHECK(goes("next-alert") == 0);
  CHECK(goes("previous-alert") == 2);
  CHECK(ui.bench->execute("select none").empty());
  CHECK(goes("next-alert") == 0);
  CHECK(goes("next-alert") == 1);
}

TEST_CASE("the alert of a NaN made on the way back shows the op that made it there") {
  UiDriver ui;
  REQUIRE(ui.run("sample nan-hunt").empty());
  REQUIRE(ui.run("variant where-trap").empty());
  REQUIRE(ui.run("run").empty());
  REQUIRE(ui.settle());
  REQUIRE_FALSE(ui.bench->a->alerts.empty());
  const AlertRow alert = ui.bench->a->alerts.front();
  CHECK(alert.direction == "backward");
  ui.key("F8");
  ui.frame(3);
  const auto view = ui.bench->a->shown();
  REQUIRE(alert.op_index < view->ops.size());
  const OpRow& row = view->ops[alert.op_index];
  CHECK(row.direction == Direction::backward);
  REQUIRE(row.partner != kNoOp);
  CHECK(view->ops[row.partner].op == "Pow");
  CHECK(ui.bench->op_in_focus() == alert.op_index);
  const std::string said = ui.bench->panel("inspector")->text(ui.bench->context());
  CHECK(said.find("backward of " + view->ops[row.partner].name) != std::string::npos);
  CHECK(said.find(alert.message) != std::string::npos);
  CHECK(said.find(alert.fix) != std::string::npos);
  // The breakpoint is that of the op that is highlighted.
  ui.key("F9");
  const auto breakpoints = ui.bench->debuggee.breakpoints();
  REQUIRE(breakpoints.size() == 1);
  CHECK(breakpoints.front().text == view->ops[row.partner].op);
  REQUIRE(row.backward_step < view->backward_steps.size());
  CHECK(static_cast<std::int64_t>(breakpoints.front().place) ==
        view->backward_steps[row.backward_step].node + 1);
  // A source whose gradient has no finite element has no mean of finite ones.
  for (const GradientRow& gradient : ui.bench->a->gradients) {
    if (!gradient.none_finite()) continue;
    REQUIRE(ui.run("select source " + gradient.source).empty());
    ui.frame(2);
    const std::string text = ui.bench->panel("inspector")->text(ui.bench->context());
    CHECK(text.find("status\tNaN") != std::string::npos);
    CHECK(text.find("min\t0\n") == std::string::npos);
  }
  check_clean(ui);
}

TEST_CASE("the alert that is selected says all of it, and its step is one click away") {
  UiDriver ui;
  REQUIRE(ui.run("sample gradient-clipping").empty());
  REQUIRE(ui.run("variant unclipped").empty());
  REQUIRE(ui.run("steps 20").empty());
  ui.frame(3);
  REQUIRE(ui.run("run").empty());
  REQUIRE(ui.settle());
  REQUIRE_FALSE(ui.bench->a->alerts.empty());
  const AlertRow alert = ui.bench->a->alerts.front();
  REQUIRE(alert.step + 1 < ui.bench->a->steps.count());
  CHECK_FALSE(ui.on_screen("alerts/row/0/story"));
  const float before = ui.bench->map.find("alerts/row/0")->h;
  ui.key("F8");
  ui.frame(3);
  REQUIRE(ui.on_screen("alerts/row/0/story"));
  CHECK(ui.bench->map.find("alerts/row/0/story")->label == alert.message + "\n" + alert.fix);
  CHECK(ui.bench->map.find("alerts/row/0")->h > before);
  CHECK(ui.bench->map.find("alerts/step/0")->label ==
        "step " + std::to_string(ui.bench->a->step_shown(alert.step)));
  ui.click("alerts/step/0");
  ui.frame(3);
  CHECK(ui.bench->state.chosen_steps.first == alert.step);
  CHECK(ui.bench->state.chosen_steps.last == alert.step);
  check_clean(ui);
}

TEST_CASE("times of one step alone are said to be those of a cold start") {
  UiDriver ui;
  REQUIRE(ui.run("sample mnist-mlp").empty());
  for (const int steps : {1, 3}) {
    REQUIRE(ui.run("steps " + std::to_string(steps)).empty());
    REQUIRE(ui.run("run").empty());
    REQUIRE(ui.settle());
    REQUIRE(ui.run("panel ops").empty());
    ui.frame(2);
    CHECK(ui.on_screen("ops/cold") == (steps == 1));
    CHECK(ui.on_screen("graph/cold") == (steps == 1));
  }
  check_clean(ui);
}

TEST_CASE("one step has one number wherever it stands") {
  UiDriver ui;
  run(ui, "mnist-mlp");
  REQUIRE(ui.run("break backward").empty());
  REQUIRE(ui.run("run").empty());
  REQUIRE(ui.settle());
  REQUIRE(ui.bench->status.mode == RunMode::paused);
  CHECK(ui.bench->map.find("words/step")->label == "step 1 / 3");
  CHECK(ui.bench->map.find("words/graph")->label.find("step 1") != std::string::npos);
  REQUIRE(ui.run("panel timeline").empty());
  ui.frame(2);
  CHECK(ui.bench->map.find("timeline/step/0/0")->label.starts_with("step 1 "));
  check_clean(ui);
}

TEST_CASE("an input that is not differentiated is no alarm, a missing cotangent is") {
  UiDriver ui;
  REQUIRE(ui.run("sample mnist-mlp").empty());
  REQUIRE(ui.run("steps 2").empty());
  REQUIRE(ui.run("break op MatMul").empty());
  REQUIRE(ui.run("run").empty());
  REQUIRE(ui.settle());
  REQUIRE(ui.run("step-last").empty());
  REQUIRE(ui.settle());
  // The first product takes images: on the way back nothing is computed for them.
  bool seen = false;
  for (int back = 0; back < 24 && !seen; ++back) {
    const std::string text = ui.bench->panel("inspector")->text(ui.bench->context());
    seen = text.find("cotangent out") != std::string::npos && text.find("None") != std::string::npos;
    CHECK(text.find("no cotangent arrived here") == std::string::npos);
    REQUIRE(ui.run("step-back").empty());
    REQUIRE(ui.settle());
  }
  CHECK(seen);
  check_clean(ui);
}

TEST_CASE("the line of an op is a way to its file") {
  UiDriver ui;
  run(ui, "mnist-mlp");
  REQUIRE(ui.run("select op 0").empty());
  ui.frame(2);
  REQUIRE(ui.on_screen("inspector/location"));
  CHECK(ui.bench->map.find("inspector/location")->label.starts_with("mnist_mlp.cpp:"));
  ui.click("inspector/location");
  CHECK(ui.bench->state.bottom_tab == "source");
  check_clean(ui);
}

TEST_CASE("colours of a tensor have a scale with its ends") {
  UiDriver ui;
  REQUIRE(ui.run("sample linear-regression").empty());
  REQUIRE(ui.run("steps 2").empty());
  REQUIRE(ui.run("break backward").empty());
  REQUIRE(ui.run("run").empty());
  REQUIRE(ui.settle());
  REQUIRE(ui.run("step-last").empty());
  REQUIRE(ui.settle());
  std::vector<UiItem> maps;
  for (int back = 0; back < 12 && maps.empty(); ++back) {
    for (const UiItem& item : ui.bench->map.items()) {
      if (item.id.starts_with("inspector/") && item.id.ends_with("/scale")) maps.push_back(item);
    }
    REQUIRE(ui.run("step-back").empty());
    REQUIRE(ui.settle());
  }
  REQUIRE_FALSE(maps.empty());
  for (const UiItem& scale : maps) CHECK(scale.label.starts_with("-"));
  check_clean(ui);
}
