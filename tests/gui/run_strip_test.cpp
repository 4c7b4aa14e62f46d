// The strip of the whole run: a click goes to a step, dragging chooses some, the panels follow.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/gui/driver.h"
#include "tests/support/catch.h"

using namespace tapescope;
using namespace tapescope::ui;

namespace {

void run(UiDriver& ui, int steps) {
  REQUIRE(ui.run("sample linear-regression").empty());
  REQUIRE(ui.run("steps " + std::to_string(steps)).empty());
  REQUIRE(ui.run("run").empty());
  REQUIRE(ui.settle());
  ui.frame(2);
}

}  // namespace

TEST_CASE("the strip stands above all panels once steps have ended, where there is room") {
  UiDriver ui;
  ui.frame(2);
  CHECK_FALSE(ui.on_screen("strip/run"));
  run(ui, 40);
  REQUIRE(ui.on_screen("strip/run"));
  const UiItem strip = *ui.bench->map.find("strip/run");
  CHECK(strip.label == "40 steps");
  for (const UiItem& item : ui.bench->map.items()) {
    if (item.id.starts_with("header/") || item.id.starts_with("tab/")) CHECK(item.y >= strip.y + strip.h);
  }
  ui.window.size = {640, 400};
  ui.frame(3);
  CHECK_FALSE(ui.on_screen("strip/run"));
  check_clean(ui);
}

TEST_CASE("a click in the chart of the loss goes to the step") {
  UiDriver ui;
  run(ui, 40);
  REQUIRE(ui.run("panel loss").empty());
  ui.frame(2);
  ui.click("loss/chart");  // in the middle
  ui.frame(3);
  const StepRange chosen = ui.bench->state.chosen_steps;
  REQUIRE_FALSE(chosen.empty());
  CHECK(chosen.first == chosen.last);
  CHECK(chosen.first >= 17);
  CHECK(chosen.first <= 23);
  CHECK(ui.bench->state.health_step == chosen.first);
}

TEST_CASE("a click in the strip goes to the step, and the timeline shows it") {
  UiDriver ui;
  run(ui, 40);
  REQUIRE(ui.run("panel timeline").empty());
  ui.click("strip/run");  // in the middle
  ui.frame(3);
  const StepRange chosen = ui.bench->state.chosen_steps;
  REQUIRE_FALSE(chosen.empty());
  CHECK(chosen.first == chosen.last);
  CHECK(chosen.first >= 18);
  CHECK(chosen.first <= 22);
  CHECK(ui.bench->state.health_step == chosen.first);
  // What is named counts from 1, as the toolbar does.
  CHECK(ui.bench->a->step_shown(0) == 1);
  REQUIRE(ui.run("choose-steps 3 9").empty());
  ui.frame(2);
  CHECK(ui.bench->state.chosen_steps.first == 2);
  CHECK(ui.bench->state.chosen_steps.last == 8);
  REQUIRE(ui.run("choose-steps none").empty());
  CHECK(ui.bench->state.chosen_steps.empty());
  CHECK_FALSE(ui.run("go-step 41").empty());
  CHECK_FALSE(ui.run("go-step x").empty());
  check_clean(ui);
}

TEST_CASE("a step that is still to come is gone to where the program is paused") {
  UiDriver ui;
  REQUIRE(ui.run("sample linear-regression").empty());
  REQUIRE(ui.run("steps 30").empty());
  REQUIRE(ui.run("step-forward").empty());
  REQUIRE(ui.settle());
  REQUIRE(ui.run("step-training 4").empty());
  REQUIRE(ui.settle());
  CHECK(ui.bench->status.frame->step == 4);
  // Steps that were run can be looked at, and the program stays where it is.
  REQUIRE(ui.run("go-step 3").empty());
  REQUIRE(ui.settle());
  CHECK(ui.bench->a->shown()->step == 2);
  CHECK(ui.bench->status.frame == nullptr);
  CHECK(ui.bench->map.find("words/step")->label == "step 3 / 30");
  CHECK(ui.bench->state.chosen_steps.first == 2);
  REQUIRE(ui.run("last-step").empty());
  ui.frame(2);
  REQUIRE(ui.bench->status.frame != nullptr);
  CHECK(ui.bench->status.frame->step == 4);
  // Whatever moves the program leaves the past.
  REQUIRE(ui.run("go-step 2").empty());
  REQUIRE(ui.settle());
  REQUIRE(ui.run("step-forward").empty());
  REQUIRE(ui.settle());
  CHECK(ui.bench->status.frame->step == 4);
  CHECK_FALSE(ui.bench->looked_at());
  // A run that was stopped has no past.
  REQUIRE(ui.run("go-step 2").empty());
  REQUIRE(ui.settle());
  CHECK(ui.bench->looked_at() == 1);
  REQUIRE(ui.run("stop").empty());
  REQUIRE(ui.settle());
  CHECK_FALSE(ui.bench->looked_at());
  check_clean(ui);
}

