// Habits of other tools: keys for every panel, a menu under the right button.
#include "tests/gui/driver.h"
#include "tests/support/catch.h"

using namespace tapescope;
using namespace tapescope::ui;

TEST_CASE("keys reach every panel at the bottom") {
  UiDriver ui;
  REQUIRE(ui.run("sample linear-regression").empty());
  REQUIRE(ui.run("steps 3").empty());
  REQUIRE(ui.run("run").empty());
  REQUIRE(ui.settle());
  std::vector<std::string> tabs;
  for (const auto& panel : ui.bench->panels) {
    if (panel->place() == Place::bottom) tabs.emplace_back(panel->id());
  }
  REQUIRE(tabs.size() >= 9);
  for (std::size_t i = 0; i < 9; ++i) {
    ui.key("Alt+" + std::to_string(i + 1));
    CHECK(ui.bench->state.bottom_tab == tabs[i]);
  }
  // Once round, and one back.
  for (std::size_t i = 0; i < tabs.size(); ++i) ui.key("Ctrl+Tab");
  CHECK(ui.bench->state.bottom_tab == tabs[8]);
  ui.key("Ctrl+Shift+Tab");
  CHECK(ui.bench->state.bottom_tab == tabs[7]);
  check_clean(ui);
}

TEST_CASE("the right button asks what may be done with an op") {
  UiDriver ui;
  REQUIRE(ui.run("sample linear-regression").empty());
  REQUIRE(ui.run("steps 3").empty());
  REQUIRE(ui.run("run").empty());
  REQUIRE(ui.settle());
  const auto view = ui.bench->a->shown();
  const UiItem* op = nullptr;
  for (std::size_t i = 0; i < view->ops.size() && op == nullptr; ++i) {
    if (view->ops[i].op == "Mul" || view->ops[i].op == "Square" || view->ops[i].op == "Sub")
      op = ui.bench->map.find("graph/op/" + std::to_string(i));
  }
  REQUIRE(op != nullptr);
  const ImVec2 at{op->x + op->w / 2, op->y + op->h / 2};
  ui.input.click(at, 1);
  REQUIRE(ui.settle());
  REQUIRE(ui.bench->state.selection().kind == Selection::Kind::op);
  for (const char* entry : {"graph/menu/run-to-selection", "graph/menu/toggle-breakpoint",
                            "graph/menu/read-values", "graph/menu/fold", "graph/menu/focus"}) {
    INFO(entry);
    CHECK(ui.on_screen(entry));
  }
  const std::string type(view->ops[ui.bench->state.selection().index].op);
  ui.click("graph/menu/toggle-breakpoint");
  ui.frame(2);
  REQUIRE(ui.bench->debuggee.breakpoints().size() == 1);
  CHECK(ui.bench->debuggee.breakpoints()[0].text == type);
  CHECK_FALSE(ui.on_screen("graph/menu/fold"));
  check_clean(ui);
}
