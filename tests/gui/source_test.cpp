// The source panel on a program of this folder, and the editor's command line.
#include "viewer/panels/source.h"

#include "tests/gui/driver.h"
#include "tests/support/catch.h"
#include "viewer/window/editor.h"
#include "viewer/window/state_json.h"

using namespace tapescope;
using namespace tapescope::ui;

TEST_CASE("the source panel shows the line of the selection, and a click there selects its ops", "[source]") {
  UiDriver ui;
  REQUIRE(ui.run("sample variable-tracking").empty());
  REQUIRE(ui.run("steps 3").empty());
  ui.frame(3);
  REQUIRE(ui.run("run").empty());
  REQUIRE(ui.settle());
  REQUIRE(ui.run("panel source").empty());
  REQUIRE(ui.run("select op 0").empty());
  ui.frame(3);
  const auto view = ui.bench->a->shown();
  const SourcePlace place = source_place(view->ops[0].location);
  const std::string line = std::to_string(place.line);
  REQUIRE(ui.bench->map.find("source/line/" + line) != nullptr);
  const PanelContext c = ui.bench->context();
  CHECK(ui.bench->panel("source")->text(c).find("GradientTape") != std::string::npos);

  // To another line's op and back.
  std::uint32_t other = 0;
  for (std::uint32_t op = 0; op < view->ops.size(); ++op)
    if (view->ops[op].location != view->ops[0].location) other = op;
  REQUIRE(other != 0);
  REQUIRE(ui.run("select op " + std::to_string(other)).empty());
  ui.frame(3);
  const std::string there = std::to_string(source_place(view->ops[other].location).line);
  ui.click("source/line/" + there);
  ui.frame(2);
  CHECK(view->ops[ui.bench->state.selection().index].location == view->ops[other].location);

  // A line that no op has, by command and by a click.
  const std::string file = std::string(source_place(view->ops[0].location).file);
  const auto shown = [&] { return state_of(ui).at("source"); };
  CHECK(shown().at("line") == std::stoi(there));
  REQUIRE(ui.run("source some/folder/" + file + ":1").empty());
  ui.frame(3);
  CHECK(shown() == nlohmann::json{{"file", file}, {"line", 1}});
  CHECK(selection_text(ui.bench->state.selection()) == "line " + file + ":1");
  ui.click("source/line/2");
  ui.frame(2);
  CHECK(shown().at("line") == 2);
  CHECK(ui.run("source " + file) == "`" + file + "` is no place; expected FILE:LINE, such as train.py:41");
  REQUIRE(ui.run("select op " + std::to_string(other)).empty());
  ui.frame(3);

  // The gutter sets a breakpoint and takes it back.
  ui.click("source/gutter/" + there);
  ui.frame(2);
  const auto breakpoints = ui.bench->debuggee.breakpoints();
  REQUIRE(breakpoints.size() == 1);
  CHECK(breakpoints[0].kind == Breakpoint::Kind::line);
  CHECK(breakpoints[0].text == view->ops[other].location);
  ui.click("source/gutter/" + there);
  ui.frame(2);
  CHECK(ui.bench->debuggee.breakpoints().empty());
}

TEST_CASE("a program that begins again has its source again", "[source]") {
  UiDriver ui;
  for (int round = 0; round < 2; ++round) {
    REQUIRE(ui.run("sample variable-tracking").empty());
    REQUIRE(ui.run("panel source").empty());
    ui.frame(3);
    REQUIRE(ui.run("step-forward").empty());
    REQUIRE(ui.settle());
    ui.frame(3);
    const SourcePlace place = source_place(ui.bench->a->shown()->ops[0].location);
    INFO(round);
    CHECK(ui.on_screen("source/line/" + std::to_string(place.line)));
  }
}

TEST_CASE("editors are given a line in their way", "[source]") {
  const auto none = [](const std::string&) { return false; };
  const auto words = [&](const char* editor) { return editor_command(editor, "/a b/x.cpp", 41, none); };
  using Words = std::vector<std::string>;
  CHECK(words("code --wait") == Words{"code", "--wait", "-g", "/a b/x.cpp:41"});
  CHECK(words("/usr/bin/subl") == Words{"/usr/bin/subl", "/a b/x.cpp:41"});
  CHECK(words("emacsclient") == Words{"emacsclient", "+41", "/a b/x.cpp"});
  CHECK(words("vim") == Words{"x-terminal-emulator", "-e", "vim", "+41", "/a b/x.cpp"});
  CHECK(words("").empty());
  CHECK(editor_command("", "x", 1, [](const std::string& name) { return name == "kate"; })[0] == "kate");
}
