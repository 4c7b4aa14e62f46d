// What the window watches for: breakpoints in their panel, thresholds of alerts, health over steps, advice.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "tests/gui/driver.h"
#include "tests/support/catch.h"
#include "viewer/panels/gradients.h"
#include "viewer/window/state_json.h"

using namespace tapescope;
using namespace tapescope::ui;

namespace {

void choose(UiDriver& ui, const char* sample, const char* variant, const char* steps) {
  REQUIRE(ui.run(std::string("sample ") + sample).empty());
  if (*variant != 0) REQUIRE(ui.run(std::string("variant ") + variant).empty());
  REQUIRE(ui.run(std::string("steps ") + steps).empty());
  ui.frame(3);
}

void run(UiDriver& ui) {
  REQUIRE(ui.run("run").empty());
  REQUIRE(ui.settle());
}

bool has_alert(const UiDriver& ui, const char* kind) {
  const auto& alerts = ui.bench->a->alerts;
  return std::any_of(alerts.begin(), alerts.end(), [&](const AlertRow& row) { return row.kind == kind; });
}

}  // namespace

TEST_CASE("breakpoints are switched, edited and deleted in their panel, and kept with the sample") {
  UiDriver ui;
  choose(ui, "linear-regression", "", "4");
  REQUIRE(ui.run("break backward").empty());
  REQUIRE(ui.run("break norm-above 1e9").empty());
  REQUIRE(ui.run("panel breakpoints").empty());
  ui.frame(2);
  ui.click("breakpoints/1/on");
  CHECK(state_of(ui)["breakpoints"][0]["enabled"] == false);
  run(ui);
  CHECK(ui.bench->status.mode == RunMode::finished);
  ui.click("breakpoints/1/on");
  ui.click("breakpoints/1/edit");
  ui.frame(2);
  ui.click("breakpoint-form/type");
  REQUIRE(ui.on_screen("palette/text"));
  CHECK(ui.bench->palette.text == "break-edit 1 backward");
  ui.type(" hit 2");
  ui.key("Enter");
  CHECK(state_of(ui)["breakpoints"][0]["when"] == "backward hit 2");
  run(ui);
  REQUIRE(ui.bench->status.mode == RunMode::paused);
  CHECK(ui.bench->status.frame->step == 1);
  CHECK(state_of(ui)["breakpoints"][0]["hits"] == 2);
  ui.click("breakpoints/2/delete");
  CHECK(state_of(ui)["breakpoints"].size() == 1);
  // Another sample has its own.
  choose(ui, "derivative", "", "1");
  CHECK(state_of(ui)["breakpoints"].empty());
  choose(ui, "linear-regression", "", "4");
  REQUIRE(state_of(ui)["breakpoints"].size() == 1);
  CHECK(state_of(ui)["breakpoints"][0]["when"] == "backward hit 2");
  REQUIRE(ui.bench->settings.breakpoints.size() == 1);
  CHECK(ui.run("break-off 7") == "there is no breakpoint 7; there are 1");
  check_clean(ui);
}

TEST_CASE("a threshold that is changed changes the alerts of the run that is shown") {
  UiDriver ui;
  choose(ui, "linear-regression", "", "30");
  run(ui);
  REQUIRE_FALSE(has_alert(ui, "vanishing"));
  ui.click("alerts/thresholds");
  REQUIRE(ui.on_screen("alerts/threshold/vanishing-ratio"));
  // The smaller of two norms is below the larger one.
  REQUIRE(ui.run("threshold vanishing-ratio 1").empty());
  REQUIRE(ui.run("threshold vanishing-steps 1").empty());
  REQUIRE(ui.settle());
  CHECK(has_alert(ui, "vanishing"));
  CHECK(state_of(ui)["thresholds"]["vanishing-ratio"] == 1);
  ui.click("alerts/threshold-defaults");
  REQUIRE(ui.settle());
  CHECK_FALSE(has_alert(ui, "vanishing"));
  CHECK(ui.bench->settings.thresholds == AlertThresholds{});
  CHECK_FALSE(ui.run("threshold dead-share 2").empty());
  CHECK_FALSE(ui.run("threshold dead-steps 2.5").empty());
  CHECK_FALSE(ui.run("threshold no-such 2").empty());
  check_clean(ui);
}

