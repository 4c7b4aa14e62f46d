// Commands about files and the application itself.
#include <fmt/format.h>

#include "viewer/app/live_program.h"
#include "viewer/app/workbench.h"

namespace tapescope::ui {
namespace {

using Text = std::string_view;

std::string copy_panel(Workbench& w, Text name) {
  const Text wanted = name.empty() ? Text(w.state.panel) : name;
  const Panel* panel = w.panel(wanted);
  if (panel == nullptr) return fmt::format("there is no panel `{}`", wanted);
  const std::string text = panel->text(w.context());
  if (text.empty()) return fmt::format("{} has nothing to copy yet", panel->title());
  ImGui::SetClipboardText(text.c_str());
  w.say(fmt::format("Copied {} as text", panel->title()));
  return {};
}

std::string export_picture(Workbench& w, Text text) {
  const Text format = take_word(text);
  if (format != "png") return fmt::format("`{}` cannot be exported from the window; expected png FILE", format);
  if (text.empty()) return "`export png` needs a file name after it";
  w.window.save_picture(std::string(text));
  return {};
}

std::string open_recording(Workbench& w, Text path) {
  w.open(std::string(path));
  return {};
}

std::string attach(Workbench& w, Text which) {
  w.attach(std::string(which));
  return {};
}

std::string not_attached(const Workbench& w) {
  const LiveProgram* program = w.debuggee.live();
  return program && w.status.mode != RunMode::finished ? "" : "no program is attached to";
}

std::string save_recording(Workbench& w, Text path) {
  const std::string lacks = w.debuggee.save(std::string(path));
  w.say(lacks.empty() ? fmt::format("Saved {}", path) : fmt::format("Saved {}; {}", path, lacks));
  return {};
}

// The runner writes its answers until it rests.
std::string cannot_save(const Workbench& w) {
  if (w.debuggee.live()) return "what an attached program sends is not kept; TAPESCOPE_RECORD=FILE records a program";
  if (w.status.mode == RunMode::idle) return "nothing has run yet";
  return w.status.mode == RunMode::running ? "the program runs; pause it or let it finish first" : "";
}

constexpr Command kCommands[] = {
    {"open", "Open a recording", "Shows a recording, and follows it while it grows.", "FILE", "File", "Ctrl+O", nullptr, open_recording},
    {"attach", "Attach to a program", "Shows a program that runs with TAPESCOPE_LISTEN=1, by its process, name or socket.", "PROGRAM", "File", "", nullptr, attach},
    {"detach", "Detach", "Lets the attached program run on; what it did so far stays on the screen.", "", "File", "", not_attached,
     [](Workbench& w, Text) -> std::string {
       w.debuggee.detach();
       return {};
     }},
    {"save", "Save a recording", "Writes what is shown as a recording.", "FILE", "File", "Ctrl+S", cannot_save, save_recording},
    {"export", "Export a picture", "Writes the window as a picture: png FILE.", "FORMAT FILE", "File", "Ctrl+Shift+E", nullptr, export_picture},
    {"copy", "Copy the panel as text", "Puts what the panel shows on the clipboard.", "[PANEL]", "File", "Ctrl+Shift+C", nullptr, copy_panel},
    {"quit", "Quit", "Closes the window; the run ends.", "", "File", "Ctrl+Q", nullptr,
     [](Workbench& w, Text) -> std::string {
       w.window.close();
       return {};
     }},
};

}  // namespace

std::span<const Command> file_commands() { return kCommands; }

}  // namespace tapescope::ui
