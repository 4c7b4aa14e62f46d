// The head of the first screen: a program of the user's to attach to, or as a recording. The card that
// launches one is in start_launch.cpp.
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>

#include <fmt/format.h>

#include "imgui.h"

#include "imgui_stdlib.h"
#include "viewer/debugger/job_members.h"
#include "viewer/window/start_card.h"

namespace tapescope::ui {
namespace {

constexpr float kCardHeight = 340, kLowCardHeight = 252;
constexpr float kHighEnough = 760;  // of the screen, for the former
constexpr float kRowHeight = 40;    // of two lines
constexpr std::size_t kMostRows = 12;

double seconds_now() { return static_cast<double>(std::time(nullptr)); }

// Where the columns of the list of programs end, from the right.
struct Columns {
  float pid, since, framework;
};
Columns columns_of(const Metrics& m, float left, float right) {
  const bool wide = right - left > m.px(340);
  return {right, right - m.px(62), wide ? right - m.px(190) : right};
}

struct ProgramLine {
  std::string id, name, below, framework, since, pid, tooltip, command;
  bool taken = false;
};

void draw_program_line(PanelContext& c, const ProgramLine& line) {
  const Metrics& m = c.m();
  const Row row = selectable_row(c, line.id, line.name, m.px(kRowHeight), false);
  tooltip_words(c, line.id, line.taken ? "Another window has it" : line.tooltip);
  if (row.clicked && !line.taken) c.commands.post(line.command);
  if (!row.visible) return;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float left = row.min.x + m.px(8), right = row.max.x - m.px(8);
  const Columns at = columns_of(m, left, right);
  const bool wide = at.framework < right;
  const float middle = centred(c.fonts.small, row.min.y, m.px(kRowHeight));
  draw_text(list, c.fonts.mono_small, {at.pid, middle}, c.color(Color::dim), line.pid, Align::right);
  draw_text(list, c.fonts.small, {at.since, middle}, c.color(Color::dim), line.since, Align::right);
  if (wide)
    draw_text(list, c.fonts.small, {at.framework, middle}, c.color(Color::dim),
              elide(c.fonts.small, line.framework, m.px(100)));
  const float room = (wide ? at.framework : at.since - m.px(50)) - left - m.px(8);
  draw_text(list, c.fonts.bold, {left, row.min.y + m.px(4)}, c.color(line.taken ? Color::dim : Color::text),
            elide(c.fonts.bold, line.name, room));
  const std::string below = wide || line.framework.empty() ? line.below : line.framework + " · " + line.below;
  draw_text(list, c.fonts.small, {left, row.min.y + m.px(6) + c.fonts.bold->FontSize}, c.color(Color::dim),
            elide(c.fonts.small, below, room));
}

// Of a program on this machine, or on that host.
ProgramLine line_of(const live::Listener& program, const std::string& host) {
  const live::Greeting& greeting = program.greeting;
  std::string below = host.empty() ? "here" : host;
  if (greeting.rank) below = fmt::format("rank {} · {}", *greeting.rank, below);
  if (greeting.attached != 0) below = fmt::format("in the window of process {}", greeting.attached);
  const std::string which =
      host.empty() ? fmt::format("{}", program.pid) : fmt::format("{}/{}", host, program.pid);
  return {.id = "start/attach/" + which,
          .name = greeting.name,
          .below = below,
          .framework = greeting.framework.empty() ? "C++" : greeting.framework,
          .since = format_age(seconds_now() - greeting.since),
          .pid = fmt::format("{}", program.pid),
          .tooltip = "Shows it while it runs",
          .command = "attach " + which,
          .taken = greeting.attached != 0};
}

void draw_programs_that_run(PanelContext& c, const std::vector<live::Listener>& programs,
                            const LiveList::Host& host) {
  for (const LiveJob& job : live_jobs(programs)) {
    const std::string ranks = job.size > job.processes.size()
                                  ? fmt::format("{} of {} ranks", job.processes.size(), job.size)
                                  : fmt::format("{} ranks", job.processes.size());
    draw_program_line(c, {.id = "start/job/" + job.name,
                          .name = job.program + ", all of the job",
                          .below = job.name,
                          .framework = ranks,
                          .since = {},
                          .pid = {},
                          .tooltip = "Shows all ranks of the job while they run",
                          .command = "job " + job.name,
                          .taken = job.taken});
  }
  for (const live::Listener& program : programs) draw_program_line(c, line_of(program, {}));
  for (const live::Listener& program : host.programs) draw_program_line(c, line_of(program, host.address));
  ImGui::PushStyleColor(ImGuiCol_Text, c.color(Color::dim));
  const float width = ImGui::GetContentRegionAvail().x;
  if (host.asked) flowing_text(fmt::format("Asking {}…", host.address), width);
  else if (!host.problem.empty()) flowing_text(host.problem, width);
  else if (!host.address.empty() && host.programs.empty())
    flowing_text(fmt::format("No program of yours listens on {}.", host.address), width);
  if (programs.empty() && host.programs.empty())
    flowing_text(
        "Nothing to attach to. A program is listed here when it runs with TAPESCOPE_LISTEN=1 in its "
        "environment; it runs on as it would alone until you click it.",
        width);
  ImGui::PopStyleColor();
}

void draw_heads(PanelContext& c, const Rect& in) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Columns columns = columns_of(c.m(), in.x + c.m().px(8), in.right() - c.m().px(8));
  const ImU32 dim = c.color(Color::dim);
  draw_text(list, c.fonts.small, {in.x + c.m().px(8), in.y}, dim, "program");
  if (columns.framework < columns.pid)
    draw_text(list, c.fonts.small, {columns.framework, in.y}, dim, "framework");
  draw_text(list, c.fonts.small, {columns.since, in.y}, dim, "since", Align::right);
  draw_text(list, c.fonts.small, {columns.pid, in.y}, dim, "pid", Align::right);
}

void draw_attach(Workbench& w, PanelContext& c, const Rect& at) {
  const Metrics& m = c.m();
  StartCard card(c, "start-attach", "Attach", w.keys("attach"), at);
  const Rect in = card.inside();
  ImGui::SetCursorScreenPos({in.x, at.y});
  if (ImGui::InvisibleButton("title", {std::max(1.0f, in.w), in.y - at.y})) w.ask_for("attach");
  c.map.item("start/attach", "Attach");
  tooltip_words(c, "start/attach", "By name, process or ssh://HOST/NAME", w.keys("attach"));
  const std::vector<live::Listener> programs = w.live.programs();
  const LiveList::Host host = w.live.host();
  const bool any = !programs.empty() || !host.programs.empty();
  if (any) draw_heads(c, in);
  const float foot = card.low() ? m.px(30) : m.px(52), head = any ? m.px(20) : 0;
  {
    const Region rows("rows", {in.x, in.y + head, in.w, in.h - head - foot - m.px(6)}, 0);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, m.px(2)));
    draw_programs_that_run(c, programs, host);
    ImGui::PopStyleVar();
  }
  const float button = text_width(c.fonts.text, "List its programs") + m.px(20);
  const Rect field{in.x, in.bottom() - foot, in.w - button - m.px(10), foot};
  const bool entered =
      card.field("start/attach/host", card.low() ? "" : "on another machine", "ssh://host",
                 "Programs that listen on another machine, through your ssh", w.attach_host, field);
  ImGui::SetCursorScreenPos({field.right() + m.px(10), in.bottom() - m.px(26)});
  const bool given = !w.attach_host.empty();
  const bool pressed = text_button(c, "start/attach/list", "List its programs",
                                   given ? "Asks that machine" : "Give a machine at the left", {}, given);
  if (given && (entered || pressed)) w.live.ask(w.attach_host);
  card.end();
}

