// Commands about files and the application itself.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "viewer/debugger/live_connection.h"
#include "viewer/export/export.h"
#include "viewer/export/files.h"
#include "viewer/export/formats.h"
#include "viewer/export/job_trace.h"
#include "viewer/window/workbench.h"

namespace tapescope::ui {
namespace {

using Text = std::string_view;

std::string copy_from(Workbench& w, Text name, bool as_csv) {
  const Text wanted = name.empty() ? Text(w.state.panel) : name;
  const Panel* panel = w.panel(wanted);
  if (panel == nullptr) return fmt::format("there is no panel `{}`", wanted);
  if (as_csv && !panel->has_csv())
    return fmt::format("{} shows no table; `copy {}` takes it as text", panel->title(), wanted);
  const std::string text = as_csv ? panel->csv(w.context()) : panel->text(w.context());
  if (text.empty()) return fmt::format("{} has nothing to copy yet", panel->title());
  ImGui::SetClipboardText(text.c_str());
  w.say(fmt::format("Copied {} as {}", panel->title(), as_csv ? "CSV" : "text"));
  return {};
}

std::string copy_panel(Workbench& w, Text name) { return copy_from(w, name, false); }
std::string copy_csv(Workbench& w, Text name) { return copy_from(w, name, true); }

// The runner writes its answers until it rests.
std::string cannot_save(const Workbench& w) {
  if (w.status.mode == RunMode::idle) return "nothing has run yet";
  return w.status.mode == RunMode::running ? "the program runs; pause it or let it finish first" : "";
}

// Of the recording that is shown, or that would be saved now.
std::string trace_of_all_steps(Workbench& w) {
  const std::string path = w.debuggee.shown().path();
  if (!path.empty() && path != "-") return perfetto_json(job_traces({path}));
  struct Scratch {
    std::string path = std::filesystem::temp_directory_path() / fmt::format("tapescope-{}.tape", getpid());
    ~Scratch() {
      std::error_code ignored;
      std::filesystem::remove(path, ignored);
    }
  } scratch;
  w.debuggee.save(scratch.path);
  return perfetto_json(job_traces({scratch.path}));
}

std::string export_run(Workbench& w, Text text) {
  const Text format = take_word(text);
  if (std::ranges::find(export_formats(), format) == export_formats().end())
    return fmt::format("`{}` is no format; expected one of {}", format, fmt::join(export_formats(), ", "));
  if (text.empty()) return fmt::format("`export {}` needs a file name after it", format);
  const std::string file = file_argument(text);
  if (format == "png") {
    w.window.save_picture(file);
    return {};
  }
  const auto view = w.a ? w.a->shown() : nullptr;
  if (!view) return "there is no step to export yet; run a sample first";
  const bool of_step = format == "svg" || format == "dot" || format == "csv";
  if (!of_step) {
    if (!w.a->complete) return "no step came to its end; let it run longer";
    if (std::string why = cannot_save(w); !why.empty()) return why;
  }
  const std::string out = format == "svg"        ? graph_svg(*view)
                          : format == "dot"      ? graph_dot(*view)
                          : format == "csv"      ? ops_csv(*view)
                          : format == "perfetto" ? trace_of_all_steps(w)
                                                 : exported(format, w.debuggee.so_far());
  if (!replace_file(file, out)) {
    return fmt::format("cannot write {}; give a path in a folder that can be written to", file);
  }
  w.say(fmt::format("Saved {}", file));
  return {};
}

std::string save_tensor(Workbench& w, Text text) {
  const Text number = take_word(text);
  std::int64_t n = 0;
  if (!read_count(number, 0, 0, n))
    return fmt::format("`{}` is no number of a tensor; the inspector's first is 0", number);
  const auto tensors = w.panel("inspector")->tensors();
  if (static_cast<std::size_t>(n) >= tensors.size())
    return fmt::format("the inspector shows {} tensors; there is no {}", tensors.size(), n);
  const Tensor& tensor = tensors[static_cast<std::size_t>(n)].value;
  const std::string file = file_argument(text);
  const bool npy = file.ends_with(".npy");
  if (!npy && !file.ends_with(".csv"))
    return fmt::format("`{}` is no file for a tensor; expected a name that ends in .npy or .csv", file);
  if (!replace_file(file, npy ? tensor_npy(tensor) : tensor_csv(tensor))) {
    return fmt::format("cannot write {}; give a path in a folder that can be written to", file);
  }
  w.say(fmt::format("Saved {}", file));
  return {};
}

std::string open_recording(Workbench& w, Text path) {
  w.open(file_argument(path));
  return {};
}

std::string attach(Workbench& w, Text which) {
  w.attach(std::string(which));
  return {};
}

std::string open_job(Workbench& w, Text name) {
  w.open_job(file_argument(name));
  return {};
}

std::string launch(Workbench& w, Text text) {
  LaunchLine line;
  if (std::string wrong = parse_launch(text, line); !wrong.empty()) return wrong;
  w.launch_line = line;
  // Where it cannot be started its fields take what is typed next.
  w.launch_focus = w.welcome;
  w.launch(line);
  w.launch_focus = false;
  return {};
}

// From the first screen its fields are filled; elsewhere the prompt offers programs and scripts.
std::string choose_program(Workbench& w, Text path) {
  w.launch_line.program = file_argument(path);
  w.welcome = true;
  w.launch_focus = true;
  return {};
}

// Beside a sample that has not run there is nothing to see.
Debuggee::Where beside_or_instead(const Workbench& w) {
  return w.debuggee.untouched() ? Debuggee::Where::instead : Debuggee::Where::beside;
}

// What was opened last is B, where it does not stand alone.
std::string show_last_beside(Workbench& w) {
  const std::size_t count = w.debuggee.programs().size();
  if (count > 1) w.set_beside(count - 1);
  return {};
}

std::string open_beside(Workbench& w, Text path) {
  w.open(file_argument(path), beside_or_instead(w));
  return show_last_beside(w);
}

std::string attach_beside(Workbench& w, Text which) {
  w.attach(std::string(which), beside_or_instead(w));
  return show_last_beside(w);
}

std::string close_beside(Workbench& w, Text which) {
  std::size_t program = 0;
  if (!which.empty()) {
    if (std::string wrong = w.find_program(which, program); !wrong.empty()) return wrong;
  } else if (w.debuggee.beside()) {
    program = *w.debuggee.beside();
  } else {
    return "no program is shown as B; name the one that is to be let go";
  }
  w.let_go(program);
  return {};
}

std::string not_attached(const Workbench& w) {
  const LiveConnection* program = w.debuggee.live();
  return program && w.status.mode != RunMode::finished ? "" : "no program is attached to";
}

std::string never_attached(const Workbench& w) {
  const LiveConnection* program = w.debuggee.live();
  if (program == nullptr) return "no program was attached to";
  return w.status.mode == RunMode::finished ? "" : "the program is attached to";
}

std::string attach_again(Workbench& w, Text) {
  w.attach(std::string(w.debuggee.live()->path()));
  return {};
}

std::string save_recording(Workbench& w, Text text) {
  const std::string path = file_argument(text), lacks = w.debuggee.save(path);
  w.say(lacks.empty() ? fmt::format("Saved {}", path) : fmt::format("Saved {}; {}", path, lacks));
  return {};
}

constexpr Command kFileCommands[] = {
    {"open", "Open a recording", "Shows a recording, and follows it while it grows.", "FILE", "File",
     "Ctrl+O", nullptr, open_recording},
    {"attach", "Attach to a program",
     "Shows a program that runs with TAPESCOPE_LISTEN=1, by its process, name or socket, or ssh://HOST/NAME.",
     "PROGRAM", "File", "Ctrl+Shift+O", nullptr, attach},
    {"attach-again", "Attach again",
     "Shows the program once more that was detached, or whose connection was lost.", "", "File",
     "Ctrl+Shift+A", never_attached, attach_again},
    {"job", "Open a job",
     "Attaches to all ranks of a job that runs, by its name or its program's, or opens all recordings of a "
     "folder "
     "or of a name such as rank-%r.tape.",
     "NAME", "File", "", nullptr, open_job},
    {"launch", "Launch a program",
     "Starts a program that uses the library, or PROGRAM.py, and stands before its first op. Before it may "
     "stand "
     "--folder DIR, --python PYTHON, --record FILE, and --run, which does not stop it.",
     "PROGRAM ARGUMENTS", "File", "Ctrl+L", nullptr, launch},
    {"choose-program", "Choose a program to launch", "Puts it into the first screen's fields.", "PROGRAM", "",
     "", nullptr, choose_program},
    {"open-beside", "Open a recording beside",
     "Opens one more recording and shows it as program B, on one clock with what is open.", "FILE", "File",
     "", nullptr, open_beside},
    {"attach-beside", "Attach to a program beside",
     "Attaches to one more program, such as another process of the same job, and shows it as program B.",
     "PROGRAM", "File", "", nullptr, attach_beside},
    {"close-beside", "Close the program beside",
     "Lets go of program B, or of the one that is named; an attached one runs on.", "[PROGRAM]", "File", "",
     only_one_open, close_beside},
    {"detach", "Detach", "Lets the attached program run on; what it did so far stays on the screen.", "",
     "File", "", not_attached,
     [](Workbench& w, Text) -> std::string {
       w.debuggee.detach();
       return {};
     }},
    {"save", "Save a recording", "Writes what is shown as a recording.", "FILE", "File", "Ctrl+S",
     cannot_save, save_recording},
    {"save-tensor", "Save a tensor", "Writes a tensor of the inspector, counted from 0, as .npy or .csv.",
     "N FILE", "", "", nullptr, save_tensor},
    {"export", "Export",
     "Writes the window as a picture (png FILE), the graph (svg, dot), the ops (csv), a trace of all steps "
     "(perfetto), the steps as arrays (npy), the run as a database (sqlite) or a report (markdown).",
     "FORMAT FILE", "File", "Ctrl+Shift+E", nullptr, export_run},
    {"copy", "Copy the panel as text", "Puts what the panel shows on the clipboard.", "[PANEL]", "File",
     "Ctrl+Shift+C", nullptr, copy_panel},
    {"copy-csv", "Copy the panel's table as CSV",
     "Puts the table that the panel shows on the clipboard, for a spreadsheet.", "[PANEL]", "File", "",
     nullptr, copy_csv},
    {"quit", "Quit", "Closes the window; the run ends.", "", "File", "Ctrl+Q", nullptr,
     [](Workbench& w, Text) -> std::string {
       w.window.close();
       return {};
     }},
};

}  // namespace

std::span<const Command> file_commands() { return kFileCommands; }

}  // namespace tapescope::ui
