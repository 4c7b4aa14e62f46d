// What the user looks at: undo, history, and settings that survive a restart.
#include "viewer/ui/state.h"

#include <nlohmann/json.hpp>

#include "tests/support/catch.h"
#include "viewer/window/settings.h"

using namespace tapescope::ui;

namespace {
Selection op(std::uint64_t index) { return {Selection::Kind::op, index, {}, 0}; }
}  // namespace

TEST_CASE("undo takes back selection, filter and folds, one change at a time") {
  AppState state;
  state.select(op(3));
  state.set_fold(7, true);
  state.set_filter("MatMul");
  CHECK(state.undo());
  CHECK(state.filter().empty());
  CHECK(state.undo());
  CHECK(state.view().folds.empty());
  CHECK(state.undo());
  CHECK(state.selection().kind == Selection::Kind::none);
  CHECK_FALSE(state.undo());
}

TEST_CASE("a filter typed letter by letter is one change") {
  AppState state;
  for (const char* text : {"M", "Ma", "Mat", "MatM"}) state.set_filter(text);
  CHECK(state.undo());
  CHECK(state.filter().empty());
  CHECK_FALSE(state.can_undo());
}

TEST_CASE("back and forward walk through what was selected") {
  AppState state;
  CHECK_FALSE(state.go_back());
  for (const std::uint64_t i : {1, 2, 3}) state.select(op(i));
  CHECK(state.go_back());
  CHECK(state.go_back());
  CHECK(state.selection().index == 1);
  CHECK_FALSE(state.go_back());
  CHECK(state.go_forward());
  CHECK(state.selection().index == 2);
  state.select(op(9));  // forgets what lay ahead
  CHECK_FALSE(state.go_forward());
  CHECK(state.go_back());
  CHECK(state.selection().index == 2);
}

TEST_CASE("undo remembers a bounded number of changes") {
  AppState state;
  for (std::uint64_t i = 0; i < 5000; ++i) state.select(op(i));
  int undone = 0;
  while (state.undo()) ++undone;
  CHECK(undone >= 100);
  CHECK(undone < 1000);
}

TEST_CASE("another program begins with a clean slate") {
  AppState state;
  state.select(op(1));
  state.set_filter("x");
  state.forget_program();
  CHECK(state.view() == View{});
  CHECK_FALSE(state.can_undo());
  CHECK_FALSE(state.can_go_back());
}

TEST_CASE("settings survive being written and read") {
  Settings settings;
  settings.theme = ThemeName::contrast;
  settings.scale = 1.25f;
  settings.left = 300;
  settings.keys = {{"run", "F2"}};
  settings.recent = {"a.tape"};
  settings.thresholds.dead_share = 0.5;
  settings.breakpoints["derivative"] = {
      {.kind = tapescope::Breakpoint::Kind::norm_above, .limit = 1000, .source = "w#2"},
      {.kind = tapescope::Breakpoint::Kind::op, .text = "Log", .from_hit = 3, .enabled = false}};
  CHECK(parse_settings(settings_json(settings)) == settings);
}

TEST_CASE("each part of the settings may be missing or of another kind, and the others are as they were") {
  Settings settings;
  settings.theme = ThemeName::light;
  settings.scale = 2;
  settings.reduce_motion = true;
  settings.width = 900, settings.height = 700;
  settings.left = 201, settings.right = 202, settings.bottom = 203, settings.column = 204;
  settings.second_share = 0.25f;
  settings.beside_graph = "off";
  settings.keys = {{"run", "F2"}};
  settings.recent = {"a.tape", "b.tape"};
  settings.notes["a.tape"] = {.steps = 3, .framework = "torch", .ending = "abort", .changed = 7};
  settings.thresholds.dead_share = 0.5;
  settings.breakpoints["derivative"] = {{.kind = tapescope::Breakpoint::Kind::op, .text = "Log"}};
  using nlohmann::json;
  const json whole = json::parse(settings_json(settings)), plain = json::parse(settings_json(Settings{}));
  CHECK(whole.size() == 17);
  REQUIRE(parse_settings(whole.dump()) == settings);
  for (const auto& [part, value] : whole.items()) {
    json expected = whole;
    expected.erase(part);
    if (plain.contains(part)) expected[part] = plain[part];
    // Notes are those of recent recordings.
    if (part == "recent") expected.erase("recordings");
    json without = whole;
    without.erase(part);
    INFO(part);
    CHECK(json::parse(settings_json(parse_settings(without.dump()))) == expected);
    for (const json& other : {json(), json(true), json(7), json("x"), json::array({1}), json{{"a", 1}}}) {
      if (other.type() == value.type() || (other.is_number() && value.is_number())) continue;
      INFO(other.dump());
      without[part] = other;
      CHECK(json::parse(settings_json(parse_settings(without.dump()))) == expected);
    }
  }
}

TEST_CASE("settings that make no sense are the defaults") {
  for (const char* text :
       {"", "{", "[]", "null", "{\"scale\": \"big\", \"theme\": 7, \"keys\": 3, \"width\": null}",
        "{\"thresholds\": {\"dead-share\": \"x\"}, \"breakpoints\": {\"derivative\": [7, {\"when\": 3}]}}"}) {
    INFO(text);
    CHECK(parse_settings(text) == Settings{});
  }
  CHECK(parse_settings("{\"scale\": 99}").scale == kMostScale);
  CHECK(parse_settings("{\"width\": 1}").width == 320);
  CHECK(parse_settings("{\"thresholds\": {\"dead-share\": 7}}").thresholds.dead_share == 1);
  CHECK(load_settings("/nowhere/at/all.json") == Settings{});
  CHECK_FALSE(save_settings("/proc/nowhere/settings.json", Settings{}));
  CHECK_FALSE(save_settings("", Settings{}));
}
