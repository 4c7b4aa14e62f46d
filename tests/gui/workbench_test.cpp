// The workbench without a window: what a person does and sees, in terms of stable ids.
#include <filesystem>
#include <fstream>

#include "tests/gui/driver.h"
#include "tests/support/catch.h"
#include "viewer/window/state_json.h"

#include <nlohmann/json.hpp>

using namespace tapescope;
using namespace tapescope::ui;

namespace {

constexpr const char* kSample = "variable-tracking";

// A workbench with a sample chosen, as the window starts.
void choose(UiDriver& ui, const char* sample = kSample) {
  REQUIRE(ui.run(std::string("sample ") + sample).empty());
  REQUIRE(ui.run("steps 3").empty());
  ui.frame(3);
}

}  // namespace

TEST_CASE("the first screen has a sample chosen, and Enter runs it") {
  UiDriver ui;
  choose(ui);
  CHECK(ui.on_screen(std::string("start/sample/") + kSample));
  CHECK(ui.on_screen("toolbar/run"));
  ui.key("Enter");
  CHECK(ui.bench->status.mode == RunMode::finished);
  CHECK_FALSE(ui.bench->welcome);
  check_clean(ui);
}

TEST_CASE("the first screen begins with the user's own program") {
  const std::string here = std::filesystem::temp_directory_path() / "tapescope-first-screen.tape";
  std::ofstream(here) << "not read before it is clicked";
  Settings settings;
  settings.recent = {here, "/nowhere/gone.tape"};
  LaunchLine train;
  REQUIRE(parse_launch("--folder /tmp --python /opt/env/bin/python3 train.py --epochs 3", train).empty());
  settings.launched = {train};
  UiDriver ui(settings);
  ui.frame(3);
  for (const char* id :
       {"start/launch/program", "start/launch/arguments", "start/launch/folder", "start/launch/python",
        "start/launch/stop", "start/launch/record", "start/launch", "start/launch/browse",
        "start/attach/host", "start/attach/list", "start/open", "start/launched/0", "start/open/0"}) {
    INFO(id);
    CHECK(ui.on_screen(id));
  }
  CHECK_FALSE(ui.on_screen("start/open/1"));
  CHECK_FALSE(ui.bench->map.find("start/launch")->enabled);
  ui.click("start/launched/0");
  CHECK(ui.bench->map.find("start/launch/program")->label == "train.py");
  CHECK(ui.bench->map.find("start/launch/arguments")->label == "--epochs 3");
  CHECK(ui.bench->map.find("start/launch/folder")->label == "/tmp");
  CHECK(ui.bench->map.find("start/launch/python")->label == "/opt/env/bin/python3");
  CHECK(ui.bench->map.find("start/launch")->enabled);
  // What is no recording says so and leaves the screen as it was.
  ui.click("start/open/0");
  ui.frame(2);
  CHECK(ui.bench->welcome);
  CHECK(ui.bench->notice.find("tapescope-first-screen.tape") != std::string::npos);
  std::filesystem::remove(here);
}

TEST_CASE("a recording that was opened and a program that was started are offered the next time") {
  UiDriver ui;
  std::vector<std::string> list = {"b", "a"};
  remember(list, "a");
  CHECK(list == std::vector<std::string>{"a", "b"});
  Settings settings;
  settings.recent = {"/tmp/x.tape"};
  LaunchLine fit;
  REQUIRE(parse_launch("--folder '/tmp/my runs' --run ./fit --lr 0.1", fit).empty());
  fit.when = 1.6e9;
  settings.launched = {fit};
  settings.notes["/tmp/x.tape"] = {
      .steps = 470, .framework = "TensorFlow 2.21", .ending = "", .changed = 1.5e9};
  const Settings back = parse_settings(settings_json(settings));
  CHECK(back.recent == settings.recent);
  CHECK(back.launched == settings.launched);
  CHECK(back.notes == settings.notes);
  // What an earlier version kept.
  CHECK(parse_settings(R"({"launched": ["./fit 3"]})").launched.at(0).arguments == "3");
}

TEST_CASE("the card that the arrows choose is in sight in a small window") {
  UiDriver ui;
  ui.window.size = {640, 400};
  choose(ui, "nan-hunt");
  for (int i = 0; i < 12; ++i) {
    ui.key("Up");
    ui.frame(2);
    INFO(ui.bench->welcome_choice);
    CHECK(ui.on_screen("start/sample/" + ui.bench->welcome_choice));
  }
  CHECK(ui.bench->welcome_choice != "nan-hunt");
  check_clean(ui);
}

TEST_CASE("every button of the toolbar is a command with a tooltip") {
  UiDriver ui;
  choose(ui);
  int buttons = 0;
  for (const UiItem& item : ui.bench->map.items()) {
    if (!item.id.starts_with("toolbar/")) continue;
    ++buttons;
    INFO(item.id);
    CHECK(ui.bench->map.tooltip_of(item.id));
    const std::string command = item.id.substr(8);
    if (command != "slider") CHECK(ui.bench->table.find(command) != nullptr);
  }
  CHECK(buttons >= 10);
}

