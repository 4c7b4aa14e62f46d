// The palette: every command by name, samples, panels, ops and variables; Enter carries the chosen one out.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "imgui.h"

#include "imgui_stdlib.h"
#include "viewer/ui/widgets.h"
#include "viewer/window/chrome.h"
#include "viewer/window/path_entries.h"

namespace tapescope::ui {
namespace {

constexpr std::size_t kMostRows = 60;   // typing on is quicker than reading further
constexpr std::size_t kMostOps = 4000;  // matched per frame at 0.2 µs each
// Scores: the line as it was typed, then what may follow it, then what matches letters.
constexpr int kTyped = 1 << 20, kArguments = 1 << 19, kMostPaths = 1 << 12;

struct Entry {
  std::string line;  // what Enter does
  std::string title;
  std::string note;  // dim, at the right: keys, or what kind of thing it is
  std::string id;    // in the UI map
  bool enabled = true;
  int score = 0;
  bool more = false;  // the user is to type on behind `line`
};

void add(std::vector<Entry>& entries, std::string_view pattern, Entry entry, int bonus = 0) {
  entry.score = fuzzy_score(pattern, entry.title);
  if (entry.score < 0) return;
  entry.score += bonus;
  entries.push_back(std::move(entry));
}

// What may follow a command that takes a file or a program: above all other entries, in their order.
void add_arguments(Workbench& w, const Command& command, std::string_view typed,
                   std::vector<Entry>& entries) {
  int score = kArguments;
  const auto offer = [&](std::string line, std::string title, std::string note, bool more) {
    const std::string id = fmt::format("palette/argument/{}", kArguments - score);
    entries.push_back({std::move(line), std::move(title), std::move(note), id, true, score--, more});
  };
  if (command.id == "attach" || command.id == "attach-beside") {
    for (const live::Listener& program : w.live.programs()) {
      const std::string process = fmt::format("{}", program.pid);
      if (program.greeting.attached != 0 ||
          (!typed.empty() && fuzzy_score(typed, program.greeting.name) < 0 && !process.starts_with(typed)))
        continue;
      offer(fmt::format("{} {}", command.id, process), program.greeting.name, "process " + process, false);
    }
    return;
  }
  const std::optional<PathKind> kind = path_kind(command.id);
  if (!kind) return;
  if (*kind == PathKind::recording && typed.empty()) {
    for (const std::string& path : w.settings.recent) {
      std::error_code none;
      if (std::filesystem::exists(path, none))
        offer(fmt::format("{} {}", command.id, path), path, "recent", false);
    }
  }
  // The path is the last word; what stands before it stays.
  const std::size_t blank = *kind == PathKind::recording ? std::string_view::npos : typed.rfind(' ');
  const std::string_view before =
      blank == std::string_view::npos ? std::string_view() : typed.substr(0, blank + 1);
  for (const PathEntry& entry : paths_like(typed.substr(before.size()), *kind))
    offer(fmt::format("{} {}{}", command.id, before, entry.path), entry.path, entry.note, entry.folder);
}

std::vector<Entry> matching(Workbench& w, std::string_view pattern) {
  std::vector<Entry> entries;
  // A whole command line, as in a script.
  const Line line = split_line(pattern);
  const Command* typed = w.table.find(line.command);
  if (typed != nullptr && !typed->arguments.empty()) {
    const bool complete = !typed->needs_argument() || !line.arguments.empty();
    entries.push_back(
        {std::string(trimmed(pattern)),
         complete ? std::string(trimmed(pattern)) : fmt::format("{} {}", typed->id, typed->arguments),
         std::string(typed->help), "palette/line", complete, complete ? kTyped : kArguments - kMostPaths});
    add_arguments(w, *typed, trimmed(line.arguments), entries);
  }
  for (const Command* command : w.table.all()) {
    if (command->id == "palette" || command->id == "close") continue;
    const std::string reason = w.unavailable(*command);
    const bool more = command->needs_argument();
    // By its title, else as scripts call it.
    const bool titled = fuzzy_score(pattern, command->title) >= 0;
    if (!titled && fuzzy_score(pattern, command->id) < 0) continue;
    add(entries, titled ? pattern : std::string_view(),
        {std::string(command->id) + (more ? " " : ""), std::string(command->title) + (more ? "…" : ""),
         reason.empty() ? w.keys(command->id) : reason, "palette/" + std::string(command->id), reason.empty(),
         0, more},
        reason.empty() ? 20 : -40);
  }
  for (const SampleInfo& info : sample_registry()) {
    add(entries, pattern,
        {"sample " + info.name, "Sample " + info.name, info.promise, "palette/sample/" + info.name});
  }
  for (const auto& panel : w.panels) {
    add(entries, pattern,
        {"panel " + std::string(panel->id()), "Panel " + std::string(panel->title()), "",
         "palette/panel/" + std::string(panel->id())});
  }
  for (std::size_t i = 0; i < w.programs.size(); ++i) {
    const ProgramRow& program = w.programs[i];
    add(entries, pattern,
        {fmt::format("program {}", i + 1), "Program " + program.title,
         program.process.empty() ? std::string(name_of(program.status.mode)) : program.process,
         fmt::format("palette/program/{}", i + 1)});
  }
  if (pattern.size() > 1 && w.a) {
    for (const GradientRow& row : w.a->gradients) {
      add(entries, pattern,
          {"select source " + row.source, row.source, "gradient", "palette/source/" + row.source});
    }
    const auto view = w.a->shown();
    for (std::size_t i = 0; view && i < std::min(view->ops.size(), kMostOps); ++i) {
      const OpRow& op = view->ops[i];
      add(entries, pattern,
          {fmt::format("select op {}", i), op.name.empty() ? std::string(op.op) : op.name,
           fmt::format("{} {}  {}", name_of(op.direction), text_of_op(*view, static_cast<std::uint32_t>(i)),
                       op.location),
           fmt::format("palette/op/{}", i)});
    }
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& x, const Entry& y) { return x.score > y.score; });
  if (entries.size() > kMostRows) entries.resize(kMostRows);
  return entries;
}

void carry_out(Workbench& w, const Entry& entry) {
  if (!entry.enabled) return;
  if (entry.more) {
    w.palette.text = entry.line;
    w.palette.just_opened = true;
    return;
  }
  w.palette.open = false;
  w.post(entry.line);
}

}  // namespace

