// The status bar: at the left what the tool is doing, with an edge in its colour; at the right what it cost.
#include <fmt/format.h>

#include <cmath>

#include "viewer/debugger/live_connection.h"
#include "viewer/ui/widgets.h"
#include "viewer/window/chrome.h"

namespace tapescope::ui {
namespace {

constexpr double kSlowStep = 0.4;  // seconds: a faster one shows where it leads, and nothing between

std::string at_op(const Workbench& w) {
  const Frame& frame = w.status.frame->frame;
  if (w.status.frame->cursor == 0 && frame.inner == 0) return {};
  // Between two ops there is no op, as where a backward pass begins.
  std::string text;
  const std::string op(op_name_text(frame.op)), place = location_text(site_with_id(frame.site));
  for (const std::string& word : {op, place})
    if (!word.empty()) text += " · " + word;
  return text;
}

std::string counts_text(const Workbench& w) {
  const auto view = w.a ? w.a->shown() : nullptr;
  const std::uint64_t dropped = w.debuggee.dropped();
  if (!view) return fmt::format("{} dropped", dropped);
  std::string text = fmt::format("{} recorded, {} not recorded, {} dropped",
                                 format_count(static_cast<double>(view->counts.recorded)),
                                 format_count(static_cast<double>(view->counts.not_recorded)), dropped);
  // PyTorch does not say what it keeps.
  if (view->counts.saved_bytes > 0)
    text += fmt::format("  ·  saved {}", format_bytes(static_cast<double>(view->counts.saved_bytes)));
  return text;
}

// What a program said last before its first op, such as that it builds what is to watch it.
std::string_view word_before_ops(const Workbench& w) {
  const auto view = w.a ? w.a->shown() : nullptr;
  if (!w.a || w.status.step > 0 || w.a->log.empty() || (view && !view->ops.empty())) return {};
  return w.a->log.back().text;
}

std::string thinned_text(const Workbench& w) {
  if (!w.a || w.a->thinned.steps == 0) return {};
  return fmt::format(" · the line is narrow: ops of {} steps left out, lately all but one of {}",
                     format_count(static_cast<double>(w.a->thinned.steps)), w.a->thinned.every);
}

}  // namespace

std::string status_sentence(const Workbench& w) {
  const RunStatus& status = w.status;
  const Launcher& launcher = w.debuggee.launcher();
  if (launcher.starts())
    return fmt::format("Starting {} · waits for its first op · {} ends it",
                       name_of_program(launcher.launch()->words), w.keys("stop"));
  if (const std::optional<std::uint64_t> step = w.looked_at(); step && w.a) {
    const std::uint64_t number = w.a->step_shown(*step);
    if (w.debuggee.shown().look_back().reads()) return fmt::format("Reading step {}", number);
    if (!status.frame)
      return fmt::format("Step {}, which is over · {} goes back to {}", number, w.keys("last-step"),
                         w.debuggee.status().frame ? "where the program stands" : "the last one");
  }
  switch (status.mode) {
    case RunMode::idle:
      if (w.choice.sample.empty()) return "Choose a sample to run";
      return fmt::format("Ready · {} runs {}", w.keys("run"), w.choice.sample);
    case RunMode::running:
      if (const LiveConnection* program = w.debuggee.live()) {
        if (const std::string_view word = word_before_ops(w); !word.empty())
          return fmt::format("Attached to {} · {}", program->title(), word);
        return fmt::format("Attached to {} · running · step {}{}", program->title(), status.step,
                           thinned_text(w));
      }
      if (w.debuggee.shows_recording())
        return fmt::format("Reading the recording of {} · step {}", w.choice.sample, status.step);
      return fmt::format("Running {} · step {} of {}", w.choice.sample, status.step, status.steps);
    case RunMode::paused: {
      const LiveConnection* program = w.debuggee.live();
      if (program != nullptr && program->steps_for_s() > kSlowStep)
        return "Stepping · the program runs on to its next op";
      const StepPosition& cursor = w.state.cursor;
      const bool on_an_op = cursor.position > 0 && (!status.frame || status.frame->frame.inner == 0);
      std::string text = (on_an_op ? "Paused at " : "Paused ") + cursor_text(w);
      if (!status.frame) return text;
      text += at_op(w);
      if (!status.frame->breakpoint.empty()) text += " · because " + status.frame->breakpoint;
      if (const StepAtCursor step = w.step_drawn(); step.why != 0)
        text += fmt::format(" · stepped no further into {}: {}", name_text(step.function),
                            name_text(step.why));
      return text;
    }
    case RunMode::finished: {
      if (const LiveConnection* program = w.debuggee.live()) {
        if (!status.error.empty()) return status.error;
        return fmt::format("{} · {}step {}", program->title(),
                           program->let_go() ? "detached at " : "ended after ", status.step);
      }
      if (w.debuggee.shows_recording()) {
        if (!status.error.empty()) return status.error;
        return fmt::format("Recording of {} · {} step{}", w.choice.sample, status.step,
                           status.step == 1 ? "" : "s");
      }
      if (!status.error.empty()) return "Ended early: " + status.error;
      if (!w.comparing())
        return fmt::format("Finished · {} step{}", status.step, status.step == 1 ? "" : "s");
      const ComparisonResult& result = w.debuggee.control().comparison();
      return fmt::format("Finished · {} pairs · {}, {}", status.step,
                         result.same_loss ? "same loss" : "the losses differ",
                         result.compared == Compared::losses ? "gradients not known"
                         : result.same_gradients             ? "same gradients"
                                                             : "the gradients differ");
    }
  }
  return {};
}

Color status_color(const Workbench& w) {
  if (w.debuggee.launcher().starts()) return Color::value;
  if (!w.status.error.empty()) return Color::broken;
  switch (w.status.mode) {
    case RunMode::idle: return Color::faint;
    case RunMode::running: return Color::value;
    case RunMode::paused: return Color::cursor;
    case RunMode::finished: return Color::good;
  }
  return Color::faint;
}

void draw_status_bar(Workbench& w, PanelContext& c, const Rect& at) {
  if (const LiveConnection* program = w.debuggee.live()) {
    const double seconds = program->steps_for_s();
    w.wants_frame = w.wants_frame || (seconds > 0 && seconds <= kSlowStep);
  }
  const Metrics& m = c.m();
  const Region region("status", at, c.color(Color::raised),
                      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled({at.x, at.y}, {at.x + m.px(6), at.bottom()},
                      c.color(w.notice.empty() ? status_color(w) : Color::caution));
  const float y = centred(c.fonts.text, at.y, at.h);
  const float left = at.x + m.px(16);
  std::string right_text = counts_text(w);
  right_text += w.times.fps > 0 ? fmt::format("  ·  {:.0f} fps, {:.1f} ms", w.times.fps, w.times.build_ms)
                                : fmt::format("  ·  {:.1f} ms a frame", w.times.build_ms);
  const std::string text = w.notice.empty() ? status_sentence(w) : w.notice;
  const float text_w = text_width(c.fonts.text, text);
  float right = at.right() - m.px(14);
  const float right_w = text_width(c.fonts.small, right_text);
  // The sentence comes first; figures show where both fit.
  if (left + text_w + m.px(30) + right_w < right) {
    draw_text(list, c.fonts.small, {right, centred(c.fonts.small, at.y, at.h)}, c.color(Color::dim),
              right_text, Align::right);
    c.map.rect("words/counts", right_text, {right - right_w, at.y}, {right, at.bottom()});
    right -= right_w + m.px(30);
  }
  float x = left;
  if (!w.state.filter().empty() && w.notice.empty()) {
    // The filter hides things: that must be seen wherever one looks.
    const std::string chip = "filter: " + w.state.filter();
    const float chip_w = std::min(text_width(c.fonts.small, chip) + m.px(30), (right - left) / 2);
    const float chip_x = std::min(left + text_w + m.px(16), right - chip_w), chip_h = m.px(18);
    const float chip_y = std::round(at.y + (at.h - chip_h) / 2);
    ImGui::SetCursorScreenPos({chip_x, chip_y});
    if (ImGui::InvisibleButton("filter", {chip_w, chip_h})) c.commands.post("filter");
    c.map.item("status/filter", chip);
    tooltip_words(c, "status/filter", "Click to show everything again");
    list->AddRectFilled({chip_x, chip_y}, {chip_x + chip_w, chip_y + chip_h}, c.color(Color::selection),
                        m.rounding);
    draw_text(list, c.fonts.small, {chip_x + m.px(8), centred(c.fonts.small, chip_y, chip_h)},
              c.color(Color::text), elide(c.fonts.small, chip, chip_w - m.px(28)));
    const ImVec2 o{chip_x + chip_w - m.px(12), chip_y + chip_h / 2};
    const float r = m.px(3.5f);
    list->AddLine({o.x - r, o.y - r}, {o.x + r, o.y + r}, c.color(Color::text), m.strong_line);
    list->AddLine({o.x - r, o.y + r}, {o.x + r, o.y - r}, c.color(Color::text), m.strong_line);
    right = chip_x - m.gap;
  }
  draw_elided(c, c.fonts.text, {x, y}, right - x, c.color(Color::text), text);
  c.map.rect("words/status", text, {x, at.y}, {std::max(x, right), at.bottom()});
}

}  // namespace tapescope::ui
