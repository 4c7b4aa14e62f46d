// Where panels stand: the source of one's own program beside the graph, a second panel at the bottom.
#include <imgui.h>

#include "tests/engine/recording/recording_file.h"
#include "tests/gui/driver.h"
#include "tests/support/catch.h"

using namespace tapescope;
using namespace tapescope::test;
using namespace tapescope::ui;

namespace {

// A recording of a program that is no sample.
class OwnProgram {
 public:
  OwnProgram() {
    const SmallProgram program = small_program(3);
    record::RecordingWriter writer(record::open_sink(path()), {{"name", "small"}});
    writer.add(program.thread, program.records);
    const record::Ending ending;
    const Record end = record::record_of(ending);
    writer.add(program.thread, std::span(&end, 1));
    writer.finish(record::reason_of(ending), 0, 0);
  }
  std::string path() const { return folder_ / "small.tape"; }

 private:
  const TemporaryFolder folder_;
};

void open(UiDriver& ui, const OwnProgram& program) {
  REQUIRE(ui.run("open " + program.path()).empty());
  REQUIRE(ui.settle());
  ui.frame(2);
}

// The right button at the middle of an item.
void ask(UiDriver& ui, std::string_view id) {
  const UiItem* const item = ui.bench->map.find(id);
  REQUIRE(item != nullptr);
  ui.input.click({item->x + item->w / 2, item->y + item->h / 2}, 1);
  ui.settle();
  ui.frame(2);
}

const UiItem& at(const UiDriver& ui, std::string_view id) {
  const UiItem* const item = ui.bench->map.find(id);
  REQUIRE(item != nullptr);
  return *item;
}

}  // namespace

TEST_CASE("the source of one's own program stands beside the graph, and a sample's at its tab") {
  const OwnProgram program;
  UiDriver ui;
  REQUIRE(ui.run("sample mnist-mlp").empty());
  REQUIRE(ui.run("steps 2").empty());
  REQUIRE(ui.run("run").empty());
  REQUIRE(ui.settle());
  CHECK(ui.on_screen("tab/source"));
  CHECK_FALSE(ui.on_screen("header/source"));

  open(ui, program);
  CHECK_FALSE(ui.on_screen("tab/source"));
  CHECK(at(ui, "header/source").x > at(ui, "header/graph").x);
  CHECK(at(ui, "header/source").x < at(ui, "header/inspector").x);
  // It is in sight: asking for it changes nothing else.
  const std::string open_tab = ui.bench->state.bottom_tab;
  CHECK(ui.run("panel source").empty());
  CHECK(ui.bench->state.bottom_tab == open_tab);
  CHECK(ui.bench->state.panel == "source");

  ui.click("header/source/close");
  ui.frame(2);
  CHECK_FALSE(ui.on_screen("header/source"));
  CHECK(ui.on_screen("tab/source"));
  CHECK(ui.bench->settings.beside_graph == "off");
  CHECK(parse_settings(settings_json(ui.bench->settings)) == ui.bench->settings);
  check_clean(ui);
}

TEST_CASE("a small window has the source at its tab") {
  const OwnProgram program;
  UiDriver ui;
  ui.window.size = {1280, 720};
  open(ui, program);
  CHECK_FALSE(ui.on_screen("header/source"));
  CHECK(ui.on_screen("tab/source"));
  check_clean(ui);
}

TEST_CASE("the right button on a tab says where else the panel may stand") {
  const OwnProgram program;
  UiDriver ui;
  open(ui, program);
  CHECK(ui.run("panel timeline").empty());
  ui.frame(2);

  SECTION("beside the open panel, with the room that is dragged") {
    ask(ui, "tab/ops");
    ui.click("tab-menu/second-panel");
    ui.frame(2);
    CHECK_FALSE(ui.on_screen("tab/ops"));
    CHECK(ui.on_screen("tab/timeline"));
    CHECK(ui.bench->state.bottom_tab == "timeline");
    const float before = at(ui, "header/ops").x;
    const UiItem splitter = at(ui, "splitter/second");
    const ImVec2 from{splitter.x + splitter.w / 2, splitter.y + splitter.h / 2};
    ui.input.drag(from, {from.x - 200, from.y});
    ui.settle();
    ui.frame(2);
    CHECK(at(ui, "header/ops").x == Approx(before - 200).margin(4));
    CHECK(ui.bench->settings.second_share > 0.55f);
    // The keys that turn the tabs pass it by.
    for (int i = 0; i < 14; ++i) {
      ui.key("Ctrl+Tab");
      CHECK(ui.bench->state.bottom_tab != "ops");
    }
    // What its tab's strip would offer stands in its header.
    ui.click("header/ops/copy-csv");
    ui.frame(2);
    CHECK(std::string_view(ImGui::GetClipboardText()).starts_with("op,"));
    ui.click("header/ops/copy");
    ui.frame(2);
    CHECK(std::string_view(ImGui::GetClipboardText()).starts_with("op\t"));
    ui.click("header/ops/close");
    ui.frame(2);
    CHECK(ui.on_screen("tab/ops"));
  }
  SECTION("beside the graph") {
    ask(ui, "tab/memory");
    ui.click("tab-menu/beside-graph");
    ui.frame(2);
    CHECK(at(ui, "header/memory").x > at(ui, "header/graph").x);
    CHECK(ui.on_screen("tab/source"));
  }
  SECTION("no panel stands at two places") {
    CHECK(ui.run("beside-graph timeline").empty());
    ui.frame(2);
    CHECK_FALSE(ui.on_screen("header/timeline"));  // its tab is open
    CHECK(ui.run("panel ops").empty());
    ui.frame(2);
    CHECK(ui.on_screen("header/timeline"));
    CHECK(ui.run("second-panel timeline").empty());
    ui.frame(2);
    CHECK(at(ui, "header/timeline").y > at(ui, "header/graph").y);
    CHECK_FALSE(ui.run("second-panel ops").empty());
    CHECK_FALSE(ui.run("second-panel graph").empty());
    CHECK_FALSE(ui.run("beside-graph nothing").empty());
  }
  check_clean(ui);
}
