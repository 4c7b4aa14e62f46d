// Scripts: what is read, and what is said about what cannot be.
#include "viewer/window/script.h"

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "engine/events/tick_rate.h"
#include "tests/engine/recording/recording_file.h"
#include "tests/gui/driver.h"
#include "tests/gui/screen_text.h"
#include "tests/support/approval.h"
#include "tests/support/catch.h"

using namespace tapescope;
using namespace tapescope::ui;

TEST_CASE("blank lines and comments count in line numbers and do nothing else") {
  const auto lines = parse_script("# a script\n\nrun\r\n  wait idle 5 \n#quit\nquit");
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].number == 3);
  CHECK(lines[0].text == "run");
  CHECK(lines[1].number == 4);
  CHECK(lines[1].text == "wait idle 5");
  CHECK(lines[2].number == 6);
  CHECK(parse_script("").empty());
}

TEST_CASE("waits are read with their limits") {
  std::string wrong;
  auto wait = parse_wait("idle", wrong);
  REQUIRE(wait);
  CHECK(wait->what == WaitFor::What::idle);
  CHECK(wait->limit == 30);
  wait = parse_wait("step 12 2.5", wrong);
  REQUIRE(wait);
  CHECK(wait->what == WaitFor::What::step);
  CHECK(wait->step == 12);
  CHECK(wait->limit == 2.5);
  wait = parse_wait("paused 3", wrong);
  REQUIRE(wait);
  CHECK(wait->limit == 3);
  wait = parse_wait("seconds 0.25", wrong);
  REQUIRE(wait);
  CHECK(wait->limit == 0.25);
}

TEST_CASE("waits that make no sense are refused with the reason") {
  for (const char* text :
       {"", "forever", "step", "step x", "seconds", "seconds soon", "idle later", "idle -1"}) {
    std::string wrong;
    INFO(text);
    CHECK_FALSE(parse_wait(text, wrong));
    CHECK_FALSE(wrong.empty());
  }
}

namespace {

// What a script does to a window, with so many seconds between two frames. Those that programs take do not
// count where it `waits`.
std::string outcome_of(const std::string& script, double between = 0.5, bool waits = true) {
  UiDriver ui;
  ui.bake = bake_plain_fonts;
  InputQueue& input = ui.input;
  ScriptRunner runner(parse_script(script), *ui.bench, input);
  std::string text;
  double now = 0;
  for (int frame = 0; frame < 400; ++frame, now += between) {
    switch (runner.advance(now)) {
      case ScriptRunner::Outcome::working: break;
      case ScriptRunner::Outcome::ended: return text + "  ends\n";
      case ScriptRunner::Outcome::quit: return text + "  quits\n";
      case ScriptRunner::Outcome::failed: return text + fmt::format("  fails: {}\n", runner.failure());
    }
    ui.frame();
    runner.frame_drawn();
    if (const auto shot = runner.take_shot()) {
      text += fmt::format("  a picture: {}\n", *shot);
      CHECK(runner.wants_frame());
      runner.shot_done(*shot == "bad.png" ? "cannot write bad.png" : "");
    }
    if (!waits) continue;
    while (ui.bench->debuggee.launcher().starts()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      ui.frame();
    }
    if (!ui.bench->debuggee.at_rest()) ui.settle();
  }
  return text + "  goes on\n";
}

}  // namespace

TEST_CASE("scripts do, and are refused, as it was approved") {
  const test::TemporaryFolder folder;
  const GivenTickRate no_time(0);
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder / "");
  std::string text;
  for (const char* script :
       {"",
        "quit",
        "rum",
        "# nothing\n\n  quit  \nrum",
        "wait",
        "wait idle",
        "wait idle x",
        "wait paused 2",
        "wait step 1 2",
        "wait step",
        "wait seconds 3\nquit",
        "wait seconds -1",
        "wait seconds",
        "shot",
        "shot a.png",
        "shot bad.png\nquit",
        "shot \"with blanks.png\"",
        "state",
        "state /nowhere/state.json",
        "state state.json\nstate 'with blanks.json'",
        "click",
        "click nothing",
        "click toolbar/run",
        "click toolbar/pause",
        "click menubar/file\nkey Esc\nquit",
        "key",
        "key F99",
        "key F1\nkey Esc",
        "type abc",
        "palette\ntype theme light\nkey Enter\nquit",
        "sample persistent\nsteps 2\nrun\nwait idle\nquit",
        "sample persistent\nrun\nwait paused",
        "sample persistent\nrun\nwait step 99",
        "sample persistent\nsteps 3\nrun\nwait step 2\nwait idle\nquit",
        "sample persistent\nbreak backward\nrun\nwait paused\nstep-back\nstep-forward 2\nwait idle 1",
        "sample persistent\nstep-forward\nwait paused\nstep-training 1\nstop\nwait idle\nquit",
        "variant x",
        "sample persistent\nseek 2\nrun-to Mul\nwait paused 1\nquit",
        "launch /nowhere/program\nquit",
        "launch",
        "launch true\nquit",
        "launch --run sh -c 'exit 3'\nquit",
        "attach 999999999\nquit"}) {
    INFO(script);
    std::string shown = script;
    for (std::size_t at = 0; (at = shown.find('\n', at)) != std::string::npos;) shown.replace(at, 1, "; ");
    text += fmt::format("[{}]\n{}", shown, outcome_of(script));
  }
  CHECK(std::filesystem::exists("state.json"));
  CHECK(std::filesystem::exists("with blanks.json"));
  std::filesystem::current_path(before);
  approve("gui/approved/scripts.txt", text);
}

TEST_CASE("a script fails where the command before does not come to its end") {
  const std::string text =
      outcome_of("sample persistent\nsteps 1000000\nstep-training 999999\nquit", 31, false);
  CHECK(text == "  fails: line 4: the command before it did not come to its end in 30 seconds\n");
}
