// The head of the first screen: a program of the user's to start, to attach to, or as a recording.
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "imgui_stdlib.h"
#include "viewer/debugger/job_members.h"
#include "viewer/ui/widgets.h"
#include "viewer/window/chrome.h"

namespace tapescope::ui {
namespace {

constexpr float kInset = 16;  // from a card's sides to its words
constexpr float kCardHeight = 186;
constexpr float kRowHeight = 40;  // of two lines
constexpr std::size_t kMostRows = 8;

double seconds_now() { return static_cast<double>(std::time(nullptr)); }

// A card of the first screen with its title and keys; what is inside scrolls.
class Card {
 public:
  Card(PanelContext& c, const char* id, const char* title, const std::string& keys, const Rect& at)
      : c_(c), frame_(id, at, 0) {
    const Metrics& m = c.m();
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled({at.x, at.y}, {at.right(), at.bottom()}, c.color(Color::raised), m.node_rounding);
    list->AddRect({at.x, at.y}, {at.right(), at.bottom()}, c.color(Color::line), m.node_rounding, 0, m.line);
    const float left = at.x + m.px(kInset), y = at.y + m.px(12);
    draw_text(list, c.fonts.title, {left, y}, c.color(Color::text), title);
    draw_text(list, c.fonts.mono_small, {at.right() - m.px(kInset), y + m.px(3)}, c.color(Color::dim), keys,
              Align::right);
    const float head = m.px(12) + c.fonts.title->FontSize + m.px(8);
    inside_.emplace("inside", Rect{left, at.y + head, at.w - 2 * m.px(kInset), at.h - head - m.px(8)}, 0);
  }

  // One line in dim words.
  void say(const std::string& text) const {
    ImGui::PushStyleColor(ImGuiCol_Text, c_.color(Color::dim));
    flowing_text(text, ImGui::GetContentRegionAvail().x);
    ImGui::PopStyleColor();
  }

  // A row of two lines with something at the right of each. True where it is clicked.
  bool row(const std::string& id, const std::string& name, const std::string& right, const std::string& below,
           const std::string& tooltip) const {
    const Metrics& m = c_.m();
    const Row row = selectable_row(c_, id, name, m.px(kRowHeight), false);
    tooltip_words(c_, id, tooltip);
    if (!row.visible) return false;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float left = row.min.x + m.px(8), end = row.max.x - m.px(8);
    const float right_w = draw_text(list, c_.fonts.small, {end, row.min.y + m.px(5)}, c_.color(Color::dim),
                                    right, Align::right);
    draw_text(list, c_.fonts.bold, {left, row.min.y + m.px(4)}, c_.color(Color::text),
              elide(c_.fonts.bold, name, end - left - right_w - m.pad));
    draw_text(list, c_.fonts.small, {left, row.min.y + m.px(6) + c_.fonts.bold->FontSize},
              c_.color(Color::dim), elide_middle(c_.fonts.small, below, end - left));
    return row.clicked;
  }

 private:
  PanelContext& c_;
  const Region frame_;
  std::optional<Region> inside_;
};

void draw_launch(Workbench& w, PanelContext& c, const Rect& at) {
  const Metrics& m = c.m();
  const Card card(c, "start-launch", "Launch", w.keys("launch"), at);
  card.say("A program that uses the library, or PROGRAM.py");
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - text_width(c.fonts.text, "Launch") - m.px(28));
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                      ImVec2(m.px(8), (m.px(26) - ImGui::GetFontSize()) / 2));  // as high as the button
  const bool entered = ImGui::InputTextWithHint("##line", "train.py --epochs 3", &w.launch_line,
                                                ImGuiInputTextFlags_EnterReturnsTrue);
  ImGui::PopStyleVar();
  c.map.item("start/launch/line", w.launch_line);
  tooltip_words(c, "start/launch/line", "A program and its arguments; it stands before its first op",
                "Enter");
  ImGui::SameLine(0, m.px(8));
  const bool given = w.launch_line.find_first_not_of(' ') != std::string::npos;
  const bool pressed = text_button(
      c, "start/launch", "Launch",
      given ? "Starts it; it stands before its first op" : "Type a program at the left", "launch", given);
  if (given && (entered || pressed)) c.commands.post("launch " + w.launch_line);
  ImGui::Dummy({1, m.px(2)});
  for (std::size_t i = 0; i < std::min(kMostRows, w.settings.launched.size()); ++i) {
    const std::string& line = w.settings.launched[i];
    const std::string id = fmt::format("start/launched/{}", i);
    const Row row = selectable_row(c, id, line, m.row_height, false);
    tooltip_words(c, id, "Puts it above, to be started again");
    if (row.clicked) w.launch_line = line;
    if (!row.visible) continue;
    draw_text(ImGui::GetWindowDrawList(), c.fonts.mono_small,
              {row.min.x + m.px(8), centred(c.fonts.mono_small, row.min.y, m.row_height)},
              c.color(Color::value_text), elide(c.fonts.mono_small, line, row.max.x - row.min.x - m.px(16)));
  }
}

