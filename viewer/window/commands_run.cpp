// Commands that choose a program and move it: run, pause, step.
#include <fmt/format.h>
#include <algorithm>

#include "viewer/debugger/live_connection.h"
#include "viewer/window/chrome.h"
#include "viewer/window/workbench.h"

namespace tapescope::ui {
namespace {

using Text = std::string_view;

// Of a program that is not the window's own.
std::string not_ours(const Workbench& w) {
  const LiveConnection* program = w.debuggee.live();
  if (!program || w.debuggee.launched() != nullptr) return {};
  return program->title() + " is not the window's to start or end; `detach` leaves it running";
}
std::string nothing_chosen(const Workbench& w) {
  return w.choice.sample.empty() ? "no sample is chosen; choose one with `sample NAME`" : "";
}
std::string not_paused(const Workbench& w) {
  if (w.status.mode == RunMode::paused) return {};
  return w.status.mode == RunMode::running ? "the program runs; pause it first"
                                           : "the program is not paused; run it, then pause";
}
std::string not_running(const Workbench& w) {
  if (w.debuggee.shows_recording()) return "a recording is shown, which does not run";
  return w.status.mode == RunMode::running ? "" : "nothing runs";
}
std::string nothing_to_stop(const Workbench& w) {
  if (w.debuggee.launcher().starts()) return {};
  if (std::string why = not_ours(w); !why.empty()) return why;
  if (w.debuggee.shows_recording() && w.status.mode != RunMode::paused)
    return "a recording is shown, which does not run";
  return w.status.mode == RunMode::running || w.status.mode == RunMode::paused ? "" : "nothing runs";
}
// The recording of a program that is no sample has nothing that could run here.
std::string not_from_here(const Workbench& w) {
  if (!w.debuggee.shows_recording() || w.status.mode == RunMode::paused || shows_sample(w)) return {};
  return fmt::format("a recording of {} is shown, which is no sample; launch the program to run it again",
                     w.choice.sample);
}
std::string cannot_run(const Workbench& w) {
  if (std::string why = not_from_here(w); !why.empty()) return why;
  const LiveConnection* program = w.debuggee.live();
  if (program && w.status.mode == RunMode::finished)
    return program->title() + " is not attached to any more; `attach` it again if it runs";
  return nothing_chosen(w);
}
std::string cannot_restart(const Workbench& w) {
  if (w.debuggee.launcher().starts()) return "a program is starting; stop it first";
  if (w.debuggee.launched() != nullptr) return {};
  if (std::string why = not_ours(w); !why.empty()) return why;
  const std::string why = not_from_here(w);
  return why.empty() ? nothing_chosen(w) : why;
}
std::string cannot_run_again(const Workbench& w) {
  if (std::string why = cannot_restart(w); !why.empty()) return why;
  if (w.debuggee.shows_recording()) return "a recording is shown, which does not run";
  return w.place_in_run() ? "" : "the program runs, or nothing ran; there is no place to run again to";
}
// Stepping may also start a program: it then stops at its first node. What a run that is over has left is not
// thrown away for it.
std::string cannot_step(const Workbench& w) {
  if (w.debuggee.live()) return not_paused(w);
  if (w.debuggee.shows_recording()) return {};
  if (w.status.mode == RunMode::running) return "the program runs; pause it first";
  if (w.status.mode == RunMode::finished && w.a && w.a->complete)
    return "the run is over; set a breakpoint, then restart it";
  return nothing_chosen(w);
}

// A recording is entered from behind as well.
std::string cannot_step_back(const Workbench& w) {
  return w.debuggee.shows_recording() ? std::string() : not_paused(w);
}

std::string step_by(Workbench& w, Text text, int direction) {
  std::int64_t n = 1;
  if (!read_count(text, 1, 1, n)) return fmt::format("`{}` is no number of steps; expected 1 or more", text);
  w.welcome = false;
  return w.debuggee.step_nodes(direction * n);
}

// The scope of the op executed last, and the first place from there on that lies outside of it.
std::string step_out(Workbench& w, Text) {
  if (!w.status.frame) return not_paused(w);
  if (w.status.frame->frame.inner > 0) {  // inside a function: to where its call ends
    return w.debuggee.step_nodes(1);
  }
  const auto view = w.a ? w.a->complete : nullptr;
  const std::uint64_t at = w.status.frame->cursor, count = w.status.frame->cursor_count;
  std::uint64_t target = count;
  if (view && at > 0) {
    const std::uint32_t here = view->op_at_node(static_cast<std::int64_t>(at) - 1);
    const Text scope = here == kNoOp ? Text() : view->ops[here].scope;
    const bool backward = at > w.status.frame->forward_count;
    // At the root, out means to the end of this direction.
    if (!backward) target = w.status.frame->forward_count == at ? count : w.status.frame->forward_count;
    for (std::uint64_t node = at; !scope.empty() && node < count; ++node) {
      const std::uint32_t op = view->op_at_node(static_cast<std::int64_t>(node));
      if (op != kNoOp && !view->ops[op].scope.starts_with(scope)) {
        target = node + 1;
        break;
      }
    }
  }
  return w.debuggee.seek(target);
}

std::string run_to_selection(Workbench& w, Text) {
  if (w.step_drawn().expanded) return "the program stands inside a call; step into goes to its next op";
  const std::uint32_t op = w.op_in_focus();
  const auto view = w.a ? w.a->shown() : nullptr;
  if (!view || op == kNoOp) return "no op is selected; click one in the graph";
  const OpRow& row = view->ops[op];
  if (row.node < 0) return fmt::format("{} is not on the tape, so the cursor cannot stop there", row.name);
  if (w.status.mode == RunMode::paused) return w.debuggee.seek(static_cast<std::uint64_t>(row.node) + 1);
  return w.debuggee.run_to_op(row.op);
}

std::string choose_sample(Workbench& w, Text name) {
  const SampleInfo& info = find_sample(name);
  RunRequest request = w.choice;
  if (request.sample != info.name) {
    // Steps and parameters are the former sample's.
    request.options.steps.reset();
    request.options.parameters.clear();
  }
  request.sample = info.name;
  request.options.variant.clear();
  request.compare_with.clear();
  w.load(request);
  return {};
}

std::string choose_variant(Workbench& w, Text name) {
  RunRequest request = w.choice;
  request.options.variant = std::string(name);
  request.compare_with.clear();
  w.load(request);
  return {};
}

std::string compare(Workbench& w, Text text) {
  RunRequest request = w.choice;
  const SampleInfo& info = find_sample(request.sample);
  if (text == "off") {
    request.compare_with.clear();
  } else if (text.empty()) {
    if (info.variants.size() < 2)
      return fmt::format("{} has one variant; there is nothing to compare it with", info.name);
    request.options.variant = info.variants[0];
    request.compare_with = info.variants[1];
  } else {
    const std::size_t comma = text.find(',');
    if (comma == Text::npos) return fmt::format("`{}` is no pair; expected two variants as A,B", text);
    request.options.variant = std::string(trimmed(text.substr(0, comma)));
    request.compare_with = std::string(trimmed(text.substr(comma + 1)));
  }
  w.load(request);
  // What the comparison says stands there.
  if (w.comparing()) w.state.bottom_tab = "compare";
  return {};
}

std::string set_parameter(Workbench& w, Text text) {
  const Text name = take_word(text);
  if (text.empty()) return fmt::format("`set {}` needs a value after the parameter's name", name);
  RunRequest request = w.choice;
  request.options.parameters[std::string(name)] = std::string(text);
  w.load(request);
  return {};
}

std::string set_steps(Workbench& w, Text text) {
  std::int64_t n = 0;
  if (text.empty() || !read_count(text, 1, 0, n))
    return fmt::format("`{}` is no number of steps; expected 1 or more", text);
  RunRequest request = w.choice;
  request.options.steps = n;
  w.load(request);
  return {};
}

std::string seek(Workbench& w, Text text) {
  std::int64_t n = 0;
  if (text.empty() || !read_count(text, 0, 0, n))
    return fmt::format("`{}` is no place of the cursor; expected 0 or more", text);
  return w.debuggee.seek(static_cast<std::uint64_t>(n));
}

constexpr Command kRunCommands[] = {
    {"run", "Run or continue", "Starts the chosen sample, or continues from where it is paused.", "", "Run",
     "F5", cannot_run,
     [](Workbench& w, Text) -> std::string {
       w.welcome = false;
       if (w.debuggee.shows_recording()) w.load(w.choice);
       w.debuggee.run();
       return {};
     }},
    {"pause", "Pause", "Stops the program at the next op on its tape.", "", "Run", "F6 Pause", not_running,
     [](Workbench& w, Text) -> std::string {
       w.debuggee.pause();
       return {};
     }},
    {"stop", "Stop", "Ends the run; the next one starts from the beginning.", "", "Run", "Shift+F5",
     nothing_to_stop,
     [](Workbench& w, Text) -> std::string {
       const bool starts = w.debuggee.launcher().starts();
       if (!starts && w.debuggee.launched() == nullptr) return w.debuggee.stop();
       w.debuggee.end_launched();
       if (starts) w.say("Ended before its first op");
       return {};
     }},
    {"restart", "Restart",
     "Ends the run and starts it again from its seed; a program that was launched, too.", "", "Run",
     "Ctrl+Shift+F5", cannot_restart,
     [](Workbench& w, Text) -> std::string {
       if (const Launch* launched = w.debuggee.launched()) {
         w.launch(Launch(*launched));
         return {};
       }
       w.load(w.choice);
       w.welcome = false;
       w.debuggee.run();
       return {};
     }},
    {"run-again", "Run again to here",
     "Starts the program again, a launched one or the sample, and stops it at the step and op where it "
     "stands now; one that is over at the op in focus of the step that is shown.",
     "", "Run", "Ctrl+Shift+F10", cannot_run_again, [](Workbench& w, Text) { return w.run_again_to_here(); }},
    {"step-forward", "Step forward", "Executes the next op on the tape, forward or backward.", "[N]", "Run",
     "F10", cannot_step, [](Workbench& w, Text n) { return step_by(w, n, 1); }},
    {"step-back", "Step back", "Goes one op back and restores the exact state there.", "[N]", "Run",
     "Shift+F10", cannot_step_back, [](Workbench& w, Text n) { return step_by(w, n, -1); }},
    {"step-into", "Step into",
     "Executes the next op, inside a function too; steps once where nothing is inside.", "", "Run", "F11",
     cannot_step,
     [](Workbench& w, Text) -> std::string {
       w.welcome = false;
       return w.debuggee.step_into();
     }},
    {"step-out", "Step out", "Goes on to the first op outside of the present scope.", "", "Run", "Shift+F11",
     not_paused, step_out},
    {"step-first", "First op", "Goes to the first op of the step.", "", "Run", "Home", cannot_step_back,
     [](Workbench& w, Text) -> std::string { return w.debuggee.seek(1); }},
    {"step-last", "Last op", "Goes to the last op of the step.", "", "Run", "End", cannot_step_back,
     [](Workbench& w, Text) -> std::string {
       // Behind a recording's end one back is the last op.
       return w.status.frame ? w.debuggee.seek(w.status.frame->cursor_count) : w.debuggee.step_nodes(-1);
     }},
    {"step-training", "Step one training step", "Goes to the same op of a later training step.", "[N]", "Run",
     "Ctrl+F11", cannot_step,
     [](Workbench& w, Text text) -> std::string {
       std::int64_t n = 1;
       if (!read_count(text, 1, 1, n))
         return fmt::format("`{}` is no number of steps; expected 1 or more", text);
       w.welcome = false;
       return w.debuggee.step_training(static_cast<std::uint64_t>(n));
     }},
    {"run-to", "Run to an op", "Runs until an op of that type has been executed.", "OP", "Run", "",
     cannot_step,
     [](Workbench& w, Text op) -> std::string {
       w.welcome = false;
       return w.debuggee.run_to_op(op);
     }},
    {"run-to-selection", "Run to the selected op", "Goes to the selected op, forward or back.", "", "Run",
     "Ctrl+F10", cannot_step, run_to_selection},
    {"seek", "Go to a place of the step", "Goes to the place after that many ops of the step.", "N", "", "",
     cannot_step_back, seek},
    {"sample", "Choose a sample", "Makes another sample ready to run.", "NAME", "", "", nullptr,
     choose_sample},
    {"variant", "Choose a variant", "Makes another variant of the sample ready to run.", "NAME", "", "",
     nothing_chosen, choose_variant},
    {"compare", "Compare A and B", "Runs two variants side by side, step by step; `compare off` ends it.",
     "[A,B]", "Run", "", nothing_chosen, compare},
    {"set", "Set a parameter", "Changes a parameter of the sample and makes it ready to run.",
     "PARAMETER VALUE", "", "", nothing_chosen, set_parameter},
    {"steps", "Number of steps", "How many training steps the next run does.", "N", "", "", nothing_chosen,
     set_steps},
};

}  // namespace

std::span<const Command> run_commands() { return kRunCommands; }

}  // namespace tapescope::ui