// A row with its colour at the left edge. True where it is clicked.
bool recording_row(PanelContext& c, const std::string& id, const std::string& path, const RecordingNote* note,
                   const struct stat& file) {
  const Metrics& m = c.m();
  const std::filesystem::path name(path);
  const Row row = selectable_row(c, id, name.filename().string(), m.px(kRowHeight), false);
  tooltip_words(c, id, path);
  if (!row.visible) return false;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const bool bad = note != nullptr && !note->ending.empty();
  list->AddRectFilled({row.min.x, row.min.y + m.px(2)}, {row.min.x + m.px(3), row.max.y - m.px(2)},
                      c.color(bad ? Color::broken : Color::value));
  const float left = row.min.x + m.px(14), right = row.max.x - m.px(10);
  std::string size = format_bytes(static_cast<double>(file.st_size));
  if (note != nullptr)
    size = fmt::format("{} step{} · {}", format_count(static_cast<double>(note->steps)),
                       note->steps == 1 ? "" : "s", size);
  const float size_w =
      draw_text(list, c.fonts.small, {right, row.min.y + m.px(5)}, c.color(Color::dim), size, Align::right);
  draw_text(list, c.fonts.bold, {left, row.min.y + m.px(4)}, c.color(Color::text),
            elide_middle(c.fonts.bold, name.filename().string(), right - left - size_w - m.pad));
  const float y = row.min.y + m.px(6) + c.fonts.bold->FontSize;
  const std::string age = format_age(seconds_now() - static_cast<double>(file.st_mtime)) + " ago";
  const float age_w = draw_text(list, c.fonts.small, {right, y}, c.color(Color::dim), age, Align::right);
  std::string below = bad ? note->ending : note != nullptr ? note->framework : std::string();
  if (below.empty()) below = name.parent_path().string();
  draw_text(list, c.fonts.small, {left, y}, c.color(bad ? Color::broken_text : Color::dim),
            elide_middle(c.fonts.small, below, right - left - age_w - m.pad));
  return row.clicked;
}