TEST_CASE("every item that can be clicked has a tooltip or says what it is") {
  UiDriver ui;
  choose(ui);
  REQUIRE(ui.run("run").empty());
  REQUIRE(ui.settle());
  for (const UiItem& item : ui.bench->map.items()) {
    INFO(item.id);
    CHECK((ui.bench->map.tooltip_of(item.id) || !item.label.empty()));
  }
  check_clean(ui);
}

TEST_CASE("stepping back restores the exact state") {
  UiDriver ui;
  choose(ui);
  REQUIRE(ui.run("break backward").empty());
  REQUIRE(ui.run("run").empty());
  REQUIRE(ui.settle());
  REQUIRE(ui.bench->status.mode == RunMode::paused);
  const auto before = state_of(ui);
  for (int i = 0; i < 3; ++i) ui.key("F10");
  const auto there = state_of(ui);
  CHECK(there["cursor"] == before["cursor"].get<int>() + 3);
  CHECK(there["frame_hash"] != before["frame_hash"]);
  for (int i = 0; i < 3; ++i) ui.key("Shift+F10");
  const auto after = state_of(ui);
  CHECK(after["cursor"] == before["cursor"]);
  CHECK(after["frame_hash"] == before["frame_hash"]);
  check_clean(ui);
}

TEST_CASE("stepping does not throw away a run that is over") {
  UiDriver ui;
  choose(ui);
  REQUIRE(ui.run("run").empty());
  REQUIRE(ui.settle());
  REQUIRE(ui.bench->status.mode == RunMode::finished);
  const auto steps = ui.bench->a->steps.size();
  for (const char* command : {"step-forward", "step-into", "step-training"})
    CHECK(ui.run(command).find("the run is over") != std::string::npos);
  CHECK(ui.bench->status.mode == RunMode::finished);
  CHECK(ui.bench->a->steps.size() == steps);
}

TEST_CASE("the toolbar's buttons move the cursor") {
  UiDriver ui;
  choose(ui);
  REQUIRE(ui.run("break backward").empty());
  ui.click("toolbar/run");
  REQUIRE(ui.bench->status.mode == RunMode::paused);
  const auto at = ui.bench->state.cursor.position;
  ui.click("toolbar/step-forward");
  CHECK(ui.bench->state.cursor.position == at + 1);
  ui.click("toolbar/step-back");
  CHECK(ui.bench->state.cursor.position == at);
  ui.click("toolbar/step-last");
  CHECK(ui.bench->state.cursor.position == ui.bench->state.cursor.count);
  ui.click("toolbar/step-first");
  CHECK(ui.bench->state.cursor.position == 1);
  ui.click("toolbar/stop");
  CHECK(ui.bench->status.mode == RunMode::idle);
  check_clean(ui);
}

TEST_CASE("the sample and the variant are chosen from their boxes") {
  UiDriver ui;
  choose(ui);
  ui.click("toolbar/variant");
  ui.click("toolbar/variant/optimized");
  CHECK(ui.bench->choice.options.variant == "optimized");
  ui.click("toolbar/sample");
  ui.click("toolbar/sample/stop-gradient");
  CHECK(ui.bench->choice.sample == "stop-gradient");
  check_clean(ui);
}

TEST_CASE("tabs open their panels") {
  UiDriver ui;
  choose(ui);
  REQUIRE(ui.run("run").empty());
  REQUIRE(ui.settle());
  for (const auto& panel : ui.bench->panels) {
    if (panel->place() != Place::bottom) continue;
    const std::string id(panel->id());
    INFO(id);
    ui.click("tab/" + id);
    CHECK(ui.bench->state.panel == id);
    CHECK(ui.bench->state.bottom_tab == id);
  }
  check_clean(ui);
}

TEST_CASE("the palette opens, narrows down, and carries out") {
  UiDriver ui;
  choose(ui);
  ui.key("Ctrl+Shift+P");
  REQUIRE(ui.bench->palette.open);
  ui.frame(2);
  ui.type("theme light");
  CHECK(ui.on_screen("palette/line"));
  ui.key("Enter");
  CHECK_FALSE(ui.bench->palette.open);
  CHECK(ui.bench->state.theme == ThemeName::light);
  ui.key("F1");
  ui.frame(2);
  ui.type("hicontr");
  ui.key("Enter");
  CHECK(ui.bench->state.theme == ThemeName::contrast);
  check_clean(ui);
}

TEST_CASE("single letters do nothing while a text field has the focus") {
  UiDriver ui;
  choose(ui);
  ui.key("F1");
  ui.frame(2);
  const float x = ui.bench->state.camera.x;
  ui.key("D");
  CHECK(ui.bench->state.camera.x == x);
  ui.key("Esc");
  CHECK_FALSE(ui.bench->palette.open);
}

