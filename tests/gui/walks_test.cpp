// Inputs to each panel and to the window around them, with all that changes on the screen, as text that was
// read and found good.
#include "tests/gui/recorded_screen.h"
#include "tests/support/catch.h"

using namespace tapescope;
using namespace tapescope::ui;

namespace {

// The pointer rests on what the panel has, clicks on it, turns the wheel there and drags; keys follow.
void walk_through(Screen& screen, const std::string& scene, const std::string& panel,
                  const std::string& selected = "none") {
  INFO(scene << ": " << panel);
  Walk walk(screen);
  walk.run("panel " + panel);
  walk.run("select " + selected);
  walk.run("fit");
  walk.over(panel + "/");
  walk.onto(panel + "/");
  const std::vector<std::string> items = walk.items(panel + "/", 1);
  if (!items.empty()) {
    const std::string& last = items.back();
    walk.click(last, 1);
    walk.key("Esc");
    walk.wheel(last, -3);
    walk.wheel(last, 1);
    walk.drag(last, {60, 30});
    walk.double_click(last);
  }
  walk.key("Down");
  walk.key("Up");
  walk.key("Esc");
  walk.run("select none");
  walk.run("filter");
  walk.approve(scene + "/walk-" + panel);
}

std::vector<std::string> panels_of(Screen& screen) {
  std::vector<std::string> panels;
  for (const auto& panel : screen.ui().bench->panels) panels.emplace_back(panel->id());
  return panels;
}

}  // namespace

TEST_CASE("panels of a step with a compiled function answer to inputs as it was approved") {
  Screen screen;
  screen.open("train-step", "train_step.cpp");
  screen.run("panel source");
  for (const char* panel :
       {"graph", "gradients", "outline", "timeline", "flame", "ops", "functions", "memory", "loss", "advice"})
    walk_through(screen, "function", panel);
  walk_through(screen, "function", "inspector", "op 9");
}

TEST_CASE("panels of a run that became NaN answer to inputs as it was approved") {
  Screen screen;
  screen.run("scale 1.25");
  screen.open("nan-hunt", "nan_hunt.cpp");
  screen.run("fit");
  for (const char* panel : {"graph", "gradients", "loss"}) walk_through(screen, "nan", panel);
  // Alone: clicks on its rows move the graph.
  Walk walk(screen);
  walk.run("maximize alerts");
  walk.over("alerts/");
  walk.onto("alerts/");
  walk.approve("nan/walk-alerts");
}

TEST_CASE("panels of a recording that is stopped within a step answer to inputs as it was approved") {
  Screen screen;
  screen.open("rnn-while");
  screen.run("panel memory");
  screen.run("theme light");
  screen.run("break nonfinite");
  screen.run("break op MatMul");
  screen.run("step-last");
  screen.run("seek 12");
  for (const char* panel : {"graph", "outline", "timeline", "flame", "memory", "breakpoints"})
    walk_through(screen, "stopped", panel);
}

TEST_CASE("panels of two programs that are compared answer to inputs as it was approved") {
  Screen screen;
  screen.open("redundant");
  screen.open("persistent", "", "open-beside");
  for (const char* panel : {"graph", "differs", "compare", "timeline", "ops"})
    walk_through(screen, "compared", panel);
}

TEST_CASE("panels of the ranks of a job answer to inputs as it was approved") {
  Screen screen;
  screen.open("rnn-while", "", "open", {{"rank", "0"}, {"size", "2"}, {"job", "7"}});
  screen.open("rnn-unrolled", "", "open-beside", {{"rank", "1"}, {"size", "2"}, {"job", "7"}});
  for (const char* panel : {"jobs", "timeline", "loss"}) walk_through(screen, "job", panel);
}

TEST_CASE("the window around the panels answers to inputs as it was approved") {
  Screen screen;
  screen.open("train-step");
  Walk walk(screen);
  for (const char* part : {"toolbar/", "status/", "tab/", "header/", "strip/", "words/", "menubar/"})
    walk.over(part, 20);
  walk.onto("tab/", 20);
  for (const char* menu : {"file", "run", "go", "view", "help"}) {
    walk.click(std::string("menubar/") + menu);
    walk.key("Down");
    walk.key("Esc");
  }
  for (const char* chord : {"Right",
                            "Left",
                            "F10",
                            "Shift+F10",
                            "End",
                            "Home",
                            "Ctrl+Left",
                            "Ctrl+Right",
                            "F8",
                            "N",
                            "Shift+N",
                            "F9",
                            "+",
                            "W",
                            "A",
                            "S",
                            "D",
                            "-",
                            "Shift+F",
                            "F",
                            "Q",
                            "Q",
                            "Ctrl+Z",
                            "Alt+Left",
                            "Alt+Right",
                            "Ctrl+Tab",
                            "Ctrl+Shift+Tab",
                            "Ctrl+Shift+M",
                            "Esc",
                            "?",
                            "Esc",
                            "Ctrl++",
                            "Ctrl+-"})
    walk.key(chord);
  walk.approve("window/walk");
}

