// A seeded monkey: random clicks, keys, wheels and commands must never break what holds each frame.
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "tests/engine/recording/recording_file.h"
#include "tests/gui/driver.h"
#include "tests/support/catch.h"

using namespace tapescope;
using namespace tapescope::ui;

namespace {

// `./test --long` sets the variable; CI has time for three seeds of a few hundred.
int inputs() { return std::getenv("TAPESCOPE_LONG") != nullptr ? 10'000 : 600; }

constexpr const char* kKeys[] = {"F5",
                                 "F6",
                                 "F10",
                                 "Shift+F10",
                                 "F11",
                                 "Shift+F11",
                                 "F8",
                                 "Home",
                                 "End",
                                 "Esc",
                                 "N",
                                 "Shift+N",
                                 "W",
                                 "A",
                                 "S",
                                 "D",
                                 "F",
                                 "Shift+F",
                                 "+",
                                 "-",
                                 "Ctrl+Z",
                                 "Q",
                                 "?",
                                 "F1",
                                 "Enter",
                                 "Tab",
                                 "Alt+Left",
                                 "Alt+Right",
                                 "Up",
                                 "Down",
                                 "Ctrl+Shift+M",
                                 "Ctrl+Shift+H",
                                 "/"};
const std::vector<std::string> kLines = {
    "filter Mul",     "filter",       "select op 3",     "select none",
    "maximize ops",   "theme light",  "theme dark",      "scale 0.75",
    "scale 1.5",      "size 640x400", "size 1600x1000",  "clear-breaks",
    "break backward", "stop",         "compare",         "compare off",
    "step-forward 4", "steps 2",      "sample nan-hunt", "sample variable-tracking"};

void play(UiDriver& ui, std::uint32_t seed, const std::vector<std::string>& lines) {
  std::mt19937 random(seed);
  const auto pick = [&](std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
  };
  ui.run("sample variable-tracking");
  ui.run("steps 2");
  ui.frame(2);
  for (int i = 0; i < inputs() && ui.complaints.empty(); ++i) {
    INFO("seed " << seed << ", input " << i);
    switch (pick(8)) {
      case 0:
      case 1:
      case 2: {
        const auto& items = ui.bench->map.items();
        if (items.empty()) break;
        const UiItem item = items[pick(items.size())];
        ui.input.click({item.x + item.w / 2, item.y + item.h / 2}, pick(8) == 0 ? 1 : 0);
        break;
      }
      case 3: ui.input.click({static_cast<float>(pick(1600)), static_cast<float>(pick(1000))}); break;
      case 4: ui.input.key(parse_chord(kKeys[pick(std::size(kKeys))]).value()); break;
      case 5:
        ui.input.wheel({static_cast<float>(pick(1600)), static_cast<float>(pick(1000))},
                       pick(2) == 0 ? 1.0f : -1.0f);
        break;
      case 6:
        ui.input.drag({static_cast<float>(pick(1600)), static_cast<float>(pick(1000))},
                      {static_cast<float>(pick(1600)), static_cast<float>(pick(1000))});
        break;
      default: ui.run(lines[pick(lines.size())]);
    }
    while (!ui.input.empty()) ui.frame();
  }
  INFO("seed " << seed);
  CHECK(ui.complaints.empty());
  for (const std::string& complaint : ui.complaints) FAIL_CHECK(complaint);
}

}  // namespace

TEST_CASE("a monkey cannot break the window") {
  const std::uint32_t seeds = std::getenv("TAPESCOPE_LONG") != nullptr ? 5 : 3;
  for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
    DYNAMIC_SECTION("seed " << seed) {
      UiDriver ui;
      play(ui, seed, kLines);
    }
  }
}

TEST_CASE("a monkey cannot break a window with several programs") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "a.tape";
  {
    UiDriver ui;
    for (const char* line : {"sample linear-regression", "steps 3", "run"}) REQUIRE(ui.run(line).empty());
    REQUIRE(ui.settle());
    REQUIRE(ui.run("save " + path).empty());
  }
  std::vector<std::string> lines = kLines;
  for (const char* line : {"program 1", "program 2", "program 3", "next-program", "beside 1", "beside 2",
                           "beside off", "close-beside", "close-beside 1", "run-all", "pause-all",
                           "panel timeline", "panel compare", "panel loss", "step-last", "step-back"}) {
    lines.push_back(line);
  }
  for (int i = 0; i < 3; ++i) lines.push_back("open-beside " + path);
  const std::uint32_t seeds = std::getenv("TAPESCOPE_LONG") != nullptr ? 3 : 1;
  for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
    DYNAMIC_SECTION("seed " << seed) {
      UiDriver ui;
      ui.run("open " + path);
      ui.run("open-beside " + path);
      play(ui, seed, lines);
    }
  }
}