TEST_CASE("Esc closes one level at a time") {
  UiDriver ui;
  choose(ui);
  REQUIRE(ui.run("run").empty());
  REQUIRE(ui.settle());
  REQUIRE(ui.run("filter Mul").empty());
  REQUIRE(ui.run("select op 0").empty());
  REQUIRE(ui.run("maximize ops").empty());
  ui.key("?");
  CHECK(ui.bench->key_help);
  ui.key("Esc");
  CHECK_FALSE(ui.bench->key_help);
  CHECK_FALSE(ui.bench->state.maximized.empty());
  ui.key("Esc");
  CHECK(ui.bench->state.maximized.empty());
  ui.key("Esc");
  CHECK(ui.bench->state.selection().kind == Selection::Kind::none);
  CHECK(ui.bench->state.filter() == "Mul");
  ui.key("Esc");
  CHECK(ui.bench->state.filter().empty());
  check_clean(ui);
}

TEST_CASE("comparing runs two variants and says whether they compute the same") {
  UiDriver ui;
  choose(ui);
  REQUIRE(ui.run("compare unoptimized,optimized").empty());
  REQUIRE(ui.run("steps 4").empty());
  REQUIRE(ui.run("run").empty());
  REQUIRE(ui.settle());
  CHECK(ui.bench->comparing());
  const auto state = state_of(ui);
  CHECK(state["mode"] == "finished");
  CHECK(state["compare"]["same_loss"] == true);
  for (const auto& panel : ui.bench->panels) REQUIRE(ui.run("panel " + std::string(panel->id())).empty());
  check_clean(ui);
}

TEST_CASE("every command can be given with nothing loaded, and says why it cannot be carried out") {
  UiDriver ui;
  ui.frame(2);
  for (const Command* command : ui.bench->table.all()) {
    if (command->id == "quit" || command->id == "size") continue;
    INFO(command->id);
    const bool available = ui.bench->unavailable(*command).empty();
    const std::string wrong = ui.run(std::string(command->id));
    if (!available) CHECK_FALSE(wrong.empty());
    REQUIRE(ui.run(std::string(command->id) + " gibberish").size() < 400);
  }
  check_clean(ui);
}

TEST_CASE("a wrong command says what would be right") {
  UiDriver ui;
  choose(ui);
  CHECK(ui.run("rum") == "there is no command `rum`");
  CHECK(ui.run("select") == "`select` needs WHAT after it");
  CHECK(ui.run("run fast") == "`run` takes nothing after it, got `fast`");
  CHECK(ui.run("theme mauve") == "there is no theme `mauve`; there are dark, light and contrast");
  CHECK_FALSE(ui.run("sample nonsense").empty());
  CHECK(ui.bench->choice.sample == kSample);
  CHECK_FALSE(ui.run("variant nonsense").empty());
  CHECK_FALSE(ui.run("set nonsense 1").empty());
  CHECK_FALSE(ui.run("break sometimes").empty());
  CHECK(ui.run("step-back") == "the program is not paused; run it, then pause");
}

TEST_CASE("every size, scale and theme draws without a defect") {
  UiDriver ui;
  choose(ui);
  REQUIRE(ui.run("run").empty());
  REQUIRE(ui.settle());
  for (const char* scale : {"0.75", "1", "2", "3"}) {
    REQUIRE(ui.run(std::string("scale ") + scale).empty());
    for (const char* size : {"1600x1000", "800x500", "640x400", "320x200"}) {
      for (const char* theme : {"dark", "light", "contrast"}) {
        INFO(scale << " " << size << " " << theme);
        REQUIRE(ui.run(std::string("size ") + size).empty());
        REQUIRE(ui.run(std::string("theme ") + theme).empty());
        for (const char* command : {"welcome", "palette", "keys"}) {
          REQUIRE(ui.run(command).empty());
          ui.frame(2);
          ui.bench->welcome = ui.bench->palette.open = ui.bench->key_help = false;
        }
        for (const UiItem& item : ui.bench->map.items()) {
          if (!item.id.starts_with("toolbar/")) continue;
          INFO(item.id);
          CHECK(item.x + item.w <= ui.window.size.x + 0.5f);
        }
      }
    }
  }
  check_clean(ui);
}

TEST_CASE("the UI map and the state are the JSON that scripts rely on") {
  UiDriver ui;
  choose(ui);
  REQUIRE(ui.run("run").empty());
  REQUIRE(ui.settle());
  const auto map = nlohmann::json::parse(ui_map_json(*ui.bench));
  for (const char* field :
       {"mode", "sample", "variant", "step", "cursor", "cursor_count", "selection", "panel"}) {
    INFO(field);
    CHECK(map["state"].contains(field));
  }
  REQUIRE(map["items"].size() > 10);
  for (const char* field : {"id", "label", "x", "y", "w", "h", "enabled"})
    CHECK(map["items"][0].contains(field));
  const auto state = state_of(ui);
  for (const char* field : {"mode", "sample", "variant", "step", "cursor", "cursor_count", "frame_hash",
                            "frame", "loss", "gradients", "functions", "alerts", "advice", "compare",
                            "selection", "filter", "panel", "dropped_events"}) {
    INFO(field);
    CHECK(state.contains(field));
  }
  CHECK(state["mode"] == "finished");
  CHECK(state["sample"] == kSample);
  CHECK(state["loss"].size() == 3);
}