TEST_CASE("each step of a run is shown in all panels, by keys as well, and by an export") {
  UiDriver ui;
  run(ui, 40);
  const std::shared_ptr<const StepView> last = ui.bench->a->shown();
  REQUIRE(last->step == 39);
  REQUIRE(ui.run("go-step 7").empty());
  REQUIRE(ui.settle());
  ui.frame(2);
  const Snapshot& then = *ui.bench->a;
  CHECK(then.shown()->step == 6);
  CHECK(then.steps.size() == 40);
  CHECK(then.shown()->ops.size() == last->ops.size());
  CHECK(then.shown()->ops[0].output != last->ops[0].output);
  CHECK(ui.bench->map.find("words/step")->label == "step 7 / 40");
  CHECK(ui.bench->map.find("words/status")->label ==
        "Step 7, which is over · Ctrl+End goes back to the last one");
  REQUIRE_FALSE(then.gradients.empty());
  CHECK(then.gradients[0].health.back().step == 6);
  REQUIRE(ui.run("select op 0").empty());
  ui.frame(2);
  REQUIRE(ui.on_screen("inspector/slowest"));  // of the steps up to this one
  const std::string slowest = ui.bench->map.find("inspector/slowest")->label;
  const auto kind = std::ranges::find(then.op_kinds, then.shown()->ops[0].op, &OpKindRow::op);
  REQUIRE(kind != then.op_kinds.end());
  const Recent& times = kind->forward_series;
  const auto longest = std::ranges::max_element(times) - times.begin();
  CHECK(std::stoi(slowest.substr(std::string("slowest: step ").size())) ==
        7 - static_cast<int>(times.size()) + 1 + static_cast<int>(longest));
  ui.key("Ctrl+Left");
  REQUIRE(ui.settle());
  CHECK(ui.bench->a->shown()->step == 5);
  ui.key("Ctrl+Right");
  ui.key("Ctrl+Right");
  REQUIRE(ui.settle());
  CHECK(ui.bench->a->shown()->step == 7);
  ui.key("Ctrl+End");
  ui.frame(2);
  CHECK(ui.bench->a->shown() == last);
  CHECK(ui.run("next-step") == "this is the last step");
  REQUIRE(ui.run("go-step 1").empty());
  REQUIRE(ui.settle());
  CHECK(ui.run("previous-step") == "this is the first step");
  check_clean(ui);
}

TEST_CASE("every format is exported from the window, and a trace has all steps") {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "tapescope-window-export";
  std::filesystem::create_directory(folder);
  UiDriver ui;
  CHECK_FALSE(ui.run("export perfetto " + (folder / "none").string()).empty());
  run(ui, 40);
  for (const char* format : {"csv", "dot", "markdown", "npy", "perfetto", "sqlite", "svg"}) {
    INFO(format);
    const std::filesystem::path file = folder / format;
    CHECK(ui.run(std::string("export ") + format + " " + file.string()).empty());
    CHECK(std::filesystem::file_size(file) > 100);
  }
  std::ostringstream trace;
  trace << std::ifstream(folder / "perfetto").rdbuf();
  const nlohmann::json events = nlohmann::json::parse(trace.str())["traceEvents"];
  CHECK(std::ranges::count_if(events, [](const auto& event) { return event.value("cat", "") == "step"; }) ==
        40);
  CHECK(ui.run("export tiff " + (folder / "x").string()).find("perfetto") != std::string::npos);
  std::filesystem::remove_all(folder);
  check_clean(ui);
}
