// Commands about what is watched for: breakpoints and the thresholds of alerts.
#include <fmt/format.h>
#include <algorithm>

#include "viewer/debugger/breakpoint_text.h"
#include "viewer/window/workbench.h"

namespace tapescope::ui {
namespace {

using Text = std::string_view;

void set(Workbench& w, std::vector<Breakpoint> breakpoints) {
  w.debuggee.set_breakpoints(std::move(breakpoints));
  w.keep_breakpoints();
}

std::string add_breakpoint(Workbench& w, Text text) {
  Breakpoint breakpoint;
  if (std::string wrong = parse_break(text, breakpoint); !wrong.empty()) return wrong;
  auto all = w.debuggee.breakpoints();
  all.push_back(std::move(breakpoint));
  set(w, std::move(all));
  return {};
}

// Takes the number that `text` begins with, and finds the breakpoint that has it.
std::string find_breakpoint(std::vector<Breakpoint>& all, Text& text,
                            std::vector<Breakpoint>::iterator& found) {
  const Text word = take_word(text);
  std::int64_t id = 0;
  if (!read_count(word, 1, 0, id))
    return fmt::format("`{}` is no breakpoint's number; the breakpoints panel shows them", word);
  found =
      std::find_if(all.begin(), all.end(), [&](const Breakpoint& breakpoint) { return breakpoint.id == id; });
  return found == all.end() ? fmt::format("there is no breakpoint {}; there are {}", id, all.size())
                            : std::string();
}

std::string edit_breakpoint(Workbench& w, Text text) {
  auto all = w.debuggee.breakpoints();
  std::vector<Breakpoint>::iterator at;
  if (std::string wrong = find_breakpoint(all, text, at); !wrong.empty()) return wrong;
  Breakpoint breakpoint;
  if (std::string wrong = parse_break(text, breakpoint); !wrong.empty()) return wrong;
  breakpoint.id = at->id;
  breakpoint.enabled = at->enabled;
  *at = std::move(breakpoint);
  set(w, std::move(all));
  return {};
}

std::string switch_breakpoint(Workbench& w, Text text, bool on) {
  auto all = w.debuggee.breakpoints();
  std::vector<Breakpoint>::iterator at;
  if (std::string wrong = find_breakpoint(all, text, at); !wrong.empty()) return wrong;
  at->enabled = on;
  set(w, std::move(all));
  return {};
}

std::string delete_breakpoint(Workbench& w, Text text) {
  auto all = w.debuggee.breakpoints();
  std::vector<Breakpoint>::iterator at;
  if (std::string wrong = find_breakpoint(all, text, at); !wrong.empty()) return wrong;
  all.erase(at);
  set(w, std::move(all));
  return {};
}

// Sets it where no breakpoint means the same, else removes that one.
std::string toggle(Workbench& w, Breakpoint breakpoint) {
  auto all = w.debuggee.breakpoints();
  const auto same = std::ranges::find_if(all, [&](const Breakpoint& b) { return b.means_same(breakpoint); });
  const bool had = same != all.end();
  const std::string what = breakpoint.place > 0 ? sentence_of(breakpoint) : "every " + breakpoint.text;
  if (had) all.erase(same);
  else all.push_back(std::move(breakpoint));
  set(w, std::move(all));
  w.say(had ? fmt::format("No breakpoint at {} any more", what) : fmt::format("Stops at {}", what));
  return {};
}

// What a stop at the op in focus waits for: it alone, in each step, or every op of its type. A backward op is
// met as the backward step of its forward op.
std::string toggle_at_focus(Workbench& w, bool alone) {
  // Where nothing is selected it is where the program stands: that may be a backward step.
  const Selection::Kind selected = w.state.selection().kind;
  const FrameView* const frame = w.status.frame.get();
  if (selected != Selection::Kind::op && selected != Selection::Kind::alert && frame != nullptr &&
      frame->cursor > 0 && frame->frame.inner == 0) {
    return toggle(w, {.kind = Breakpoint::Kind::op,
                      .text = std::string(op_name_text(frame->frame.op)),
                      .place = alone ? frame->cursor : 0});
  }
  const StepAtCursor drawn = w.step_drawn();
  if (drawn.expanded && alone)
    return "an op inside a call has no place in the step; Shift+F9 stops at its type";
  const std::uint32_t op = w.op_in_focus();
  const auto view = drawn.expanded ? drawn.view : w.a ? w.a->shown() : nullptr;
  if (!view || op == kNoOp) return "no op is selected; click one in the graph";
  const OpRow& row = view->ops[op];
  Breakpoint breakpoint{.kind = Breakpoint::Kind::op, .text = std::string(row.op)};
  std::int64_t node = row.node;
  if (row.direction == Direction::backward && row.backward_step < view->backward_steps.size()) {
    const BackwardStep& step = view->backward_steps[row.backward_step];
    if (step.forward_op < view->ops.size()) {
      node = step.node;
      breakpoint.text = std::string(view->ops[step.forward_op].op);
    }
  }
  if (alone && node < 0)
    return "no tape recorded this op, so that it has no place in the step; Shift+F9 stops at every op of its "
           "type";
  if (alone) breakpoint.place = static_cast<std::uint64_t>(node) + 1;
  return toggle(w, std::move(breakpoint));
}

std::string set_threshold(Workbench& w, Text text) {
  if (text == "defaults") {
    w.set_thresholds({});
    return {};
  }
  const Text name = take_word(text);
  const auto texts = threshold_texts();
  const auto one =
      std::find_if(texts.begin(), texts.end(), [&](const ThresholdText& t) { return t.id == name; });
  if (one == texts.end()) {
    std::string names;
    for (const ThresholdText& t : texts) names += (names.empty() ? "" : ", ") + std::string(t.id);
    return fmt::format("there is no threshold `{}`; there are {}", name, names);
  }
  double value = 0;
  if (!read_number(text, value) || !(value >= one->low && value <= one->high) ||
      (one->whole && value != static_cast<double>(static_cast<std::int64_t>(value)))) {
    return fmt::format("`threshold {}` needs a {} from {:g} to {:g}, got `{}`", name,
                       one->whole ? "whole number" : "number", one->low, one->high, text);
  }
  AlertThresholds all = w.settings.thresholds;
  all.*(one->value) = value;
  w.set_thresholds(all);
  return {};
}

constexpr Command kBreakCommands[] = {
    {"toggle-breakpoint", "Breakpoint at this op",
     "Stops whenever this op has been executed, in each step, or no longer.", "", "Run", "F9", nullptr,
     [](Workbench& w, Text) { return toggle_at_focus(w, true); }},
    {"toggle-type-breakpoint", "Breakpoint at ops of this type",
     "Stops whenever an op of this one's type has been executed, or no longer.", "", "Run", "Shift+F9",
     nullptr, [](Workbench& w, Text) { return toggle_at_focus(w, false); }},
    {"break", "Break when",
     "Stops when that happens: op NAME, op NAME at PLACE, name TEXT, line FILE:LINE, backward, nonfinite, "
     "norm-above X, "
     "norm-below X, zeros-above SHARE, none, retrace; after it `source NAME` or `op TYPE`: only of that "
     "source's gradient or at ops of that type; `hit N`: from the Nth time on.",
     "CONDITION", "Run", "", nullptr, add_breakpoint},
    {"break-edit", "Edit a breakpoint", "Gives the breakpoint of that number another condition.",
     "N CONDITION", "", "", nullptr, edit_breakpoint},
    {"break-on", "Enable a breakpoint", "The breakpoint of that number stops again.", "N", "", "", nullptr,
     [](Workbench& w, Text n) { return switch_breakpoint(w, n, true); }},
    {"break-off", "Disable a breakpoint",
     "The breakpoint of that number stays in the list and stops no more.", "N", "", "", nullptr,
     [](Workbench& w, Text n) { return switch_breakpoint(w, n, false); }},
    {"break-delete", "Delete a breakpoint", "Removes the breakpoint of that number.", "N", "", "", nullptr,
     delete_breakpoint},
    {"clear-breaks", "Clear breakpoints", "Removes every breakpoint.", "", "Run", "Ctrl+Shift+F9", nullptr,
     [](Workbench& w, Text) -> std::string {
       set(w, {});
       return {};
     }},
    {"threshold", "Threshold of an alert",
     "From where on a finding is an alert; `threshold defaults` takes every change back.", "NAME VALUE", "",
     "", nullptr, set_threshold},
};

}  // namespace

std::span<const Command> break_commands() { return kBreakCommands; }

}  // namespace tapescope::ui