void draw_palette(Workbench& w, PanelContext& c, ImVec2 window) {
  if (!w.palette.open) return;
  const Metrics& m = c.m();
  const float width = std::min(m.px(640), window.x - 2 * m.pad);
  const float row = m.px(26);
  std::vector<Entry> entries = matching(w, w.palette.text);
  const float most = std::max(row * 3, window.y - m.px(120));
  const float list_height =
      std::min({row * static_cast<float>(std::max<std::size_t>(entries.size(), 1)), row * 14, most});
  ImGui::SetNextWindowPos({std::round((window.x - width) / 2), m.menu_height + m.px(4)});
  ImGui::SetNextWindowSize({width, list_height + m.px(56)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(m.px(8), m.px(8)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, m.line);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, c.color(Color::raised));
  ImGui::Begin("palette", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(2);
  const bool opened = w.palette.just_opened;
  if (opened) {
    ImGui::SetWindowFocus();
    ImGui::SetKeyboardFocusHere();
  }
  // Enter, arrows and Esc are the palette's while its field has the focus.
  struct Typing {
    Workbench& w;
    int move = 0;
    bool opened = false;
  } typing{w, 0, opened};
  ImGui::SetNextItemWidth(-1);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(m.px(10), m.px(7)));
  const std::string before = w.palette.text;
  const bool entered = ImGui::InputTextWithHint(
      "##text", "Search commands, ops, variables", &w.palette.text,
      ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackHistory |
          ImGuiInputTextFlags_CallbackCompletion | ImGuiInputTextFlags_CallbackAlways,
      [](ImGuiInputTextCallbackData* data) {
        auto* state = static_cast<Typing*>(data->UserData);
        if (data->EventFlag == ImGuiInputTextFlags_CallbackHistory)
          state->move = data->EventKey == ImGuiKey_UpArrow ? -1 : 1;
        // Tab takes what is chosen into the line; of a line that is complete, what may follow it.
        if (data->EventFlag == ImGuiInputTextFlags_CallbackCompletion) {
          const std::string text(data->Buf, static_cast<std::size_t>(data->BufTextLen));
          const std::vector<Entry> entries = matching(state->w, text);
          std::size_t chosen =
              text == state->w.palette.text ? static_cast<std::size_t>(state->w.palette.chosen) : 0;
          if (chosen < entries.size() && entries[chosen].line == trimmed(text)) ++chosen;
          if (chosen < entries.size() && entries[chosen].enabled) {
            data->DeleteChars(0, data->BufTextLen);
            data->InsertChars(0, entries[chosen].line.c_str());
          }
        }
        // A command to be completed: the user types on behind it.
        if (state->opened) data->CursorPos = data->SelectionStart = data->SelectionEnd = data->BufTextLen;
        return 0;
      },
      &typing);
  // Enabled: it takes what is typed.
  c.map.item("palette/text", w.palette.text, ImGui::IsItemActive());
  // ImGui gives the field the focus a frame later, with all of its text selected: until then it is not open.
  if (opened && ImGui::IsItemActive()) w.palette.just_opened = false;
  if (w.palette.just_opened) c.wants_frame = true;
  const bool left =
      !opened && !ImGui::IsItemActive() && !ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows);
  ImGui::PopStyleVar();
  if (before != w.palette.text) {
    // Enter may come with the last letters.
    entries = matching(w, w.palette.text);
    w.palette.chosen = 0;
    c.wants_frame = true;
  }
  w.palette.chosen =
      std::clamp(w.palette.chosen + typing.move, 0, std::max(0, static_cast<int>(entries.size()) - 1));
  if (typing.move != 0) c.wants_frame = true;

  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  ImGui::BeginChild("rows", {0, 0}, false);
  ImDrawList* list = ImGui::GetWindowDrawList();
  int i = 0;
  for (const Entry& entry : entries) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float wide = ImGui::GetContentRegionAvail().x;
    ImGui::PushID(entry.id.c_str());
    const bool clicked = ImGui::InvisibleButton("entry", {std::max(1.0f, wide), row});
    ImGui::PopID();
    const bool hovered = ImGui::IsItemHovered();
    if (ImGui::IsItemVisible()) {
      c.map.item(entry.id, entry.title, entry.enabled);
      const bool chosen = i == w.palette.chosen;
      if (chosen || hovered) {
        list->AddRectFilled(at, {at.x + wide, at.y + row},
                            c.color(chosen ? Color::selection : Color::hovered), m.rounding);
      }
      if (chosen && typing.move != 0) ImGui::SetScrollHereY();
      const float title = draw_text(list, c.fonts.text, {at.x + m.px(10), centred(c.fonts.text, at.y, row)},
                                    c.color(entry.enabled ? Color::text : Color::dim),
                                    elide(c.fonts.text, entry.title, wide - m.px(20)));
      draw_text(list, c.fonts.small, {at.x + wide - m.px(10), centred(c.fonts.small, at.y, row)},
                c.color(Color::dim), elide(c.fonts.small, entry.note, wide - title - m.px(50)), Align::right);
    }
    if (clicked) carry_out(w, entry);
    ++i;
  }
  if (entries.empty()) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    draw_text(list, c.fonts.text, {at.x + m.px(10), centred(c.fonts.text, at.y, row)}, c.color(Color::dim),
              fmt::format("Nothing matches `{}`", w.palette.text));
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
  if (entered && !entries.empty()) carry_out(w, entries[static_cast<std::size_t>(w.palette.chosen)]);
  else if (left) w.palette.open = false;
  ImGui::End();
}

}  // namespace tapescope::ui