TEST_CASE("health over steps can be scrubbed") {
  UiDriver ui;
  choose(ui, "linear-regression", "", "12");
  run(ui);
  const auto cells = health_of(ui.bench->a->gradients, 0.95);
  REQUIRE(cells.size() == 12);
  CHECK(cells.front().step == 0);
  CHECK(cells.front().largest > cells.back().largest);
  ui.click("gradients/health");  // its middle
  REQUIRE(ui.bench->state.health_step);
  CHECK(*ui.bench->state.health_step == 6);
  REQUIRE(ui.run("gradients-at last").empty());
  CHECK_FALSE(ui.bench->state.health_step);
  CHECK_FALSE(ui.run("gradients-at 100").empty());
  check_clean(ui);
}

TEST_CASE("a cell of health shows the worst of its step") {
  GradientRow good, bad;
  good.source = "a", bad.source = "b";
  good.health = {{.step = 1, .norm = 2, .zero_share = 0},
                 {.step = 2, .norm = 3, .zero_share = 1},
                 {.step = 3, .norm = 1, .zero_share = 0}};
  bad.health = {{.step = 2, .norm = 1, .zero_share = 0, .nans = 1},
                {.step = 3, .norm = 1, .zero_share = 0.96f}};
  const auto cells = health_of({good, bad}, 0.95);
  REQUIRE(cells.size() == 3);
  CHECK(cells[0].state == HealthCell::State::good);
  CHECK(cells[0].source.empty());
  CHECK(cells[1].state == HealthCell::State::nonfinite);
  CHECK(cells[1].source == "b");
  CHECK(cells[1].largest == 3);
  CHECK(cells[2].state == HealthCell::State::zeros);
  CHECK(describe_health(bad.health[0]).look == GradientLook::nonfinite);
}

TEST_CASE("the number of pieces of advice stands in its tab without the tab being opened") {
  UiDriver ui;
  choose(ui, "variable-tracking", "unoptimized", "3");
  REQUIRE(ui.bench->state.bottom_tab != "advice");
  run(ui);
  REQUIRE(ui.settle());
  const Panel* advice = ui.bench->panel("advice");
  CHECK(advice->badge(ui.bench->context()) == std::to_string(state_of(ui)["advice"].size()));
  CHECK(advice->badge(ui.bench->context()) != "0");
  check_clean(ui);
}

TEST_CASE(
    "paused in a backward pass the inspector names who added to a gradient, and the element's parts come to "
    "its sum") {
  UiDriver ui;
  choose(ui, "gradient-clipping", "clipped", "2");
  REQUIRE(ui.run("break backward").empty());
  run(ui);
  REQUIRE(ui.run("step-last").empty());
  REQUIRE(ui.settle());
  REQUIRE(ui.run("select source kernel").empty());
  ui.frame(2);
  REQUIRE(ui.on_screen("inspector/pair/1"));
  ui.click("inspector/pair/1");
  const std::string text = ui.bench->panel("inspector")->text(ui.bench->context());
  std::size_t parts = 0;
  for (std::size_t at = text.find("added by\tMatMul"); at != text.npos;
       at = text.find("added by\tMatMul", at + 1))
    ++parts;
  CHECK(parts == 30);  // one a step of the sequences
  const auto tensors = ui.bench->panel("inspector")->tensors();
  REQUIRE(tensors.size() >= 2);
  CHECK(tensors[0].name == "kernel");
  double sum = 0;
  for (const FrameTensor& part : ui.bench->status.frame->frame.accumulated)
    sum += part.name == "kernel" ? element(part.value, 5) : 0;
  CHECK(element(tensors[1].value, 5) == Approx(sum).epsilon(1e-5));
  REQUIRE(ui.on_screen("inspector/part/0"));
  ui.click("inspector/part/0");
  CHECK(ui.bench->state.selection().kind == Selection::Kind::op);
  CHECK_FALSE(ui.run("save-tensor 99 x.npy").empty());
  CHECK_FALSE(ui.run("save-tensor 0 x.txt").empty());
  check_clean(ui);
}

TEST_CASE("the graph is exported as a drawing and for other programs") {
  UiDriver ui;
  choose(ui, "derivative", "", "1");
  const auto path = [](const char* name) {
    return (std::filesystem::temp_directory_path() / (std::to_string(getpid()) + name)).string();
  };
  CHECK_FALSE(ui.run("export svg " + path(".svg")).empty());  // nothing has run
  run(ui);
  for (const auto& [format, begins] : {std::pair{"svg", "<svg"}, {"dot", "digraph"}}) {
    const std::string file = path((std::string(".") + format).c_str());
    INFO(file);
    CHECK(ui.run(std::string("export ") + format + " " + file).empty());
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    CHECK(text.str().find(begins) != std::string::npos);
    std::filesystem::remove(file);
  }
  CHECK_FALSE(ui.run("export svg /nonexistent/a.svg").empty());
  CHECK_FALSE(ui.run("export pdf a.pdf").empty());
  check_clean(ui);
}