void draw_attach(Workbench& w, PanelContext& c, const Rect& at) {
  const Card card(c, "start-attach", "Attach", w.keys("attach"), at);
  const std::vector<live::Listener> programs = w.live.programs();
  if (programs.empty()) {
    card.say(
        "No program of yours listens. Start one with TAPESCOPE_LISTEN=1 in its environment: it is listed "
        "here, "
        "and runs as it would alone until you click it.");
    return;
  }
  for (const LiveJob& job : live_jobs(programs)) {
    const std::string ranks = job.size > job.processes.size()
                                  ? fmt::format("{} of {} ranks", job.processes.size(), job.size)
                                  : fmt::format("{} ranks", job.processes.size());
    if (card.row(
            "start/job/" + job.name, job.program + ", all ranks", ranks, "job " + job.name,
            job.taken ? "Another window has one of them" : "Shows all ranks of the job while they run") &&
        !job.taken)
      c.commands.post("job " + job.name);
  }
  for (const live::Listener& program : programs) {
    const std::string since = format_age(seconds_now() - program.greeting.since);
    const bool taken = program.greeting.attached != 0;
    std::string state = taken ? fmt::format("attached to by process {}", program.greeting.attached)
                              : fmt::format("process {}", program.pid);
    if (program.greeting.rank) state = fmt::format("rank {}, {}", *program.greeting.rank, state);
    if (card.row(fmt::format("start/attach/{}", program.pid), program.greeting.name, since, state,
                 taken ? "Another window has it" : "Shows it while it runs") &&
        !taken)
      c.commands.post(fmt::format("attach {}", program.pid));
  }
}

void draw_open(Workbench& w, PanelContext& c, const Rect& at) {
  const Card card(c, "start-open", "Open a recording", w.keys("open"), at);
  bool any = false;
  for (std::size_t i = 0; i < std::min(kMostRows, w.settings.recent.size()); ++i) {
    const std::string& path = w.settings.recent[i];
    struct stat file {};
    if (stat(path.c_str(), &file) != 0) continue;  // moved or deleted: it may come back
    any = true;
    const std::filesystem::path name(path);
    const std::string age = format_age(seconds_now() - static_cast<double>(file.st_mtime)) + " ago";
    if (card.row(fmt::format("start/open/{}", i), name.filename().string(),
                 fmt::format("{} · {}", format_bytes(static_cast<double>(file.st_size)), age),
                 name.parent_path().string(), path))
      c.commands.post("open " + path);
  }
  if (any) return;
  card.say(fmt::format(
      "Recordings that you open are listed here. {} opens one; so does a .tape file dropped on the "
      "window, or its name on the command line.",
      w.keys("open")));
  ImGui::Dummy({1, c.m().px(4)});
  card.say("To make one: tapescope record -o mine.tape -- PROGRAM");
}

}  // namespace

float draw_start_cards(Workbench& w, PanelContext& c, ImVec2 at, float width) {
  const Metrics& m = c.m();
  const float gap = m.px(10), least = m.px(250);
  const int columns = std::clamp(static_cast<int>((width + gap) / (least + gap)), 1, 3);
  const float wide =
      std::floor((width - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns));
  const float high = m.px(kCardHeight);
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
