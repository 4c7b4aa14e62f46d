// The window on recordings that do not change, as text that was read and found good: what moves, changes its
// colour or is gone is in the difference.
#include "tests/gui/recorded_screen.h"
#include "tests/support/catch.h"

using namespace tapescope;
using namespace tapescope::ui;

TEST_CASE("panels of a step with a compiled function look as they were approved") {
  Screen screen;
  screen.open("train-step", "train_step.cpp");
  screen.run("select op 9");
  screen.run("fit");
  screen.run("panel functions");
  screen.ui().click(
      "functions/graph/train_step/0");  // the pointer rests there: of other panels it has tooltips
  screen.approve("function", {"graph", "inspector", "gradients", "outline", "timeline", "flame", "ops",
                              "source", "functions", "memory", "loss", "jobs", "compare", "advice", "log"});
}

TEST_CASE("panels of a run that became NaN look as they were approved") {
  Screen screen;
  screen.open("nan-hunt", "nan_hunt.cpp");
  screen.run("select alert 0");
  screen.run("fit");
  screen.approve("nan", {"alerts", "gradients", "graph", "inspector", "source", "loss"});
}

TEST_CASE("panels of a missing gradient look as they were approved") {
  Screen screen;
  screen.open("none-stop-gradient");
  screen.run("select alert 0");
  screen.run("fit");
  screen.run("theme light");
  screen.approve("none", {"alerts", "gradients", "graph", "inspector", "advice"});
}

TEST_CASE("panels of a recording that is stopped within a step look as they were approved") {
  Screen screen;
  screen.ui().window.size = {1600, 1000};  // room for the map of a graph
  screen.open("rnn-while");
  screen.run("theme light");
  screen.run("break nonfinite");
  screen.run("break op MatMul");
  screen.run("break-off 2");
  screen.run("step-last");
  screen.run("seek 12");
  screen.run("fit");
  screen.run("zoom-in");
  screen.run("zoom-in");
  screen.approve("stopped",
                 {"graph", "inspector", "gradients", "outline", "timeline", "memory", "breakpoints"});
}

TEST_CASE("panels of two programs that are compared look as they were approved") {
  Screen screen;
  screen.open("redundant");
  screen.open("persistent", "", "open-beside");
  screen.run("theme contrast");
  screen.approve("compared", {"graph", "differs", "compare", "timeline", "flame", "ops", "loss"});
}

TEST_CASE("panels of the ranks of a job look as they were approved") {
  Screen screen;
  screen.open("rnn-while", "", "open", {{"rank", "0"}, {"size", "2"}, {"job", "7"}});
  screen.open("rnn-unrolled", "", "open-beside", {{"rank", "1"}, {"size", "2"}, {"job", "7"}});
  screen.approve("job", {"jobs", "timeline", "loss"});
  screen.ui().window.size = {800, 500};
  screen.run("panel memory");
  screen.approve_region("job", "small-window", "tapescope");
}

TEST_CASE("the window around the panels looks as it was approved") {
  Screen screen;
  screen.ui().bench->launch_line.folder = "/runs";
  screen.ui().frame(30);
  screen.approve_region("window", "first-screen", "tapescope");
  screen.open("retracing-object");
  screen.open("clipping", "", "open-beside");
  screen.approve_region("window", "two-programs", "tapescope");
  screen.run("palette");
  screen.approve_region("window", "palette", "palette");
  screen.ui().type("no such thing");
  screen.approve_region("window", "palette-without-match", "palette");
  screen.run("close");
  screen.run("keys");
  screen.approve_region("window", "keys", "keys");
  screen.run("close");
  screen.approve("window", {"functions"});
  screen.ui().click("menubar/run");
  screen.approve_region("window", "menu", "##Menu");
  check_clean(screen.ui());
}
