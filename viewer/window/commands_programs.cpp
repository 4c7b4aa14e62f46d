// Commands for several programs that are open together.
#include <algorithm>

#include "viewer/window/workbench.h"

namespace tapescope::ui {
namespace {

using Text = std::string_view;

// Those that the window can stop and let go on.
bool any_in(const Workbench& w, RunMode mode) {
  return std::any_of(w.programs.begin(), w.programs.end(),
                     [&](const ProgramRow& p) { return !p.recording && p.status.mode == mode; });
}
std::string none_runs(const Workbench& w) {
  return any_in(w, RunMode::running) ? "" : "of several open programs none runs";
}
std::string none_is_paused(const Workbench& w) {
  return any_in(w, RunMode::paused) ? "" : "of several open programs none is paused";
}

std::string show(Workbench& w, Text which) {
  std::size_t program = 0;
  std::string wrong = w.find_program(which, program);
  if (wrong.empty()) w.set_focus(program);
  return wrong;
}

std::string show_next(Workbench& w, Text) {
  w.set_focus((w.debuggee.focus() + 1) % w.programs.size());
  return {};
}

std::string show_beside(Workbench& w, Text which) {
  if (which.empty() || which == "off") {
    w.set_beside(std::nullopt);
    return {};
  }
  std::size_t program = 0;
  if (std::string wrong = w.find_program(which, program); !wrong.empty()) return wrong;
  if (program == w.debuggee.focus()) return "that is program A; choose another one to stand beside it";
  w.set_beside(program);
  return {};
}

constexpr Command kProgramsCommands[] = {
    {"program", "Show a program",
     "All panels show that one of the open programs, given by number, name or process; each keeps its place.",
     "PROGRAM", "View", "", only_one_open, show},
    {"next-program", "Next program", "All panels show the next one of the open programs.", "", "View",
     "Ctrl+PageDown", only_one_open, show_next},
    {"beside", "Show a program beside",
     "Shows one more of the open programs as program B; without a name A stands alone again.", "[PROGRAM]",
     "View", "", only_one_open, show_beside},
    {"pause-all", "Pause all", "Stops every open program at the next op on its tape.", "", "Run", "",
     none_runs,
     [](Workbench& w, Text) -> std::string {
       w.debuggee.pause_all();
       return {};
     }},
    {"run-all", "Continue all", "Lets every open program that is paused go on.", "", "Run", "",
     none_is_paused,
     [](Workbench& w, Text) -> std::string {
       w.debuggee.run_all();
       return {};
     }},
};

}  // namespace

std::string only_one_open(const Workbench& w) { return w.programs.empty() ? "only one program is open" : ""; }

std::span<const Command> program_commands() { return kProgramsCommands; }

}  // namespace tapescope::ui
