// The first screen: one's own program, then a card for each sample with what it teaches, one of them chosen
// and one key away.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "imgui.h"

#include "imgui_stdlib.h"
#include "viewer/ui/widgets.h"
#include "viewer/window/chrome.h"

namespace tapescope::ui {
namespace {

constexpr float kCardInset = 14;  // from a card's sides to its words

// Cards across; arrows up and down move by a row.
int columns_for(float width, const Metrics& m) {
  return std::max(1, static_cast<int>((width - m.pad) / m.px(290)));
}

void choose(Workbench& w, const std::string& name) {
  w.welcome_choice = name;
  if (w.choice.sample != name) w.post("sample " + name);
}

void draw_card(Workbench& w, PanelContext& c, const SampleInfo& info, ImVec2 at, ImVec2 size) {
  const Metrics& m = c.m();
  const bool chosen = info.name == w.welcome_choice;
  ImGui::SetCursorScreenPos(at);
  ImGui::PushID(info.name.c_str());
  const bool clicked = ImGui::InvisibleButton("card", size);
  const bool hovered = ImGui::IsItemHovered();
  ImGui::PopID();
  if (!ImGui::IsItemVisible()) return;
  c.map.item("start/sample/" + info.name, info.name);
  if (clicked) choose(w, info.name);
  if (hovered && ImGui::IsMouseDoubleClicked(0)) c.commands.post("run");
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 max{at.x + size.x, at.y + size.y};
  list->AddRectFilled(at, max,
                      c.color(chosen    ? Color::selection
                              : hovered ? Color::hovered
                                        : Color::raised),
                      m.node_rounding);
  list->AddRect(at, max, c.color(chosen ? Color::cursor : Color::line), m.node_rounding, 0,
                chosen ? m.strong_line : m.line);
  const float left = at.x + m.px(kCardInset), right = max.x - m.px(kCardInset);
  float y = at.y + m.px(11);
  const std::string count =
      info.variants.size() > 1 ? fmt::format("{} variants", info.variants.size()) : std::string();
  const float count_w =
      draw_text(list, c.fonts.small, {right, y + m.px(1)}, c.color(Color::dim), count, Align::right);
  draw_text(list, c.fonts.bold, {left, y}, c.color(Color::text),
            elide(c.fonts.bold, info.name, right - left - count_w - m.pad));
  y += c.fonts.bold->FontSize + m.px(4);
  draw_wrapped(list, c.fonts.small, {left, y}, right - left, c.color(Color::dim), info.promise);
  tooltip_words(c, "start/sample/" + info.name, info.promise, chosen ? "Enter runs it" : "");
}

// Of the chosen sample's lesson beside the cards; 0 where there is no room.
float lesson_width(float width, const Metrics& m) {
  return width > m.px(760) ? std::clamp(width * 0.28f, m.px(300), m.px(440)) : 0;
}

// Returns where the samples begin on the screen.
float draw_cards(Workbench& w, PanelContext& c, const Rect& at) {
  const Metrics& m = c.m();
  const Region region("welcome-cards", at, c.color(Color::window));
  const float width = ImGui::GetContentRegionAvail().x;
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  ImDrawList* list = ImGui::GetWindowDrawList();
  const bool low = at.h < m.px(640);
  float y = origin.y + m.px(low ? 10 : 22);
  const float side = m.px(width > m.px(900) ? 36 : 16);
  const float left = origin.x + side, inner = width - 2 * side;
  draw_text(list, low ? c.fonts.title : c.fonts.headline, {left, y}, c.color(Color::text), "Debug a program");
  y += (low ? c.fonts.title : c.fonts.headline)->FontSize + m.px(4);
  draw_text(list, c.fonts.text, {left, y}, c.color(Color::dim),
            elide(c.fonts.text, "C++ with the library, TensorFlow or PyTorch: as it is, nothing to change.",
                  inner));
  y += c.fonts.text->FontSize + m.px(low ? 10 : 16);
  y += draw_start_cards(w, c, {left, y}, inner, at.h) + m.px(low ? 14 : 28);
  const float samples = y;
  const float lesson = lesson_width(at.w, m);
  const float cards = inner - (lesson > 0 ? lesson + m.gap - side + m.px(10) : 0);
  const float title =
      draw_text(list, c.fonts.title, {left, y}, c.color(Color::text), "Or learn from a sample");
  const std::string keys =
      fmt::format("{} programs; each shows one thing. Enter runs {}, arrows choose.",
                  sample_registry().size(), w.welcome_choice.empty() ? "the chosen one" : w.welcome_choice);
  const float room = cards - title - m.px(24);
  draw_text(list, c.fonts.small, {left + title + m.px(24), y + m.px(4)}, c.color(Color::dim),
            elide(c.fonts.small, keys, room));
  y += c.fonts.title->FontSize + m.px(14);
  const float gap = m.px(10);
  const int columns = columns_for(cards, m);
  const float card =
      std::floor((cards - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns));
  // All are as high as the longest promise needs.
  float words = 0;
  for (const SampleInfo& info : sample_registry())
    words = std::max(words, wrapped_height(c.fonts.small, info.promise, card - 2 * m.px(kCardInset)));
  const ImVec2 size{card, std::round(c.fonts.bold->FontSize + words + m.px(28))};
  int i = 0;
  for (const SampleInfo& info : sample_registry()) {
    const auto column = static_cast<float>(i % columns);
    draw_card(w, c, info, {left + column * (size.x + gap), y}, size);
    // A card that is newly chosen, by key, is brought into sight; then the user scrolls. At first the screen
    // begins at its head.
    ImGuiStorage& storage = *ImGui::GetStateStorage();
    const ImGuiID last = ImGui::GetID("last chosen");
    if (info.name == w.welcome_choice && storage.GetInt(last, i) != i) {
      const bool seen = (y >= at.y && y + size.y <= at.bottom()) || size.y > at.h;
      if (!seen) ImGui::SetScrollHereY();
      c.wants_frame |= !seen;
      if (seen) storage.SetInt(last, i);
    } else if (info.name == w.welcome_choice) {
      storage.SetInt(last, i);
    }
    if (++i % columns == 0) y += size.y + gap;
  }
  if (i % columns != 0) y += size.y + gap;
  ImGui::SetCursorScreenPos({origin.x, y});
  ImGui::Dummy({1, m.pad});
  return samples;
}

// A field for a parameter's value; what was typed is set by Enter, or by leaving the field.
void draw_parameter(Workbench& w, PanelContext& c, const std::string& name, const std::string& value,
                    float width) {
  const Metrics& m = c.m();
  ImGui::PushFont(c.fonts.mono);
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(name.c_str());
  ImGui::SameLine(std::min(m.px(150), width * 0.5f));
  WelcomeEdit& edit = w.welcome_edit;
  const bool edited = edit.parameter == name;
  std::string text = edited ? edit.text : value;
  ImGui::SetNextItemWidth(std::min(m.px(140), width * 0.5f));
  ImGui::PushID(name.c_str());
  // The lesson lies on the colour of fields.
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 1);
  ImGui::InputText("##value", &text);
  ImGui::PopStyleVar();
  ImGui::PopID();
  const std::string id = "welcome/parameter/" + name;
  c.map.item(id, text);
  ImGui::PopFont();
  tooltip_words(c, id, "The next run takes this value", "Enter");
  if (ImGui::IsItemActive()) {
    edit = {name, text};
  } else if (edited) {
    edit = {};
    if (text != value) c.commands.post(fmt::format("set {} {}", name, text));
  }
}

// What the chosen sample teaches, its variants, and the button that runs it.
void draw_lesson(Workbench& w, PanelContext& c, const Rect& at) {
  const Metrics& m = c.m();
  const Region region("welcome-lesson", at, c.color(Color::window));
  const auto& all = sample_registry();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const SampleInfo& s) { return s.name == w.welcome_choice; });
  if (found == all.end()) return;
  const SampleInfo& info = *found;
  const float inset = m.px(22);
  ImGui::SetCursorPos({inset, m.px(2)});
  const float width = at.w - 2 * inset;
  ImGui::BeginGroup();
  ImGui::PushFont(c.fonts.title);
  flowing_text(info.name, width);
  ImGui::PopFont();
  ImGui::PushStyleColor(ImGuiCol_Text, c.color(Color::text));
  flowing_text(info.promise, width);
  ImGui::PopStyleColor();
  ImGui::Dummy({1, m.px(4)});
  ImGui::PushStyleColor(ImGuiCol_Text, c.color(Color::dim));
  flowing_text(info.lesson, width);
  ImGui::PopStyleColor();
  ImGui::Dummy({1, m.px(6)});
  if (text_button(c, "welcome/run", fmt::format("Run {}", info.name), "Starts it", "run"))
    c.commands.post("run");
  if (info.variants.size() > 1) {
    ImGui::SameLine(0, m.px(8));
    if (text_button(c, "welcome/compare", "Compare A|B", "Runs the first two variants side by side")) {
      if (!w.comparing()) c.commands.post("compare");
      c.commands.post("run");
    }
    ImGui::Dummy({1, m.px(6)});
    ImGui::PushFont(c.fonts.bold);
    ImGui::TextUnformatted("Variants");
    ImGui::PopFont();
    // Side by side as far as they fit.
    float x = 0;
    for (const std::string& name : info.variants) {
      const float wide = text_width(c.fonts.text, name) + m.px(20);
      if (x > 0 && x + wide < width) ImGui::SameLine(0, m.px(6));
      else x = 0;
      x += wide + m.px(6);
      const bool active = name == w.choice.options.variant && !w.comparing();
      if (text_button(c, "welcome/variant/" + name, name, "Makes this variant the one that runs", {}, true,
                      active)) {
        c.commands.post("variant " + name);
      }
    }
  }
  if (!info.parameters.empty()) {
    ImGui::Dummy({1, m.px(6)});
    ImGui::PushFont(c.fonts.bold);
    ImGui::TextUnformatted("Parameters");
    ImGui::PopFont();
    for (const SampleParameter& parameter : info.parameters) {
      const auto set = w.choice.options.parameters.find(parameter.name);
      const std::string value =
          set == w.choice.options.parameters.end() ? parameter.default_value : set->second;
      draw_parameter(w, c, parameter.name, value, width);
      ImGui::PushStyleColor(ImGuiCol_Text, c.color(Color::dim));
      flowing_text(parameter.what, width);
      ImGui::PopStyleColor();
    }
  }
  ImGui::Dummy({1, m.px(6)});
  ImGui::PushStyleColor(ImGuiCol_Text, c.color(Color::dim));
  ImGui::PushFont(c.fonts.mono_small);
  flowing_text(info.file, width);
  ImGui::PopFont();
  ImGui::PopStyleColor();
  ImGui::Dummy({1, m.pad});
  ImGui::EndGroup();
}

}  // namespace

