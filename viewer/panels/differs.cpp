// Prepares and draws the differences.
#include "viewer/panels/differs.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <functional>

#include "viewer/model/compare.h"
#include "viewer/model/op_medians.h"
#include "viewer/model/text_table.h"
#include "viewer/ui/widgets.h"

namespace tapescope::ui {
namespace {

constexpr std::size_t kMostOnly = 12, kMostCosts = 12;
constexpr const char* kRanApart = "A and B were measured in different runs.";

double flops_of(const StepView& view) {
  double sum = 0;
  for (const OpRow& row : view.ops) {
    if (row.direction == Direction::backward) sum += row.flops;
  }
  return sum;
}

std::uint64_t traces_of(const Snapshot& snapshot) {
  std::uint64_t sum = 0;
  for (const FunctionRow& row : snapshot.functions) sum += row.traces;
  return sum;
}

void add_count(Differences& d, const char* label, double a, double b) {
  const double change = b - a;
  d.rows.push_back({label, fmt::format("{:.0f}", a), fmt::format("{:.0f}", b),
                    change == 0 ? "" : fmt::format("{:+.0f}", change), change > 0});
}

// Nothing where neither has any: a framework may not say.
template <class Format>
void add_share(Differences& d, const char* label, double a, double b, const Format& format) {
  if (a == 0 && b == 0) return;
  std::string change;
  const double share = a > 0 ? (b - a) / a * 100 : 0;
  if (a != b) change = a <= 0 ? "new" : std::abs(share) < 0.5 ? "<1 %" : fmt::format("{:+.0f} %", share);
  d.rows.push_back({label, format(a), format(b), change, b > a});
}

std::string name_of_op(const OpRow& row) {
  const std::string_view what = row.direction == Direction::backward ? std::string_view("backward")
                                : row.tensor_name.empty()            ? row.scope
                                                                     : row.tensor_name;
  return fmt::format("{}  {}  {}", row.op, what, row.output_type);
}

std::string change_of(const CostRow& row) {
  const double us = row.b_us - row.a_us;
  return us >= 0.1 ? "+" + format_us(us) : us <= -0.1 ? format_us(us) : format_us(std::abs(us));
}

}  // namespace

Differences find_differences(const Snapshot& a, const Snapshot& b, const ComparisonResult* result,
                             bool interleaved) {
  Differences d;
  d.interleaved = interleaved;
  const auto x = a.complete ? a.complete : a.current, y = b.complete ? b.complete : b.current;
  if (result != nullptr) {
    d.known = true;
    d.compared = result->compared;
    d.same = result->same_loss && result->same_gradients;
    d.verdict = d.same ? "Both compute the same" : "They do not compute the same";
    const std::size_t steps = std::min(a.steps.size(), b.steps.size());
    if (d.compared == Compared::nothing) {
      d.verdict = "Nothing to compare but times";
      d.detail = "They have no loss and no gradient in common.";
    } else if (d.same && d.compared == Compared::losses) {
      d.detail = fmt::format("losses within {:.2g}; norms of gradients were not recorded",
                             result->max_loss_difference);
    } else if (d.same && d.compared == Compared::norms) {
      d.detail = fmt::format("losses within {:.2g}, norms of the last gradients within {:.2g}",
                             result->max_loss_difference, result->max_gradient_difference);
    } else if (d.same && result->max_loss_difference == 0 && result->max_gradient_difference == 0) {
      d.detail = fmt::format("loss and gradients equal bit for bit, {} steps", steps);
    } else if (d.same) {
      d.detail = fmt::format("loss within {:.2g}, gradients within {:.2g} of their largest element, {} steps",
                             result->max_loss_difference, result->max_gradient_difference, steps);
    } else {
      d.detail = "first difference: " + result->first_difference;
    }
  }
  if (x == nullptr || y == nullptr) return d;
  add_count(d, "recorded ops", static_cast<double>(x->counts.recorded),
            static_cast<double>(y->counts.recorded));
  add_count(d, "backward ops", static_cast<double>(x->counts.backward_ops),
            static_cast<double>(y->counts.backward_ops));
  add_share(d, "saved for backward", static_cast<double>(x->counts.saved_bytes),
            static_cast<double>(y->counts.saved_bytes), format_bytes);
  add_share(d, "peak of a step", static_cast<double>(x->counts.peak_bytes),
            static_cast<double>(y->counts.peak_bytes), format_bytes);
  add_share(d, "backward FLOP", flops_of(*x), flops_of(*y), format_count);
  add_count(d, "traces", static_cast<double>(traces_of(a)), static_cast<double>(traces_of(b)));
  std::vector<std::pair<double, OnlyRow>> only;
  const OpMedians of_a = op_medians(*x, a.recent), of_b = op_medians(*y, b.recent);
  for (const AlignedOp& match : align(*x, *y).ops) {
    if (match.a != kNoOp && match.b != kNoOp) {
      const double a_us = of_a.run_us[match.a], b_us = of_b.run_us[match.b];
      if (a_us > 0 || b_us > 0)
        d.costs.push_back({match.a, match.b, name_of_op(x->ops[match.a]), a_us, b_us});
      continue;
    }
    const int program = match.a != kNoOp ? 0 : 1;
    const std::uint32_t op = program == 0 ? match.a : match.b;
    const OpRow& row = (program == 0 ? *x : *y).ops[op];
    const double us = (program == 0 ? of_a : of_b).run_us[op];
    only.push_back({us, {program, op, name_of_op(row), format_us(us)}});
  }
  std::stable_sort(only.begin(), only.end(), [](const auto& p, const auto& q) { return p.first > q.first; });
  for (auto& [us, row] : only) d.only.push_back(std::move(row));
  std::ranges::stable_sort(d.costs, std::ranges::greater(),
                           [](const CostRow& row) { return std::abs(row.b_us - row.a_us); });
  return d;
}

std::string differences_markdown(const Differences& d) {
  std::string text =
      fmt::format("**{}** {}\n\n| | A | B | change |\n|---|---:|---:|---:|\n", d.verdict, d.detail);
  for (const DifferenceRow& row : d.rows)
    text += fmt::format("| {} | {} | {} | {} |\n", row.label, row.a, row.b, row.change);
  if (!d.interleaved) text += fmt::format("\n{}\n", kRanApart);
  if (!d.costs.empty()) {
    TextTable table({"op in both", ">A", ">B", ">change"});
    for (std::size_t i = 0; i < std::min(d.costs.size(), kMostCosts); ++i) {
      const CostRow& row = d.costs[i];
      table.row({row.name, format_us(row.a_us), format_us(row.b_us), change_of(row)});
    }
    text += "\n" + table.markdown();
    if (d.costs.size() > kMostCosts) text += fmt::format("\nand {} more\n", d.costs.size() - kMostCosts);
  }
  for (const int program : {0, 1}) {
    bool first = true;
    for (const OnlyRow& row : d.only) {
      if (row.program != program) continue;
      if (first) text += fmt::format("\nOnly in {}:\n", program == 0 ? "A" : "B");
      first = false;
      text += fmt::format("- {} {}\n", row.name, row.figure);
    }
  }
  return text;
}

void DiffersPanel::draw_table(PanelContext& c) const {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, line = c.m().px(24);
  ImDrawList* list = ImGui::GetWindowDrawList();
  // Figures take the room they need, in the mock's columns where that is less: what they are of needs the
  // rest.
  float of_b = 0, of_change = text_width(c.fonts.small, "change");
  for (const DifferenceRow& row : differences_.rows) {
    of_b = std::max(of_b, text_width(c.fonts.mono, row.b));
    of_change = std::max(of_change, text_width(c.fonts.mono, row.change));
  }
  const bool wide = width > c.m().px(260);
  const float change = at.x + width,
              b = change - (wide ? std::max(c.m().px(62), of_change + c.m().gap) : of_change + c.m().gap);
  const float a = b - (wide ? std::max(c.m().px(66), of_b + c.m().gap) : of_b + c.m().gap);
  float y = at.y;
  for (const auto& [label, x] : {std::pair{"A", a}, {"B", b}, {"change", change}}) {
    draw_text(list, c.fonts.small, {x, centred(c.fonts.small, y, c.m().px(20))}, c.color(Color::dim), label,
              Align::right);
  }
  y += c.m().px(20);
  for (const DifferenceRow& row : differences_.rows) {
    const float figure = text_width(c.fonts.mono, row.a);
    draw_elided(c, c.fonts.text, {at.x, centred(c.fonts.text, y, line)}, a - figure - at.x - c.m().px(6),
                c.color(Color::text), row.label);
    const float mono = centred(c.fonts.mono, y, line);
    draw_text(list, c.fonts.mono, {a, mono}, c.color(Color::text), row.a, Align::right);
    draw_text(list, c.fonts.mono, {b, mono}, c.color(Color::text), row.b, Align::right);
    draw_text(list, c.fonts.mono, {change, mono}, c.color(row.more ? Color::cursor_text : Color::value_text),
              row.change, Align::right);
    y += line;
  }
  ImGui::Dummy({1, y - at.y + c.m().px(10)});
}

void DiffersPanel::draw_only(PanelContext& c, int program) const {
  std::size_t count = 0, drawn = 0;
  for (const OnlyRow& row : differences_.only) count += row.program == program;
  if (count == 0) return;
  subheading(c, program == 0 ? "Only in A" : "Only in B",
             fmt::format("{} op{}", count, count == 1 ? "" : "s"));
  for (const OnlyRow& only : differences_.only) {
    if (only.program != program || drawn == kMostOnly) continue;
    ++drawn;
    const std::string id = fmt::format("differs/{}/{}", program == 0 ? "a" : "b", only.op);
    const Row row = selectable_row(c, id, only.name, c.m().px(20), false);
    if (!row.visible) continue;
    const float width = text_width(c.fonts.mono, only.figure), height = c.m().px(20);
    draw_text(ImGui::GetWindowDrawList(), c.fonts.mono, {row.max.x, centred(c.fonts.mono, row.min.y, height)},
              c.color(Color::text), only.figure, Align::right);
    draw_elided(c, c.fonts.text, {row.min.x, centred(c.fonts.text, row.min.y, height)},
                row.max.x - row.min.x - width - c.m().px(8),
                c.color(program == 0 ? Color::cursor_text : Color::value_text), only.name);
    if (row.clicked) {
      c.state.select({Selection::Kind::op, only.op, {}, program});
      c.state.camera.wish = Camera::Wish::focus_selection;
    }
  }
  if (count > drawn) paragraph(c, fmt::format("and {} more", count - drawn), Color::dim);
  ImGui::Dummy({1, c.m().px(10)});
}

// What both have, where it takes another time; a click selects it in A, where it stands beside B's.
void DiffersPanel::draw_costs(PanelContext& c) const {
  if (differences_.costs.empty()) return;
  subheading(c, "Time of ops in both", "A · B · change");
  const float height = c.m().px(20), figure = text_width(c.fonts.mono, "-000.0 µs") + c.m().px(4);
  for (std::size_t i = 0; i < std::min(differences_.costs.size(), kMostCosts); ++i) {
    const CostRow& cost = differences_.costs[i];
    const std::string figures[] = {change_of(cost), format_us(cost.b_us), format_us(cost.a_us)};
    const Row row =
        selectable_row(c, fmt::format("differs/cost/{}", cost.a),
                       fmt::format("{}: {}, {}", cost.name, figures[2], figures[1]), height, false);
    if (row.clicked) {
      c.state.select({Selection::Kind::op, cost.a, {}, 0});
      c.state.camera.wish = Camera::Wish::focus_selection;
    }
    if (!row.visible) continue;
    // Where the column is narrow the change alone has room.
    const int shown = row.max.x - row.min.x > 4.5f * figure ? 3 : 1;
    float x = row.max.x;
    for (int f = 0; f < shown; ++f, x -= figure) {
      const Color color = f > 0                   ? Color::text
                          : cost.b_us > cost.a_us ? Color::cursor_text
                                                  : Color::value_text;
      draw_text(ImGui::GetWindowDrawList(), c.fonts.mono, {x, centred(c.fonts.mono, row.min.y, height)},
                c.color(color), figures[f], Align::right);
    }
    draw_elided(c, c.fonts.text, {row.min.x, centred(c.fonts.text, row.min.y, height)},
                x - row.min.x - c.m().px(6), c.color(Color::text), cost.name);
  }
  if (differences_.costs.size() > kMostCosts)
    paragraph(c, fmt::format("and {} more", differences_.costs.size() - kMostCosts), Color::dim);
  ImGui::Dummy({1, c.m().px(10)});
}

void DiffersPanel::draw(PanelContext& c) {
  if (c.a == nullptr || c.b == nullptr) {
    empty_state(c, "What two variants do differently.", "Choose Compare A|B in the toolbar, then run.");
    return;
  }
  const RunMode modes[2] = {c.status.mode, c.status_of(1).mode};
  if (c.a->version != version_[0] || c.b->version != version_[1] || modes[0] != mode_[0] ||
      modes[1] != mode_[1]) {
    version_[0] = c.a->version, version_[1] = c.b->version, mode_[0] = modes[0], mode_[1] = modes[1];
    const bool rest = c.run != nullptr && modes[0] == RunMode::finished && modes[1] == RunMode::finished &&
                      (!c.a->steps.empty() || c.a->complete != nullptr);
    differences_ = find_differences(*c.a, *c.b, rest ? &c.run->comparison() : nullptr, c.interleaved());
  }
  if (differences_.rows.empty()) {
    empty_state(c, "What two variants do differently.", "A run fills it.", "run", "Run both");
    return;
  }
  const float pad = c.m().px(16);
  ImGui::SetCursorPos({pad, c.m().px(14)});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(c.m().gap, c.m().px(2)));
  ImGui::BeginChild("body", {ImGui::GetContentRegionAvail().x - pad, 0}, false,
                    ImGuiWindowFlags_NoBackground);
  if (differences_.known) {
    ImGui::PushFont(c.fonts.title);
    const bool nothing = differences_.compared == Compared::nothing;
    paragraph(c,
              (nothing             ? ""
               : differences_.same ? "= "
                                   : "≠ ") +
                  differences_.verdict,
              nothing             ? Color::text
              : differences_.same ? Color::good_text
                                  : Color::broken_text);
    ImGui::PopFont();
    paragraph(c, differences_.detail, Color::dim);
  } else {
    paragraph(c,
              c.interleaved() ? "Whether both compute the same is known when the run ends."
                              : "Whether both compute the same is known when both have ended.",
              Color::dim);
  }
  if (!differences_.interleaved) paragraph(c, kRanApart, Color::dim);
  ImGui::Dummy({1, c.m().px(6)});
  draw_table(c);
  draw_only(c, 0);
  draw_only(c, 1);
  if (text_button(c, "differs/copy", "Copy as Markdown",
                  "Copies this comparison for an issue or a message")) {
    ImGui::SetClipboardText(differences_markdown(differences_).c_str());
  }
  ImGui::Dummy({1, c.m().px(10)});
  draw_costs(c);
  ImGui::Dummy({1, c.m().px(10)});
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

}  // namespace tapescope::ui