void draw_open(Workbench& w, PanelContext& c, const Rect& at) {
  const Metrics& m = c.m();
  StartCard card(c, "start-open", "Open a recording", w.keys("open"), at);
  const Rect in = card.inside();
  const float zone = card.low() ? m.px(44) : m.px(62);
  {
    const Region rows("rows", {in.x, in.y, in.w, in.h - zone - m.px(10)}, 0);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, m.px(4)));
    bool any = false;
    for (std::size_t i = 0; i < std::min(kMostRows, w.settings.recent.size()); ++i) {
      const std::string& path = w.settings.recent[i];
      struct stat file {};
      if (stat(path.c_str(), &file) != 0) continue;  // moved or deleted: it may come back
      any = true;
      const auto note = w.settings.notes.find(path);
      const bool fresh =
          note != w.settings.notes.end() && note->second.changed == static_cast<double>(file.st_mtime);
      if (recording_row(c, fmt::format("start/open/{}", i), path, fresh ? &note->second : nullptr, file))
        c.commands.post("open " + path);
    }
    if (!any) {
      ImGui::PushStyleColor(ImGuiCol_Text, c.color(Color::dim));
      flowing_text("Recordings that you open are listed here. To make one:",
                   ImGui::GetContentRegionAvail().x);
      ImGui::PopStyleColor();
      const FontScope font(c.fonts.mono_small);
      ImGui::PushStyleColor(ImGuiCol_Text, c.color(Color::value_text));
      flowing_text("tapescope record -o mine.tape -- PROGRAM", ImGui::GetContentRegionAvail().x);
      ImGui::PopStyleColor();
    }
    ImGui::PopStyleVar();
  }
  // Where files are dropped; the whole window takes them, too.
  const ImVec2 min{in.x, in.bottom() - zone}, max{in.right(), in.bottom()};
  ImGui::SetCursorScreenPos(min);
  if (ImGui::InvisibleButton("open", {std::max(1.0f, in.w), zone})) w.ask_for("open");
  c.map.item("start/open", "Open a recording");
  const bool hovered = ImGui::IsItemHovered();
  tooltip_words(c, "start/open", "Files are offered as you type; two that are dropped are compared",
                w.keys("open"));
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (hovered) list->AddRectFilled(min, max, c.color(Color::hovered), m.rounding);
  draw_dashed_rect(list, min, max, c.color(Color::faint), m.rounding, m.line, m.px(5), m.px(4));
  const float middle = (min.x + max.x) / 2,
              lines = c.fonts.text->FontSize + c.fonts.small->FontSize + m.px(3);
  float y = std::round(min.y + (zone - lines) / 2);
  draw_text(list, c.fonts.text, {middle, y}, c.color(Color::text),
            elide(c.fonts.text, "drop .tape files here, or click to choose one", in.w - m.px(12)),
            Align::centre);
  y += c.fonts.text->FontSize + m.px(3);
  draw_text(list, c.fonts.small, {middle, y}, c.color(Color::dim), "two of them: compare", Align::centre);
  card.end();
}

}  // namespace

