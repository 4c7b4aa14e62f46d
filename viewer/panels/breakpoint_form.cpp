// Three columns: what to wait for, where, and how.
#include "viewer/panels/breakpoint_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "viewer/ui/imgui_compat.h"
#include "viewer/ui/widgets.h"

namespace tapescope::ui {
namespace {

using Kind = Breakpoint::Kind;
using Wants = BreakCondition::Wants;

constexpr const char* kPopup = "breakpoint-form";
constexpr float kKinds = 270, kValues = 250, kHeight = 300;  // at scale 1

std::vector<std::string> sorted(const std::set<std::string>& of) { return {of.begin(), of.end()}; }

bool wants_text(Kind kind) {
  return std::ranges::any_of(break_conditions(), [&](const BreakCondition& one) {
    return one.kind == kind && one.wants == Wants::text;
  });
}

}  // namespace

SeenInProgram seen_in(const Snapshot& snapshot) {
  SeenInProgram seen;
  std::set<std::string> ops, names, lines, sources;
  for (const OpKindRow& row : snapshot.op_kinds) ops.emplace(row.op);
  if (const auto view = snapshot.shown()) {
    for (const OpRow& row : view->ops) {
      ops.emplace(row.op);
      if (!row.location.empty()) lines.emplace(row.location);
      if (!row.tensor_name.empty()) names.emplace(row.tensor_name);
    }
    for (const VariableRow& variable : view->variables) names.emplace(variable.name);
  }
  for (const GradientRow& row : snapshot.gradients) {
    sources.insert(row.source);
    if (!row.has_stats || !(row.norm > 0) || !std::isfinite(row.norm)) continue;
    seen.largest_norm = std::max(seen.largest_norm, row.norm);
    seen.smallest_norm = seen.smallest_norm > 0 ? std::min(seen.smallest_norm, row.norm) : row.norm;
  }
  seen.ops = sorted(ops), seen.names = sorted(names), seen.lines = sorted(lines),
  seen.sources = sorted(sources);
  return seen;
}

void BreakpointForm::open(const Breakpoint* edited) {
  draft_ = edited != nullptr ? *edited : Breakpoint{};
  edited_ = edited != nullptr ? edited->id : 0;
  find_.clear();
  asked_ = true;
}

const BreakCondition& BreakpointForm::condition() const {
  return *std::ranges::find(break_conditions(), draft_.kind, &BreakCondition::kind);
}

void BreakpointForm::draw(PanelContext& c) {
  if (std::exchange(asked_, false)) ImGui::OpenPopup(kPopup);
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({window.x / 2, window.y / 2}, ImGuiCond_Appearing, {0.5f, 0.5f});
  ImGui::SetNextWindowSizeConstraints({0, 0}, {window.x - c.m().px(16), window.y - c.m().px(16)});
  if (!ImGui::BeginPopup(kPopup, ImGuiWindowFlags_HorizontalScrollbar)) return;
  const SeenInProgram seen = c.a != nullptr ? seen_in(*c.a) : SeenInProgram{};
  subheading(c, edited_ == 0 ? "Stop when" : fmt::format("Breakpoint {}: stop when", edited_));
  const float height = std::min(c.m().px(kHeight), window.y - c.m().px(150));
  ImGui::BeginChild("kinds", {c.m().px(kKinds), height}, false, ImGuiWindowFlags_NoBackground);
  draw_kinds(c);
  ImGui::EndChild();
  ImGui::SameLine();
  ImGui::BeginChild("values", {c.m().px(kValues), height}, false, ImGuiWindowFlags_NoBackground);
  draw_values(c, seen);
  ImGui::EndChild();
  draw_end(c);
  ImGui::EndPopup();
}

void BreakpointForm::draw_kinds(PanelContext& c) {
  for (const BreakCondition& one : break_conditions()) {
    const std::string id = fmt::format("breakpoint-form/kind/{}", one.word);
    const Row row = selectable_row(c, id, one.label, c.m().px(26), one.kind == draft_.kind);
    if (row.clicked && one.kind != draft_.kind) {
      const std::uint64_t hit = draft_.from_hit;
      draft_ = {.kind = one.kind, .from_hit = hit};
      find_.clear();
    }
    if (!row.visible) continue;
    draw_elided(c, c.fonts.text, {row.min.x + c.m().px(10), centred(c.fonts.text, row.min.y, c.m().px(26))},
                row.max.x - row.min.x - c.m().px(16), c.color(Color::text), one.label);
  }
}

// A list to choose from, with what was typed at its head: it may be something that was not seen yet.
void BreakpointForm::draw_list(PanelContext& c, const char* id, std::string_view heading,
                               const std::vector<std::string>& list, std::string& chosen, bool optional) {
  subheading(c, heading);
  const auto entry = [&](const std::string& label, const std::string& value, const std::string& key) {
    const Row row = selectable_row(c, fmt::format("breakpoint-form/{}/{}", id, key), label, c.m().px(22),
                                   chosen == value);
    if (row.clicked) chosen = value;
    if (!row.visible) return;
    draw_elided(c, value.empty() ? c.fonts.text : c.fonts.mono,
                {row.min.x + c.m().px(10), centred(c.fonts.mono, row.min.y, c.m().px(22))},
                row.max.x - row.min.x - c.m().px(16), c.color(value.empty() ? Color::dim : Color::text),
                label);
  };
  if (optional) entry("anywhere", {}, "anywhere");
  for (const std::string& value : list) entry(value, value, value);
  if (list.empty() && !optional) paragraph(c, "None was seen yet: run the program, or type it.", Color::dim);
}

void BreakpointForm::draw_limit(PanelContext& c, const SeenInProgram& seen) {
  subheading(c, draft_.kind == Kind::zeros_above ? "share, above 0 to 1" : "limit");
  ImGui::SetNextItemWidth(c.m().px(140));
  ImGui::PushFont(c.fonts.mono);
  ImGui::InputDouble("##limit", &draft_.limit, 0, 0, "%g");
  ImGui::PopFont();
  c.map.item("breakpoint-form/limit", fmt::format("{:g}", draft_.limit));
  const auto offer = [&](const char* id, double value, std::string_view why) {
    if (!(value > 0)) return;
    if (text_button(c, fmt::format("breakpoint-form/limit/{}", id), fmt::format("{:.3g}", value), why))
      draft_.limit = value;
    ImGui::SameLine();
  };
  if (draft_.kind == Kind::zeros_above) {
    offer("half", 0.5, "Half of the elements");
    offer("most", 0.9, "Nine of ten");
    offer("all", 1, "All of them");
  } else if (draft_.kind == Kind::norm_above) {
    offer("largest", seen.largest_norm, "The largest norm of the last step");
    offer("tenfold", 10 * seen.largest_norm, "Ten times the largest norm of the last step");
  } else {
    offer("smallest", seen.smallest_norm, "The smallest norm of the last step");
    offer("tenth", seen.smallest_norm / 10, "A tenth of the smallest norm of the last step");
  }
  ImGui::NewLine();
}

void BreakpointForm::draw_values(PanelContext& c, const SeenInProgram& seen) {
  const BreakCondition& kind = condition();
  if (kind.wants == Wants::text) {
    const bool op = draft_.kind == Kind::op, line = draft_.kind == Kind::line;
    draw_list(c, "value",
              op     ? "op type"
              : line ? "line"
                     : "tensor or variable",
              op     ? seen.ops
              : line ? seen.lines
                     : seen.names,
              draft_.text, false);
  }
  if (kind.wants == Wants::number || kind.wants == Wants::share) draw_limit(c, seen);
  if (kind.of_source) {
    std::string source = draft_.source;
    draw_list(c, "source", "of the gradient of", seen.sources, source, true);
    if (source != draft_.source) draft_.source = source, draft_.op.clear();
  }
  if (kind.of_op) {
    std::string op = draft_.op;
    draw_list(c, "op", "at ops of type", seen.ops, op, true);
    if (op != draft_.op) draft_.op = op, draft_.source.clear();
  }
  if (kind.wants == Wants::nothing && !kind.of_source) paragraph(c, "Nothing more to choose.", Color::dim);
}

void BreakpointForm::draw_end(PanelContext& c) {
  int hit = static_cast<int>(draft_.from_hit);
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted("from hit");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(c.m().px(90));
  if (ImGui::InputInt("##hit", &hit)) draft_.from_hit = static_cast<std::uint64_t>(std::max(1, hit));
  c.map.item("breakpoint-form/hit", fmt::format("{}", draft_.from_hit));
  ImGui::SameLine();
  Breakpoint again;
  const std::string text = text_of(draft_);
  std::string wrong = parse_break(text, again);
  if (!wrong.empty() && draft_.text.empty() && wants_text(draft_.kind)) wrong = "Choose one at the right.";
  if (text_button(c, "breakpoint-form/done", edited_ == 0 ? "Add" : "Change",
                  wrong.empty() ? sentence_of(draft_) : wrong, {}, wrong.empty())) {
    c.commands.post(edited_ == 0 ? "break " + text : fmt::format("break-edit {} {}", edited_, text));
    ImGui::CloseCurrentPopup();
  }
  ImGui::SameLine();
  if (text_button(c, "breakpoint-form/type", "Type it…", "The same as words, in the palette")) {
    c.commands.post(edited_ == 0 ? "palette break " + text
                                 : fmt::format("palette break-edit {} {}", edited_, text));
    ImGui::CloseCurrentPopup();
  }
  ImGui::SameLine();
  if (text_button(c, "breakpoint-form/cancel", "Cancel", "Leaves everything as it is"))
    ImGui::CloseCurrentPopup();
  paragraph(c, wrong.empty() ? "break " + text : wrong, Color::dim);
}

}  // namespace tapescope::ui
