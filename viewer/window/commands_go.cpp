// Commands that move what the user looks at: alerts, selections, search, history.
#include <fmt/format.h>
#include <algorithm>
#include <cctype>

#include "viewer/window/workbench.h"

namespace tapescope::ui {
namespace {

using Text = std::string_view;

std::string nothing_shown(const Workbench& w) {
  return w.a && w.a->shown() ? "" : "there is no step to look at yet; run a sample first";
}
std::string no_alerts(const Workbench& w) { return w.a && !w.a->alerts.empty() ? "" : "there are no alerts"; }

bool contains(Text text, Text part) {
  const auto same = [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

void select_op(Workbench& w, std::uint32_t op) {
  w.state.select({Selection::Kind::op, op, {}, 0});
  w.state.camera.wish = Camera::Wish::focus_selection;
}

void show_steps(Workbench& w, std::uint64_t first, std::uint64_t last) {
  w.state.chosen_steps = {first, last, w.state.chosen_steps.asked + 1};
}

void look_at_step(Workbench& w, std::uint64_t step) {
  show_steps(w, step, step);
  // Gradients of steps that are not kept any more stay those of the last one.
  const bool known = std::ranges::any_of(w.a->gradients, [&](const GradientRow& row) {
    return std::ranges::any_of(row.health, [&](const HealthPoint& point) { return point.step == step; });
  });
  w.state.health_step = known && step != w.a->steps.back().step ? std::optional(step) : std::nullopt;
}

std::string select_alert(Workbench& w, std::size_t row) {
  const AlertRow& alert = w.a->alerts[row];
  // Where replicas part, and where a value stopped to be finite, is a step of the past.
  const bool of_its_step = alert.kind == "diverged" || alert.kind == "nonfinite";
  if (of_its_step && !w.a->steps.empty() && alert.step <= w.a->steps.back().step) {
    look_at_step(w, alert.step);
    w.look_back(alert.step);
  }
  w.state.select({Selection::Kind::alert, row, alert.subject, 0});
  w.post("focus");
  w.wants_frame = true;
  // The cursor goes there where it can: in the step the program is paused in. A None lasts from its step on.
  const bool here = w.status.frame && (alert.kind == "none" ? alert.step <= w.status.frame->step
                                                            : alert.step == w.status.frame->step);
  if (here && alert.node >= 0) {
    const std::string wrong = w.debuggee.seek(static_cast<std::uint64_t>(alert.node) + 1);
    if (!wrong.empty()) return wrong;
  }
  return {};
}

std::string step_alert(Workbench& w, int direction) {
  const auto count = static_cast<std::int64_t>(w.a->alerts.size());
  const Selection& at = w.state.selection();
  std::int64_t next = direction > 0 ? 0 : count - 1;
  if (at.kind == Selection::Kind::alert)
    next = (static_cast<std::int64_t>(at.index) + direction + count) % count;
  return select_alert(w, static_cast<std::size_t>(next));
}

// The next op that `fits`, from the one in focus on and round the end.
template <class Fits>
std::string go_to_next(Workbench& w, int direction, const std::string& what, const Fits& fits) {
  const StepAtCursor drawn = w.step_drawn();
  const auto view = drawn.expanded ? drawn.view : w.a->shown();
  const auto count = static_cast<std::int64_t>(view->ops.size());
  const std::uint32_t at = w.op_in_focus();
  const std::int64_t from = at == kNoOp ? (direction > 0 ? -1 : count) : static_cast<std::int64_t>(at);
  for (std::int64_t i = 1; i <= count; ++i) {
    const auto candidate = static_cast<std::uint32_t>(((from + direction * i) % count + count) % count);
    if (!fits(view->ops[candidate])) continue;
    select_op(w, candidate);
    return {};
  }
  return fmt::format("no op of {} matches {}", count, what);
}

std::string next_same(Workbench& w, int direction) {
  const std::uint32_t at = w.op_in_focus();
  if (at == kNoOp) return "no op is selected; click one in the graph";
  const StepAtCursor drawn = w.step_drawn();
  const OpNameId op = (drawn.expanded ? drawn.view : w.a->shown())->ops[at].op_id;
  return go_to_next(w, direction, "the selected one", [op](const OpRow& row) { return row.op_id == op; });
}

std::string find(Workbench& w, Text text) {
  w.state.find_text = std::string(text);
  return go_to_next(w, 1, fmt::format("`{}`", text), [text](const OpRow& row) {
    return contains(row.name, text) || contains(row.op, text) || contains(row.location, text);
  });
}

std::string select(Workbench& w, Text text) {
  const Text kind = take_word(text);
  if (kind == "none") {
    w.state.select({});
    return {};
  }
  if (const std::string reason = nothing_shown(w); !reason.empty()) return reason;
  if (kind == "source") {
    const auto& rows = w.a->gradients;
    const auto row =
        std::find_if(rows.begin(), rows.end(), [&](const GradientRow& r) { return r.source == text; });
    if (row == rows.end()) return fmt::format("no gradient was asked of a source named `{}`", text);
    w.state.select({Selection::Kind::source, static_cast<std::uint64_t>(row - rows.begin()), row->source, 0});
    w.state.camera.wish = Camera::Wish::focus_selection;
    return {};
  }
  if (kind != "op" && kind != "alert")
    return fmt::format("`{}` cannot be selected; expected op N, source NAME, alert N or none", kind);
  std::int64_t n = 0;
  if (text.empty() || !read_count(text, 0, 0, n))
    return fmt::format("`{}` is no number; expected 0 or more", text);
  const StepAtCursor drawn = w.step_drawn();
  const auto view = drawn.expanded ? drawn.view : w.a->shown();
  const std::size_t count = kind == "op" ? view->ops.size() : w.a->alerts.size();
  if (static_cast<std::size_t>(n) >= count)
    return fmt::format("there is no {} {}; there are {}, from 0", kind, n, count);
  if (kind == "alert") return select_alert(w, static_cast<std::size_t>(n));
  select_op(w, static_cast<std::uint32_t>(n));
  return {};
}

std::string show_source(Workbench& w, Text text) {
  const SourcePlace place = source_place(text);
  if (place.line == 0) return fmt::format("`{}` is no place; expected FILE:LINE, such as train.py:41", text);
  // Places of records name files without their folders.
  const Text file = place.file.substr(place.file.rfind('/') + 1);
  w.state.select({Selection::Kind::line, 0, fmt::format("{}:{}", file, place.line), 0});
  return w.execute("panel source");
}

// The step that the panels show.
std::uint64_t step_shown(const Workbench& w) {
  return w.status.frame ? w.status.frame->step : w.a->shown()->step;
}

std::string cannot_read(const Workbench& w) {
  if (const std::string reason = nothing_shown(w); !reason.empty()) return reason;
  return w.debuggee.shown().why_unread(step_shown(w));
}

// Reads the number by which people know a step of the run; what is wrong.
std::string read_step(const Workbench& w, Text word, std::uint64_t& step) {
  std::int64_t number = 0;
  if (!read_count(word, 0, 0, number)) return fmt::format("`{}` is no step; expected its number", word);
  if (w.a->steps.empty()) return "no step has ended yet";
  const std::uint64_t first = w.a->steps[0].step, last = std::max(w.a->steps.back().step, w.a->shown()->step);
  const auto shown = static_cast<std::uint64_t>(number);
  if (shown < w.a->step_shown(first) || shown > w.a->step_shown(last))
    return fmt::format("there is no step {}; there are {} to {}", shown, w.a->step_shown(first),
                       w.a->step_shown(last));
  step = shown - w.a->step_base;
  return {};
}

std::string choose_steps(Workbench& w, Text text) {
  if (text == "none") {
    w.state.chosen_steps = {};
    return {};
  }
  std::uint64_t first = 0, last = 0;
  const Text from = take_word(text);
  for (const auto& [word, step] : {std::pair{from, &first}, {text, &last}}) {
    if (std::string wrong = read_step(w, word, *step); !wrong.empty()) return wrong;
  }
  show_steps(w, std::min(first, last), std::max(first, last));
  return {};
}

std::string go_step(Workbench& w, Text text) {
  std::uint64_t step = 0;
  if (std::string wrong = read_step(w, text, step); !wrong.empty()) return wrong;
  look_at_step(w, step);
  const RunStatus now = w.debuggee.status();
  if (now.frame && step > now.frame->step && !w.debuggee.shows_recording())
    return w.debuggee.step_training(step - now.frame->step);
  w.look_back(step);
  return {};
}

std::string no_other_step(const Workbench& w) {
  if (std::string reason = nothing_shown(w); !reason.empty()) return reason;
  if (w.b != nullptr) return "two programs are compared, each at its last step";
  if (w.status.mode == RunMode::running) return "the program runs; pause it first";
  return w.a->steps.empty() ? "no step has ended yet" : "";
}

std::string go_to_last_step(Workbench& w, Text) {
  w.debuggee.shown().look_back().leave();
  w.state.chosen_steps = {};
  w.state.health_step.reset();
  return {};
}

// The ended step before the one that is shown, or after it, whose ops came.
std::string go_to_neighbour(Workbench& w, int direction) {
  const Series<StepSummary>& steps = w.a->steps;
  const std::uint64_t here = w.looked_at().value_or(w.a->shown()->step);
  const bool thinned = w.a->thinned.steps > 0;
  std::size_t next = steps.size();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (thinned && steps[i].lost > 0) continue;
    if (direction < 0 && steps[i].step < here) next = i;
    if (direction > 0 && steps[i].step > here) next = std::min(next, i);
  }
  if (next < steps.size()) return go_step(w, std::to_string(w.a->step_shown(steps[next].step)));
  if (direction < 0) return "this is the first step";
  // Behind the last one that has ended stands the program.
  if (!w.looked_at()) return "this is the last step";
  return go_to_last_step(w, {});
}

constexpr Command kGoCommands[] = {
    {"next-alert", "Next alert", "Selects the next alert and moves the cursor there.", "", "Go", "F8",
     no_alerts, [](Workbench& w, Text) { return step_alert(w, 1); }},
    {"previous-alert", "Previous alert", "Selects the alert before.", "", "Go", "Shift+F8", no_alerts,
     [](Workbench& w, Text) { return step_alert(w, -1); }},
    {"next-same", "Next op of this type", "Selects the next op of the same type.", "", "Go", "N",
     nothing_shown, [](Workbench& w, Text) { return next_same(w, 1); }},
    {"previous-same", "Previous op of this type", "Selects the op of the same type before.", "", "Go",
     "Shift+N", nothing_shown, [](Workbench& w, Text) { return next_same(w, -1); }},
    {"find", "Find", "Selects the next op whose name, type or line contains the text.", "TEXT", "Go",
     "Ctrl+F /", nothing_shown, find},
    {"select", "Select", "Selects op N, source NAME, alert N or none.", "WHAT", "", "", nullptr, select},
    {"source", "Go to a line", "Shows a line of the program's source.", "FILE:LINE", "Go", "", nullptr,
     show_source},
    {"go-step", "Go to a step",
     "Shows that step in all panels, and stops there where the program is paused before it.", "N", "", "",
     nothing_shown, go_step},
    {"previous-step", "Previous step", "Shows the training step before in all panels.", "", "Go", "Ctrl+Left",
     no_other_step, [](Workbench& w, Text) { return go_to_neighbour(w, -1); }},
    {"next-step", "Next step", "Shows the training step after it in all panels.", "", "Go", "Ctrl+Right",
     no_other_step, [](Workbench& w, Text) { return go_to_neighbour(w, 1); }},
    {"last-step", "Last step", "Shows the program where it stands, or its last step, again.", "", "Go",
     "Ctrl+End", no_other_step, go_to_last_step},
    {"choose-steps", "Choose steps", "Marks the steps from A to B; the timeline shows them. `none`: no more.",
     "A B", "", "", nothing_shown, choose_steps},
    {"read-values", "Read the values of all ops",
     "Keeps what each op of the step that is shown read and made: a sample runs the step once more, an "
     "attached "
     "program goes on to the step's end, op by op, and the cursor comes back.",
     "", "Go", "V", cannot_read,
     [](Workbench& w, Text) -> std::string {
       w.debuggee.shown().read_values(step_shown(w));
       return {};
     }},
    {"back", "Back", "Goes back to what was selected before.", "", "Go", "Alt+Left",
     [](const Workbench& w) -> std::string {
       return w.state.can_go_back() ? "" : "nothing was selected before";
     },
     [](Workbench& w, Text) -> std::string {
       w.state.go_back();
       w.state.camera.wish = Camera::Wish::focus_selection;
       return {};
     }},
    {"forward", "Forward", "Goes forward again after going back.", "", "Go", "Alt+Right",
     [](const Workbench& w) -> std::string {
       return w.state.can_go_forward() ? "" : "nothing was selected after this";
     },
     [](Workbench& w, Text) -> std::string {
       w.state.go_forward();
       w.state.camera.wish = Camera::Wish::focus_selection;
       return {};
     }},
};

}  // namespace

std::span<const Command> go_commands() { return kGoCommands; }

}  // namespace tapescope::ui