StartCard::StartCard(PanelContext& c, const char* id, const char* title, const std::string& keys,
                     const Rect& at)
    : c_(c), at_(at), low_(at.h < c.m().px(kCardHeight) - 1), frame_(id, at, 0) {
  const Metrics& m = c.m();
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled({at.x, at.y}, {at.right(), at.bottom()}, c.color(Color::panel), m.node_rounding);
  const float inset = m.px(low_ ? 14 : 18), y = at.y + m.px(low_ ? 10 : 14);
  draw_text(list, c.fonts.title, {at.x + inset, y}, c.color(Color::text), title);
  draw_text(list, c.fonts.mono_small, {at.right() - inset, y + m.px(3)}, c.color(Color::dim), keys,
            Align::right);
  const float head = y - at.y + c.fonts.title->FontSize + m.px(8);
  inside_ = {at.x + inset, at.y + head, at.w - 2 * inset, at.h - head - m.px(low_ ? 10 : 14)};
}

bool StartCard::field(const char* id, const char* label, const std::string& hint, const char* tooltip,
                      std::string& text, const Rect& at, bool focus) {
  const Metrics& m = c_.m();
  if (*label != '\0')
    draw_text(ImGui::GetWindowDrawList(), c_.fonts.small, {at.x, at.y}, c_.color(Color::dim), label);
  ImGui::SetCursorScreenPos({at.x, at.bottom() - m.px(26)});
  ImGui::SetNextItemWidth(at.w);
  const FontScope font(c_.fonts.mono);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(m.px(9), (m.px(26) - ImGui::GetFontSize()) / 2));
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, m.line);
  ImGui::PushID(id);
  if (focus) {
    ImGui::SetWindowFocus();
    ImGui::SetKeyboardFocusHere();
  }
  const bool entered =
      ImGui::InputTextWithHint("##field", hint.c_str(), &text, ImGuiInputTextFlags_EnterReturnsTrue);
  ImGui::PopID();
  ImGui::PopStyleVar(2);
  c_.map.item(id, text);
  const bool active = ImGui::IsItemActive();
  active_ |= active;
  if (active) {
    ImGui::GetWindowDrawList()->AddRect(ImGui::GetItemRectMin(), ImGui::GetItemRectMax(),
                                        c_.color(Color::cursor), m.rounding, 0, m.line);
  }
  const FontScope words(c_.fonts.text);
  tooltip_words(c_, id, tooltip);
  return entered;
}

void StartCard::end() {
  const Metrics& m = c_.m();
  ImGui::GetWindowDrawList()->AddRect({at_.x, at_.y}, {at_.right(), at_.bottom()},
                                      c_.color(active_ ? Color::cursor : Color::line), m.node_rounding, 0,
                                      active_ ? m.strong_line : m.line);
}

float draw_start_cards(Workbench& w, PanelContext& c, ImVec2 at, float width, float screen) {
  const Metrics& m = c.m();
  const float gap = m.px(16), least = m.px(280);
  const int columns = std::clamp(static_cast<int>((width + gap) / (least + gap)), 1, 3);
  const float wide =
      std::floor((width - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns));
  const float high = m.px(screen >= m.px(kHighEnough) ? kCardHeight : kLowCardHeight);
  const auto place = [&](int i) {
    return Rect{at.x + static_cast<float>(i % columns) * (wide + gap),
                at.y + static_cast<float>(i / columns) * (high + gap), wide, high};
  };
  draw_launch(w, c, place(0));
  draw_attach(w, c, place(1));
  draw_open(w, c, place(2));
  const int rows = (3 + columns - 1) / columns;
  return static_cast<float>(rows) * (high + gap) - gap;
}

}  // namespace tapescope::ui
