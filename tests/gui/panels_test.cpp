// The panels on real programs, without a window: what is drawn, what a click does, what each says when empty.
#include <algorithm>

#include "tests/gui/driver.h"
#include "tests/support/catch.h"

using namespace tapescope;
using namespace tapescope::ui;

namespace {

void start(UiDriver& ui, const char* sample, const char* steps = "3") {
  REQUIRE(ui.run(std::string("sample ") + sample).empty());
  REQUIRE(ui.run(std::string("steps ") + steps).empty());
  ui.frame(3);
}

void run_to_end(UiDriver& ui) {
  REQUIRE(ui.run("run").empty());
  REQUIRE(ui.settle());
}

std::size_t items_with(const UiDriver& ui, std::string_view prefix) {
  const auto& items = ui.bench->map.items();
  return static_cast<std::size_t>(std::count_if(
      items.begin(), items.end(), [&](const UiItem& item) { return item.id.starts_with(prefix); }));
}

void show_each_panel(UiDriver& ui) {
  for (const auto& panel : ui.bench->panels) {
    INFO(panel->id());
    REQUIRE(ui.run("panel " + std::string(panel->id())).empty());
    ui.frame(2);
  }
}

}  // namespace

TEST_CASE("panel ids are those of the interfaces and stand once") {
  UiDriver ui;
  for (const char* id :
       {"graph", "gradients", "outline", "inspector", "alerts", "timeline", "flame", "ops", "source",
        "functions", "memory", "loss", "compare", "advice", "breakpoints", "log"}) {
    INFO(id);
    CHECK(std::count_if(ui.bench->panels.begin(), ui.bench->panels.end(),
                        [&](const auto& p) { return p->id() == id; }) == 1);
  }
}

TEST_CASE("every panel draws before anything ran, and after, in each theme, large and small") {
  UiDriver ui;
  start(ui, "variable-tracking");
  ui.bench->welcome = false;
  show_each_panel(ui);
  run_to_end(ui);
  for (const char* theme : {"light", "contrast", "dark"}) {
    REQUIRE(ui.run(std::string("theme ") + theme).empty());
    show_each_panel(ui);
  }
  for (const ImVec2 size : {ImVec2{800, 500}, ImVec2{400, 300}, ImVec2{1600, 1000}}) {
    ui.window.size = size;
    show_each_panel(ui);
  }
  REQUIRE(ui.run("scale 2").empty());
  show_each_panel(ui);
  check_clean(ui);
}

TEST_CASE("every panel can be read as text") {
  UiDriver ui;
  start(ui, "variable-tracking");
  run_to_end(ui);
  const PanelContext c = ui.bench->context();
  for (const char* id : {"graph", "ops", "timeline", "gradients", "outline"}) {
    REQUIRE(ui.run(std::string("panel ") + id).empty());
    ui.frame(2);
    INFO(id);
    CHECK_FALSE(ui.bench->panel(id)->text(c).empty());
  }
}

TEST_CASE("a function's graph opens to its passes and rewrites, and closes again") {
  UiDriver ui;
  start(ui, "train-step");
  REQUIRE(ui.run("variant optimized").empty());
  run_to_end(ui);
  REQUIRE(ui.run("panel functions").empty());
  ui.frame(2);
  REQUIRE(items_with(ui, "functions/graph/") == 1);
  CHECK(items_with(ui, "functions/rewrite/") == 0);
  ui.click("functions/graph/train_step/0");
  ui.frame(2);
  CHECK(items_with(ui, "functions/rewrite/") > 0);
  CHECK(ui.on_screen("tab-copy"));
  CHECK(ui.on_screen("tab-copy-csv"));
  CHECK(ui.bench->panel("functions")->text(ui.bench->context()).find("fuse_matmul") != std::string::npos);
  ui.click("functions/graph/train_step/0");
  ui.frame(2);
  CHECK(items_with(ui, "functions/rewrite/") == 0);
  check_clean(ui);
}

TEST_CASE("a click on an op selects it, a click beside it clears the selection") {
  UiDriver ui;
  start(ui, "variable-tracking");
  run_to_end(ui);
  REQUIRE(items_with(ui, "graph/op/") > 4);
  const auto& items = ui.bench->map.items();
  const auto op = std::find_if(items.begin(), items.end(), [](const UiItem& item) {
    return item.id.starts_with("graph/op/") && item.label.find("MatMul") != std::string::npos;
  });
  REQUIRE(op != items.end());
  ui.click(std::string(op->id));
  CHECK(ui.bench->state.selection().kind == Selection::Kind::op);
  CHECK(ui.on_screen("inspector/copy"));
  check_clean(ui);
}

TEST_CASE("stepping does not move the graph while the cursor is in sight") {
  UiDriver ui;
  start(ui, "variable-tracking");
  REQUIRE(ui.run("break backward").empty());
  REQUIRE(ui.run("run").empty());
  REQUIRE(ui.settle());
  REQUIRE(ui.bench->status.mode == RunMode::paused);
  ui.frame(30);
  REQUIRE(ui.settle());  // the layout of a busy machine takes more frames
  ui.frame(30);
  const UiItem* before = ui.bench->map.find("graph/op/1");
  REQUIRE(before != nullptr);
  const float x = before->x, y = before->y;
  ui.key("F10");
  ui.frame(30);
  REQUIRE(ui.settle());
  ui.frame(30);
  const UiItem* after = ui.bench->map.find("graph/op/1");
  REQUIRE(after != nullptr);
  CHECK(after->x == x);
  CHECK(after->y == y);
  check_clean(ui);
}

