// Commands about files and the application itself.
#include <fmt/format.h>

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

constexpr Command kCommands[] = {
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