TEST_CASE("the palette and the first screen answer to inputs as it was approved") {
  Screen screen;
  screen.ui().bench->launch_line.folder = "/runs";
  {
    Walk walk(screen);
    walk.over("start/", 3);
    walk.over("welcome/", 3);
    walk.onto("start/sample/", 3);
    walk.onto("welcome/variant/", 3);
    for (const char* chord : {"Down", "Right", "Up", "Left"}) walk.key(chord);
    walk.click("start/launch/program");
    walk.type("./train --lr 0.1");
    walk.key("Tab");
    walk.type("--steps 3");
    walk.key("Esc");
    walk.approve("window/walk-first-screen");
  }
  screen.open("train-step");
  Walk walk(screen);
  walk.run("palette");
  walk.over("palette/", 2);
  walk.type("step");
  walk.key("Down");
  walk.key("Down");
  walk.key("Up");
  walk.key("Enter");
  walk.run("palette");
  walk.type("matmul");
  walk.key("Enter");
  walk.run("palette theme ");
  walk.key("Tab");
  walk.key("Esc");
  walk.key("/");
  walk.type("loss");
  walk.key("Enter");
  walk.approve("window/walk-palette");
}

TEST_CASE("panels that have nothing yet say what fills them as it was approved") {
  Screen screen;
  screen.run("sample linear-regression");
  screen.run("close");
  Walk walk(screen);
  const std::vector<std::string> panels = panels_of(screen);
  for (const std::string& panel : panels) walk.run("panel " + panel);
  walk.run("size 640x400");
  for (const std::string& panel : panels) walk.run("panel " + panel);
  walk.approve("window/walk-nothing-yet");
}

TEST_CASE("command lines change the window as it was approved") {
  Screen screen;
  screen.open("train-step", "train_step.cpp");
  Walk walk(screen);
  for (const char* line : {"find MatMul",
                           "find MatMul",
                           "find no such",
                           "select op 3",
                           "next-same",
                           "next-same",
                           "previous-same",
                           "back",
                           "back",
                           "forward",
                           "select source w",
                           "select nothing",
                           "select op 999",
                           "select alert 7",
                           "source train_step.cpp:12",
                           "source train_step.cpp:x",
                           "go-step 1",
                           "go-step 2",
                           "go-step 99",
                           "previous-step",
                           "previous-step",
                           "next-step",
                           "last-step",
                           "choose-steps 1 2",
                           "choose-steps none",
                           "choose-steps 2",
                           "read-values",
                           "gradients-at 1",
                           "gradients-at last",
                           "gradients-at x",
                           "step-first",
                           "step-forward",
                           "step-forward 3",
                           "step-back 2",
                           "step-back",
                           "step-into",
                           "step-out",
                           "step-last",
                           "step-training",
                           "run-to MatMul",
                           "run-to Nothing",
                           "run-to-selection",
                           "seek 4",
                           "seek 400",
                           "seek x",
                           "pause",
                           "steps x",
                           "set a 1",
                           "variant x",
                           "sample x",
                           "compare a,b",
                           "compare off"})
    walk.run(line);
  walk.approve("window/walk-go");
}

TEST_CASE("command lines of views and breakpoints change the window as it was approved") {
  Screen screen;
  screen.open("clipping", "clipping.cpp");
  Walk walk(screen);
  for (const char* line : {"panel memory",
                           "panel x",
                           "second-panel loss",
                           "second-panel memory",
                           "second-panel x",
                           "next-tab",
                           "previous-tab",
                           "second-panel off",
                           "beside-graph source",
                           "beside-graph own",
                           "beside-graph x",
                           "beside-graph off",
                           "filter MatMul",
                           "panel ops",
                           "undo",
                           "undo",
                           "undo",
                           "zoom-in",
                           "zoom-in",
                           "pan-left",
                           "pan-up",
                           "zoom-out",
                           "pan-right",
                           "pan-down",
                           "focus",
                           "fit",
                           "maximize timeline",
                           "maximize",
                           "maximize x",
                           "drawer",
                           "drawer",
                           "tab-1",
                           "tab-5",
                           "tab-9",
                           "theme light",
                           "theme contrast",
                           "theme dark",
                           "theme x",
                           "scale 5",
                           "scale x",
                           "scale 1.5",
                           "smaller",
                           "larger",
                           "scale 1",
                           "reduce-motion",
                           "reduce-motion",
                           "size 900x600",
                           "size 9",
                           "size 1280x800",
                           "keys",
                           "close",
                           "palette fi",
                           "close"})
    walk.run(line);
  walk.approve("window/walk-view");
  walk.run("panel breakpoints");
  for (const char* line : {"select op 2",
                           "toggle-breakpoint",
                           "toggle-breakpoint",
                           "toggle-type-breakpoint",
                           "break backward",
                           "break op MatMul at clipping.cpp:12",
                           "break name loss",
                           "break line clipping.cpp:3",
                           "break norm-above 3",
                           "break norm-below 0.5 op MatMul",
                           "break zeros-above 0.5 hit 3",
                           "break none",
                           "break retrace",
                           "break x",
                           "break op",
                           "break-edit 2 nonfinite",
                           "break-edit 99 nonfinite",
                           "break-edit 2 x",
                           "break-off 1",
                           "break-on 1",
                           "break-off 99",
                           "break-delete 1",
                           "break-delete 1",
                           "clear-breaks",
                           "threshold x 1",
                           "threshold defaults",
                           "panel alerts",
                           "next-alert",
                           "previous-alert",
                           "program 1",
                           "next-program",
                           "beside",
                           "close-beside",
                           "pause-all",
                           "run-all",
                           "detach",
                           "attach-again",
                           "open /nowhere.tape",
                           "save",
                           "save /nowhere/x.tape",
                           "save-tensor 0 /nowhere/x.npy",
                           "save-tensor 99 x.npy",
                           "save-tensor x",
                           "export",
                           "export x /nowhere/x",
                           "export csv /nowhere/x.csv",
                           "copy ops",
                           "copy x",
                           "copy-csv ops",
                           "copy-csv graph",
                           "job /nowhere",
                           "launch",
                           "quit now"})
    walk.run(line);
  walk.approve("window/walk-break");
}
