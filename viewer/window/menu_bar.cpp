// The menu bar: menus made from the command table, the search box in the middle, what runs at the right.
#include <fmt/format.h>

#include <algorithm>

#include "viewer/debugger/recording.h"
#include "viewer/ui/widgets.h"
#include "viewer/window/chrome.h"

namespace tapescope::ui {
namespace {

void draw_command_item(Workbench& w, PanelContext& c, const Command& command) {
  const std::string reason = w.unavailable(command);
  const std::string title =
      std::string(command.title) + (command.needs_argument() ? "…" : "") + "##" + std::string(command.id);
  if (ImGui::MenuItem(title.c_str(), w.keys(command.id).c_str(), false, reason.empty())) {
    if (command.needs_argument()) w.ask_for(command.id);
    else c.commands.post(std::string(command.id));
  }
  const std::string id = "menu/" + std::string(command.id);
  c.map.item(id, command.title, reason.empty());
  tooltip_words(
      c, id,
      reason.empty() ? std::string(command.help) : std::string(command.help) + " Not now: " + reason + ".");
}

// Samples, variants and panels are reached from here as well, for windows too narrow for their boxes.
void draw_lists(Workbench& w, PanelContext& c, std::string_view menu) {
  if (menu == "Run") {
    ImGui::Separator();
    if (ImGui::BeginMenu("Sample")) {
      for (const SampleInfo& info : sample_registry()) {
        if (ImGui::MenuItem(info.name.c_str(), nullptr, info.name == w.choice.sample))
          c.commands.post("sample " + info.name);
      }
      ImGui::EndMenu();
    }
    if (!w.choice.sample.empty() && ImGui::BeginMenu("Variant")) {
      for (const std::string& name : variants_of(w.choice.sample)) {
        const bool chosen = name == w.choice.options.variant && !w.comparing();
        if (ImGui::MenuItem(name.c_str(), nullptr, chosen)) c.commands.post("variant " + name);
      }
      ImGui::EndMenu();
    }
  }
  if (menu == "View") {
    ImGui::Separator();
    for (const auto& panel : w.panels) {
      const std::string id(panel->id());
      if (ImGui::MenuItem((std::string(panel->title()) + "##panel-" + id).c_str(), nullptr,
                          w.state.panel == id)) {
        c.commands.post("panel " + id);
      }
    }
  }
}

}  // namespace

void draw_menu_bar(Workbench& w, PanelContext& c, const Rect& at) {
  const Metrics& m = c.m();
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                      ImVec2(m.px(4), (m.menu_height - c.fonts.text->FontSize) / 2));
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(m.px(18), m.px(6)));
  // ImGui's own bar is as high as its text wants; the rest of ours is filled here.
  ImGui::GetWindowDrawList()->AddRectFilled({at.x, at.y}, {at.right(), at.bottom()}, c.color(Color::panel));
  float menus_end = at.x;
  if (ImGui::BeginMenuBar()) {
    ImGui::SetCursorPosX(m.px(10));
    for (const char* menu : {"File", "Run", "View", "Go", "Help"}) {
      ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(m.px(10), m.px(8)));
      const bool open = ImGui::BeginMenu(menu);
      std::string id = menu;
      std::transform(id.begin(), id.end(), id.begin(),
                     [](unsigned char x) { return static_cast<char>(std::tolower(x)); });
      if (!open) c.map.item("menubar/" + id, menu);
      if (open) {
        ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(m.px(8), m.px(6)));
        for (const Command* command : w.table.all()) {
          if (command->menu == menu) draw_command_item(w, c, *command);
        }
        draw_lists(w, c, menu);
        ImGui::PopStyleVar();
        ImGui::EndMenu();
      }
      ImGui::PopStyleVar();
    }
    menus_end = ImGui::GetCursorScreenPos().x;

    // The search box: the palette's door.
    const float wanted = m.px(380);
    const std::string right_text =
        !shows_sample(w) ? w.choice.sample
                         : fmt::format("{} · seed {} · {} thread{}", w.choice.sample, w.choice.options.seed,
                                       w.choice.options.threads, w.choice.options.threads == 1 ? "" : "s");
    const float right_width = text_width(c.fonts.small, right_text) + 2 * m.px(14);
    const bool with_right = at.w - menus_end - right_width > m.px(160);
    float left = std::max(menus_end + m.pad, at.x + (at.w - wanted) / 2);
    float end = std::min(left + wanted, at.right() - (with_right ? right_width : m.pad));
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (end - left > m.px(60)) {
      const float y = at.y + m.px(4), height = at.h - m.px(8);
      ImGui::SetCursorScreenPos({left, y});
      if (ImGui::InvisibleButton("search", {end - left, height})) c.commands.post("palette");
      const bool hovered = ImGui::IsItemHovered();
      c.map.item("menubar/search", "Search commands, ops, variables");
      tooltip_words(c, "menubar/search", "Every command by name; ops and variables too", w.keys("palette"));
      list->AddRectFilled({left, y}, {end, y + height}, c.color(hovered ? Color::hovered : Color::raised),
                          m.rounding);
      list->AddRect({left, y}, {end, y + height}, c.color(Color::line), m.rounding, 0, m.line);
      const std::string keys = w.keys("palette");
      const float keys_width = text_width(c.fonts.small, keys);
      const float text_y = centred(c.fonts.small, y, height);
      const bool with_keys = end - left > keys_width + m.px(120);
      const float text_room = end - left - 2 * m.pad - (with_keys ? keys_width + m.pad : 0);
      for (const char* const words : {"Search commands, ops, variables", "Search commands", "Search"}) {
        if (text_width(c.fonts.small, words) > text_room) continue;
        draw_text(list, c.fonts.small, {left + m.pad, text_y}, c.color(Color::dim), words);
        break;
      }
      if (with_keys)
        draw_text(list, c.fonts.small, {end - m.px(10), text_y}, c.color(Color::dim), keys, Align::right);
    }
    if (with_right) {
      draw_text(list, c.fonts.small, {at.right() - m.px(14), centred(c.fonts.small, at.y, at.h)},
                c.color(Color::dim), right_text, Align::right);
    }
    ImGui::EndMenuBar();
  }
  ImGui::PopStyleVar(2);
}

}  // namespace tapescope::ui