TEST_CASE("keys and the wheel move the camera") {
  UiDriver ui;
  start(ui, "variable-tracking");
  run_to_end(ui);
  REQUIRE(ui.run("panel graph").empty());
  const Camera before = ui.bench->state.camera;
  ui.key("D");
  ui.frame(20);
  CHECK(ui.bench->state.camera.x > before.x);
  ui.key("+");
  ui.frame(20);
  CHECK(ui.bench->state.camera.zoom > before.zoom);
  ui.key("Shift+F");
  ui.frame(30);
  CHECK(ui.bench->state.camera.x == Approx(before.x).margin(1));
  check_clean(ui);
}

TEST_CASE("each None source has a row, and selecting it answers why") {
  UiDriver ui;
  start(ui, "none-gradients", "1");
  REQUIRE(ui.run("variant stop-gradient").empty());
  run_to_end(ui);
  const auto& rows = ui.bench->a->gradients;
  const auto none = std::find_if(rows.begin(), rows.end(),
                                 [](const GradientRow& row) { return row.status == GradientStatus::none; });
  REQUIRE(none != rows.end());
  ui.click("gradients/row/" + none->source);
  CHECK(ui.bench->state.selection().kind == Selection::Kind::source);
  CHECK(ui.on_screen("gradients/why"));
  CHECK(ui.on_screen("alerts/row/0"));
  check_clean(ui);
}

TEST_CASE("the ops table sorts by a click and filters by words") {
  UiDriver ui;
  start(ui, "variable-tracking");
  run_to_end(ui);
  REQUIRE(ui.run("panel ops").empty());
  ui.frame(2);
  const std::size_t all = items_with(ui, "ops/row/");
  REQUIRE(all > 2);
  ui.click("ops/sort/op");
  REQUIRE(ui.run("filter MatMul").empty());
  ui.frame(2);
  CHECK(items_with(ui, "ops/row/") == 1);
  REQUIRE(ui.run("filter").empty());
  ui.click("ops/mode");
  ui.frame(2);
  CHECK(items_with(ui, "ops/node/") > 2);
  check_clean(ui);
}

TEST_CASE("comparing draws two graphs and what differs") {
  UiDriver ui;
  start(ui, "variable-tracking", "30");
  REQUIRE(ui.run("compare unoptimized,optimized").empty());
  run_to_end(ui);
  REQUIRE(ui.run("panel compare").empty());
  REQUIRE(ui.settle());
  CHECK(items_with(ui, "graph/op/") > 2);
  CHECK(items_with(ui, "graph/b/op/") > 2);
  CHECK(ui.on_screen("differs/copy"));
  show_each_panel(ui);
  check_clean(ui);
}

TEST_CASE("a panel that shows one of two programs says which, and both are compared op by op") {
  UiDriver ui;
  REQUIRE(ui.run("sample variable-tracking").empty());
  REQUIRE(ui.run("steps 3").empty());
  REQUIRE(ui.run("compare unoptimized,optimized").empty());
  REQUIRE(ui.run("run").empty());
  REQUIRE(ui.settle());
  for (const char* panel : {"ops", "memory", "source"}) {
    REQUIRE(ui.run(std::string("panel ") + panel).empty());
    ui.frame(2);
    REQUIRE(ui.on_screen("words/whose"));
    CHECK(ui.bench->map.find("words/whose")->label == "of A, unoptimized");
  }
  REQUIRE(ui.run("panel compare").empty());
  ui.frame(2);
  CHECK_FALSE(ui.on_screen("words/whose"));
  // The flame has both, B's figures with their change against A's.
  REQUIRE(ui.run("panel flame").empty());
  REQUIRE(ui.settle());
  CHECK_FALSE(ui.on_screen("words/whose"));
  REQUIRE(ui.on_screen("flame/forward/"));
  REQUIRE(ui.on_screen("flame/b/forward/"));
  CHECK(ui.bench->map.find("flame/forward/")->label.find(" %") == std::string::npos);
  // A box that takes as long as the other, to half a percent, has no change to show.
  CHECK(std::ranges::any_of(ui.bench->map.items(), [](const UiItem& item) {
    return item.id.starts_with("flame/b/") && item.label.ends_with(" %");
  }));
  const std::string flame = ui.bench->panel("flame")->text(ui.bench->context());
  CHECK(flame.starts_with("scope\ta_us\tb_us\t"));
  REQUIRE(ui.run("panel compare").empty());
  ui.frame(2);
  const std::string compared = ui.bench->panel("compare")->text(ui.bench->context());
  CHECK(compared.find("\nMatMul\t") != std::string::npos);
  const std::string differs = ui.bench->panel("differs")->text(ui.bench->context());
  CHECK(differs.find("| op in both | A | B | change |") != std::string::npos);
  REQUIRE(ui.run("compare off").empty());
  ui.frame(2);
  CHECK_FALSE(ui.on_screen("words/whose"));
  check_clean(ui);
}

TEST_CASE("the colours of the graph can be chosen, each with its scale") {
  UiDriver ui;
  start(ui, "variable-tracking");
  run_to_end(ui);
  for (int i = 0; i < 8; ++i) {
    ui.bench->state.graph_colour = i;
    ui.frame(2);
  }
  ui.click("graph/colour");
  ui.frame(2);
  CHECK(ui.on_screen("graph/colour/dtype"));
  ui.click("graph/colour/dtype");
  check_clean(ui);
}
