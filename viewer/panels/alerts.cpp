// Words, signs and rows of alerts.
#include "viewer/panels/alerts.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "viewer/model/verdict.h"

namespace tapescope::ui {
namespace {
constexpr float kRow = 50;            // the mock's: two lines
constexpr std::size_t kMostRows = 4;  // before the list scrolls and the gradients below get the room
// One line a threshold: what it means, and a field that takes another number.
void draw_thresholds(PanelContext& c) {
  const float field = c.m().px(96);
  float words = 0;
  for (const ThresholdText& text : threshold_texts())
    words = std::max(words, text_width(c.fonts.text, text.label));
  for (const ThresholdText& text : threshold_texts()) {
    double value = c.thresholds.*(text.value);
    const std::string id = fmt::format("alerts/threshold/{}", text.id);
    const float left = ImGui::GetCursorPosX();
    ImGui::AlignTextToFramePadding();
    ImGui::SetCursorPosX(left + words - text_width(c.fonts.text, text.label));
    ImGui::TextUnformatted(text.label.data(), text.label.data() + text.label.size());
    ImGui::SameLine(left + words + c.m().px(12));
    ImGui::SetNextItemWidth(field);
    ImGui::PushID(id.c_str());
    ImGui::PushFont(c.fonts.mono);
    ImGui::InputDouble("##value", &value, 0, 0, "%g");
    // The field keeps what is typed until it is left; one out of range is refused by the command, in words.
    if (ImGui::IsItemDeactivatedAfterEdit())
      c.commands.post(fmt::format("threshold {} {:g}", text.id, value));
    ImGui::PopFont();
    ImGui::PopID();
    c.map.item(id, fmt::format("{:g}", c.thresholds.*(text.value)));
  }
  ImGui::Dummy({1, c.m().px(4)});
  const bool changed = c.thresholds != AlertThresholds{};
  if (text_button(c, "alerts/threshold-defaults", "Defaults",
                  changed ? "Takes every change back" : "Nothing was changed", {}, changed)) {
    c.commands.post("threshold defaults");
  }
}

// What goes on over the whole run has no step to go to.
bool has_step(const Snapshot& snapshot, const AlertRow& alert) {
  return alert.kind != kTruncated && alert.kind != "retrace" && alert.kind != "straggler" &&
         !snapshot.steps.empty() && alert.step >= snapshot.steps[0].step &&
         alert.step <= snapshot.steps.back().step;
}

// Where it does not fit the place keeps its room: it is what one looks for.
void draw_detail(PanelContext& c, ImVec2 at, float room, const std::string& detail,
                 const std::string& place) {
  const ImU32 ink = c.color(Color::dim);
  const float width = text_width(c.fonts.mono_small, place);
  const std::string between = " · ";
  const float rest = room - width - text_width(c.fonts.mono_small, between);
  if (place.empty() || !detail.ends_with(between + place) || text_width(c.fonts.mono_small, detail) <= room ||
      width > room) {
    draw_elided(c, c.fonts.mono_small, at, room, ink, detail);
    return;
  }
  std::string before;
  if (rest >= c.m().px(24))
    before =
        elide(c.fonts.mono_small, detail.substr(0, detail.size() - place.size() - between.size()), rest) +
        between;
  draw_text(ImGui::GetWindowDrawList(), c.fonts.mono_small, at, ink, before + place);
}

// What to do about it, beneath the row that is selected.
struct Story {
  std::string message, fix;
  float message_height = 0, height = 0;
};

Story story_of(PanelContext& c, const AlertRow& alert, float width) {
  Story story{alert.message, alert.fix, 0, 0};
  if (story.message.empty() && story.fix.empty()) return story;
  story.message_height = wrapped_height(c.fonts.text, story.message, width);
  story.height = story.message_height + c.m().px(8);
  if (!story.fix.empty()) story.height += wrapped_height(c.fonts.text, story.fix, width) + c.m().px(4);
  return story;
}

// What it is about is named by as much of its end as fits, so that what is wrong with it can be read.
std::string fitting_subject(const PanelContext& c, const AlertText& text, const AlertRow& alert, float room) {
  const std::size_t at = alert.subject.empty() ? text.subject.npos : text.subject.find(alert.subject);
  const float width = text_width(c.fonts.text, text.subject);
  if (at == text.subject.npos || width <= room) return text.subject;
  const float for_name = room - width + text_width(c.fonts.text, alert.subject);
  if (for_name < c.m().px(40)) return text.subject;
  std::string fitting = text.subject;
  return fitting.replace(at, alert.subject.size(), elide_name(c.fonts.text, alert.subject, for_name));
}

// The step's number, which goes there when it is clicked, at the right of a line that begins at `down`.
// Returns its left edge.
float draw_step(PanelContext& c, const Row& row, std::size_t index, std::uint64_t step, float down) {
  const std::string words = fmt::format("step {}", c.step_shown(step));
  const float right = row.max.x - c.m().px(10), left = right - text_width(c.fonts.mono_small, words),
              top = row.min.y + down, bottom = top + c.m().px(18);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool hovered =
      row.hovered && mouse.x >= left && mouse.x < right && mouse.y >= top && mouse.y < bottom;
  draw_text(ImGui::GetWindowDrawList(), c.fonts.mono_small,
            {left, centred(c.fonts.mono_small, top, bottom - top)},
            c.color(hovered ? Color::value_text : Color::dim), words);
  c.map.rect(fmt::format("alerts/step/{}", index), words, {left, top}, {right, bottom});
  if (hovered && row.clicked) c.commands.post(fmt::format("go-step {}", c.step_shown(step)));
  return left;
}

bool is_zero(const GradientRow& row) { return row.status == GradientStatus::zero; }

// A gradient that is zero in one step is no alert: it may be right. Who looks here is led to it. While the
// program runs its next step may have none.
const GradientRow* zero_gradient(const PanelContext& c) {
  if (c.a == nullptr || !c.a->alerts.empty() || c.status.mode == RunMode::running) return nullptr;
  const auto zero = std::ranges::find_if(c.a->gradients, is_zero);
  return zero == c.a->gradients.end() ? nullptr : &*zero;
}

void draw_without_alerts(PanelContext& c) {
  const std::uint64_t steps = c.a != nullptr ? c.a->steps.count() : 0;
  if (steps == 0)
    return empty_state(c, "None, NaN, vanishing or dead gradients, retraces and tape leaks appear here.");
  const std::string of_steps = fmt::format("in {} step{}", steps, steps == 1 ? "" : "s");
  if (const GradientRow* const zero = zero_gradient(c)) {
    const auto others = std::ranges::count_if(c.a->gradients, is_zero) - 1;
    const std::string are_zero =
        others > 0 ? fmt::format("The gradients of {} and {} more are zero.", zero->source, others)
                   : fmt::format("The gradient of {} is zero.", zero->source);
    return empty_state(c, fmt::format("No alert {}. {}", of_steps, are_zero), {},
                       "select source " + zero->source, "Show why");
  }
  empty_state(c, fmt::format("No problem {}{}.", c.status.unseen.empty() ? "" : "seen ", of_steps),
              c.status.unseen.empty() ? "Looked for: None, NaN, vanishing, exploding, dead, retraces, leaks."
                                      : c.status.unseen + ".");
}

}  // namespace

AlertText describe_alert(const AlertRow& row, std::string_view why) {
  AlertText text;
  const std::string& what = row.kind;
  std::string reason(why.empty() ? std::string_view(row.edge.op) : why);
  if (what == "none") {
    text = {Sign::none_, Color::broken, row.subject + " has no gradient", {}};
  } else if (what == "empty_sources") {
    text = {Sign::none_, Color::broken, "gradient() was given no sources", {}};
  } else if (what == "nonfinite") {
    const std::string value = row.value == "nan"    ? "NaN"
                              : row.value == "-inf" ? "-Infinity"
                              : row.value == "inf"  ? "Infinity"
                                                    : "not finite";
    text = {Sign::nonfinite,
            Color::broken,
            fmt::format("{} from {}", value, row.op.empty() ? row.subject : row.op),
            {}};
    reason = row.direction;
  } else if (what == "retrace") {
    text = {Sign::retrace, Color::cursor, row.subject + " traced again", {}};
  } else if (what == "vanishing") {
    text = {Sign::down, Color::caution, row.subject + ": gradient vanishes", {}};
  } else if (what == "exploding") {
    text = {Sign::up, Color::cursor, row.subject + ": gradient explodes", {}};
  } else if (what == "dead") {
    text = {Sign::partial,
            Color::caution,
            row.subject + (row.value == "all" ? ": gradient is zero" : ": dead units"),
            {}};
  } else if (what == "diverged") {
    text = {Sign::partial, Color::broken, row.subject + " differs between ranks", {}};
    reason = row.message.substr(std::min(row.message.find("from step"), row.message.size()));
  } else if (what == "programs") {
    text = {Sign::info, Color::caution, "ranks run different programs", {}};
    reason = row.message;
  } else if (what == "straggler") {
    text = {Sign::down, Color::caution, "the others wait for " + row.subject, {}};
    reason = row.message;
  } else if (what == kTruncated) {
    text = {Sign::info, Color::caution, "the run ended early", {}};
  } else if (what == "leak") {
    text = {Sign::leak,
            Color::caution,
            row.subject.empty() ? "a tape is still held" : row.subject + " is still held",
            {}};
  } else {
    text = {Sign::info, Color::caution, row.subject.empty() ? row.kind : row.subject + ": " + row.kind, {}};
  }
  if (reason.empty()) reason = row.message.substr(0, row.message.find('.'));
  text.detail = reason;
  if (!row.location.empty()) text.detail += (text.detail.empty() ? "" : " · ") + row.location;
  return text;
}

float AlertsPanel::wanted_height(const PanelContext& c) const {
  const std::size_t rows = c.a != nullptr ? std::min(c.a->alerts.size(), kMostRows) : 0;
  const float empty = zero_gradient(c) != nullptr ? 116 : 74;
  return c.m().header_height + story_height_ +
         c.m().px(rows == 0 ? empty : 8 + kRow * static_cast<float>(rows));
}

std::string AlertsPanel::badge(const PanelContext& c) const {
  return c.a != nullptr && !c.a->alerts.empty() ? fmt::format("{}", c.a->alerts.size()) : std::string();
}

void AlertsPanel::draw_header(PanelContext& c) {
  const ImVec2 min = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const bool changed = c.thresholds != AlertThresholds{};
  const char* const label = changed ? "thresholds *" : "thresholds";
  const float width = text_width(c.fonts.small, label) + c.m().px(4);
  if (width > size.x) return;
  ImGui::SetCursorScreenPos({min.x + size.x - width, min.y + std::round((size.y - c.m().hit) / 2)});
  const bool clicked = ImGui::InvisibleButton("thresholds", {width, c.m().hit});
  c.map.item("alerts/thresholds", label);
  draw_text(ImGui::GetWindowDrawList(), c.fonts.small,
            {min.x + size.x - width, centred(c.fonts.small, min.y, size.y)},
            c.color(ImGui::IsItemHovered() ? Color::text : Color::dim), label);
  tooltip_words(c, "alerts/thresholds", "From where on a finding is an alert; kept in the settings");
  if (clicked) ImGui::OpenPopup("thresholds");
  if (!ImGui::BeginPopup("thresholds")) return;
  draw_thresholds(c);
  ImGui::EndPopup();
}

void AlertsPanel::draw(PanelContext& c) {
  const float former = std::exchange(story_height_, 0.0f);
  if (c.a == nullptr || c.a->alerts.empty()) return draw_without_alerts(c);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  ImGui::Dummy({1, c.m().px(4)});
  const Selection& selection = c.state.selection();
  for (std::size_t i = 0; i < c.a->alerts.size(); ++i) {
    const AlertRow& alert = c.a->alerts[i];
    const std::string id = fmt::format("alerts/row/{}", i);
    const bool selected = selection.kind == Selection::Kind::alert && selection.index == i;
    std::string_view reason;
    for (const GradientRow& gradient : c.a->gradients) {
      if (alert.kind == "none" && gradient.source == alert.subject) reason = gradient.reason;
    }
    const AlertText text = describe_alert(alert, reason);
    const float side = c.m().px(22);
    const float story_width = ImGui::GetContentRegionAvail().x - side - c.m().px(34);
    const Story story = selected ? story_of(c, alert, story_width) : Story{};
    story_height_ = std::max(story_height_, story.height);
    const Row row = selectable_row(c, id, text.subject, c.m().px(kRow - 4) + story.height, selected);
    ImGui::Dummy({1, c.m().px(4)});
    if (!row.visible) continue;
    const float left = row.min.x + c.m().px(14);
    draw_sign(c, {left, row.min.y + c.m().px(6)}, side, text.sign, text.color);
    const float x = left + side + c.m().px(10), room = row.max.x - x - c.m().px(10);
    float for_subject = room, for_detail = room;
    if (has_step(*c.a, alert)) {
      // A long name has the whole of its line.
      const bool below = text_width(c.fonts.text, text.subject) > room - c.m().px(48);
      (below ? for_detail : for_subject) =
          draw_step(c, row, i, alert.step, c.m().px(below ? 24 : 5)) - c.m().px(8) - x;
    }
    draw_elided(c, c.fonts.text, {x, row.min.y + c.m().px(4)}, for_subject, c.color(Color::text),
                fitting_subject(c, text, alert, for_subject));
    draw_detail(c, {x, row.min.y + c.m().px(25)}, for_detail, text.detail, alert.location);
    if (story.height > 0) {
      ImDrawList* list = ImGui::GetWindowDrawList();
      const float top = row.min.y + c.m().px(kRow - 4);
      draw_wrapped(list, c.fonts.text, {x, top}, story_width, c.color(Color::text), story.message);
      draw_wrapped(list, c.fonts.text, {x, top + story.message_height + c.m().px(4)}, story_width,
                   c.color(Color::good_text), story.fix);
      c.map.rect(id + "/story", story.message + "\n" + story.fix, {x, top}, row.max);
    }
    if (row.clicked) c.commands.post(fmt::format("select alert {}", i));
    if (row.hovered && !alert.message.empty() && story.height == 0 && pointer_rests(c)) {
      ImGui::SetNextWindowSize({c.m().px(320), 0});
      ImGui::BeginTooltip();
      const float width = ImGui::GetContentRegionAvail().x;
      flowing_text(alert.message, width);
      if (!alert.fix.empty()) {
        ImGui::PushStyleColor(ImGuiCol_Text, c.color(Color::good_text));
        flowing_text(alert.fix, width);
        ImGui::PopStyleColor();
      }
      ImGui::EndTooltip();
    }
  }
  ImGui::PopStyleVar();
  if (story_height_ != former) c.wants_frame = true;  // the regions make room
}

std::string AlertsPanel::text(const PanelContext& c) const {
  std::string text;
  if (c.a == nullptr) return text;
  for (const AlertRow& row : c.a->alerts) {
    text += fmt::format("{}\t{}\t{}\t{}\t{}\n", row.kind, describe_alert(row).subject, row.message, row.fix,
                        row.location);
  }
  return text;
}

}  // namespace tapescope::ui
