// Programs that run in the window, moved by keys and commands, as text that was read and found good: where
// they stand, what the status line, the toolbar and the panels say there, and which commands can be carried
// out.
#include "tests/gui/recorded_screen.h"
#include "tests/support/catch.h"

using namespace tapescope;
using namespace tapescope::ui;

namespace {

constexpr double kNoTime = 0;
// The inspector names the thread, whose number depends on what ran before.
constexpr const char* kWithoutInspector = "size 510x900";

void run_all(Walk& walk, std::initializer_list<const char*> lines) {
  for (const char* line : lines) walk.run(line);
}
void press_all(Walk& walk, std::initializer_list<const char*> chords) {
  for (const char* chord : chords) walk.key(chord);
}

}  // namespace

TEST_CASE("a program that is stepped forward and back stands where it was approved") {
  Screen screen(kNoTime);
  screen.run(kWithoutInspector);
  Walk walk(screen);
  run_all(walk, {"sample persistent",
                 "variant x",
                 "steps 0",
                 "steps 3",
                 "set x",
                 "set x 1",
                 "pause",
                 "stop",
                 "step-out",
                 "step-back",
                 "read-values",
                 "run-again",
                 "step-forward 0",
                 "step-back x",
                 "step-training x",
                 "compare x",
                 "compare a,b",
                 "compare persistent,x",
                 "compare",
                 "compare off"});
  press_all(walk, {"F10", "F10", "F11", "Shift+F10", "Shift+F11", "Shift+F11", "Home", "End", "Ctrl+F11"});
  walk.over("toolbar/", 20);
  walk.over("status/");
  walk.over("words/");
  run_all(walk,
          {"seek 2", "select op 1", "run-to-selection", "run-to Mul", "run-to Nothing", "filter Mul",
           "filter", "select source x", "run-again", "panel log", "panel breakpoints", "step-training 9"});
  press_all(walk, {"F5", "F10", "F8", "Ctrl+Left", "Ctrl+Left", "Ctrl+Right", "Ctrl+Right", "Ctrl+Right",
                   "Ctrl+End", "Ctrl+Shift+F10", "Shift+F5", "Ctrl+Shift+F5"});
  walk.approve("live/walk-steps");
}

TEST_CASE("a program that stops at breakpoints says why as it was approved") {
  Screen screen(kNoTime);
  screen.run(kWithoutInspector);
  Walk walk(screen);
  run_all(walk, {"sample none-gradients", "variant stop-gradient", "steps 2", "break backward",
                 "break op Mul hit 2", "break none", "run", "run", "run", "run", "break-off 1", "run", "run",
                 "select alert 0", "panel alerts", "next-alert", "run", "run"});
  walk.over("alerts/");
  walk.onto("alerts/");
  press_all(walk, {"F9", "F9", "Shift+F9", "Ctrl+Z"});
  run_all(walk, {"panel breakpoints", "restart"});
  walk.over("breakpoints/");
  walk.onto("breakpoints/");
  press_all(walk, {"Esc", "Esc"});
  walk.over("breakpoint-form/");
  walk.onto("breakpoint-form/", 1);
  walk.approve("live/walk-breaks");
}

TEST_CASE("a narrow window and a large one keep what they show as it was approved") {
  Screen screen(kNoTime);
  screen.run("sample multi-variable");
  Walk walk(screen);
  run_all(walk, {"run",
                 "size 640x420",
                 "filter a filter of some words",
                 "filter",
                 "step-forward",
                 "restart",
                 "filter a filter that is longer than the half of the line of this window",
                 "filter",
                 "keys",
                 "close",
                 "palette",
                 "close",
                 "scale 1.5",
                 "panel alerts",
                 "panel log",
                 "size 1600x1200",
                 "scale 2",
                 "panel gradients",
                 "keys",
                 "close",
                 "palette step",
                 "close",
                 "size 420x300"});
  walk.over("toolbar/", 20);
  walk.over("tab/", 20);
  walk.over("menubar/", 20);
  walk.over("strip/", 20);
  walk.onto("toolbar/", 20);
  walk.approve("live/walk-sizes");
}

TEST_CASE(
    "columns and rows that were dragged keep their place in windows of other sizes as it was approved") {
  Screen screen;
  screen.open("train-step", "train_step.cpp");
  Walk walk(screen);
  const auto through_sizes = [&] {
    for (const char* size : {"size 700x500", "size 480x320", "size 1900x1200", "size 1280x800"})
      walk.run(size);
  };
  through_sizes();
  walk.run("second-panel loss");
  walk.run("beside-graph source");
  const std::vector<std::string> edges = walk.items("splitter/", 9);
  for (const std::string& edge : edges) {
    walk.drag(edge, {90, 70});
    through_sizes();
    walk.drag(edge, {-160, -120});
    through_sizes();
    walk.double_click(edge);
  }
  walk.run("drawer");
  through_sizes();
  walk.approve("window/walk-edges");
}