void draw_welcome(Workbench& w, PanelContext& c, const Rect& at) {
  if (w.welcome_choice.empty()) w.welcome_choice = w.choice.sample;
  const Metrics& m = c.m();
  const float samples = draw_cards(w, c, at);
  const float lesson = lesson_width(at.w, m), scrollbar = m.px(12);
  // Beside the samples; it stays in sight when they are scrolled.
  const float top = std::max(samples, at.y);
  if (lesson == 0 || at.bottom() - top < m.px(60)) return;
  draw_lesson(w, c, {at.right() - lesson - scrollbar, top, lesson, at.bottom() - top});
}

bool welcome_key(Workbench& w, const Chord& chord) {
  if (chord.ctrl || chord.alt || chord.shift) return false;
  const auto& all = sample_registry();
  if (all.empty()) return false;
  if (chord.key == Key::enter) {
    w.execute("run");
    return true;
  }
  const Metrics& m = w.theme.metrics;
  const float width = ImGui::GetIO().DisplaySize.x, lesson = lesson_width(width, m);
  const float side = m.px(width > m.px(900) ? 36 : 16);
  const int columns =
      columns_for(width - m.px(12) - 2 * side - (lesson > 0 ? lesson + m.gap - side + m.px(10) : 0), m);
  int move = 0;
  if (chord.key == Key::left) move = -1;
  else if (chord.key == Key::right) move = 1;
  else if (chord.key == Key::up) move = -columns;
  else if (chord.key == Key::down) move = columns;
  else return false;
  const auto at =
      std::find_if(all.begin(), all.end(), [&](const SampleInfo& s) { return s.name == w.welcome_choice; });
  const int from = at == all.end() ? 0 : static_cast<int>(at - all.begin());
  const int to = std::clamp(from + move, 0, static_cast<int>(all.size()) - 1);
  choose(w, all[static_cast<std::size_t>(to)].name);
  return true;
}

}  // namespace tapescope::ui
