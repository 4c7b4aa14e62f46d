// Draws the ops table: header that sorts, rows with bars, the filter field.
#include "viewer/panels/ops.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstring>

#include "viewer/model/machine_roof.h"
#include "viewer/ui/widgets.h"

namespace tapescope::ui {
namespace {

struct ColumnText {
  const char* id;
  const char* label;
  const char* narrow;  // where the window is small
  const char* help;
  bool right;  // figures stand at the right of their column
};
constexpr ColumnText kColumns[] = {
    {"op", "op", "op", "The op's type, or its name", false},
    {"calls", "calls", "calls", "Runs in a step", true},
    {"forward", "forward, median µs", "fwd µs",
     "Its runs outside of backward passes, per step, median of the last 64", false},
    {"backward", "backward, median µs", "bwd µs",
     "The backward steps it causes, per step, median of the last 64; pale: its runs in those of other ops",
     false},
    {"ratio", "bwd / fwd", "b/f", "Backward time over forward time; beyond 5 something is wrong", true},
    {"share", "share", "share", "Of the step's op time, its own runs in both directions", true},
    {"flops", "FLOP", "FLOP", "Floating-point operations in a step", true},
    {"rate", "GFLOP/s", "GF/s", "Its FLOPs over its own time", true},
    {"roof", "of roof", "roof",
     "GFLOP/s over what one core of this machine can do at most for that many bytes", true},
    {"saved", "saved bytes", "saved", "Kept alive for the backward pass", true},
    {"series", "last 64 steps", "64 steps", "Forward and backward time together", false},
};

// Left edges of the columns, as the mock has them at 1600 pixels but for longer names; the last entry is the
// right end.
std::array<float, 12> columns(const PanelContext& c, float left, float width) {
  static constexpr float kWide[] = {20, 230, 310, 565, 820, 915, 1005, 1095, 1190, 1285, 1440, 1576};
  // Half as wide: names keep their room, the line over steps goes.
  static constexpr float kNarrow[] = {20, 260, 350, 570, 790, 890, 1010, 1130, 1225, 1360, 1560, 1576};
  // Less than that: what costs and what it comes to, with room for every figure; columns without width are
  // left out.
  static constexpr float kSmall[] = {20, 330, 330, 590, 850, 850, 1080, 1080, 1080, 1300, 1576, 1576};
  // A third as wide: names, both times and what is saved.
  static constexpr float kLeast[] = {20, 700, 700, 960, 1220, 1220, 1220, 1220, 1220, 1220, 1576, 1576};
  const float* const at = width < c.m().px(520)    ? kLeast
                          : width < c.m().px(760)  ? kSmall
                          : width < c.m().px(1000) ? kNarrow
                                                   : kWide;
  std::array<float, 12> x{};
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::round(left + width * at[i] / 1600);
  x[0] = left + c.m().px(20);
  return x;
}

// What stands over a column of that width; nothing where even the short form has no room.
const char* label_of(const PanelContext& c, const ColumnText& column, float width) {
  if (text_width(c.fonts.small, column.label) + c.m().px(12) <= width) return column.label;
  return text_width(c.fonts.small, column.narrow) <= width ? column.narrow : "";
}

// By node the times are those of the steps that are kept whole.
ColumnText column_text(std::size_t i, bool by_node) {
  ColumnText column = kColumns[i];
  if (!by_node) return column;
  if (static_cast<OpsColumn>(i) == OpsColumn::forward) {
    column.help = "Its run, median of the last steps that ran the same ops, 8 at most";
  } else if (static_cast<OpsColumn>(i) == OpsColumn::backward) {
    column.help = "Its backward step, median of the last steps that ran the same ops, 8 at most";
  }
  return column;
}

// All of a row, for its tooltip; a time that it has none of is left out.
std::string figures_of(const OpsRow& r, const MachineRoof* roof) {
  std::string text = r.name;
  const auto line = [&](const char* label, const std::string& value) {
    text += fmt::format("\n{:<10}{}", label, value);
  };
  if (r.forward_us > 0) line("forward", fmt::format("{:.3f} µs", r.forward_us));
  if (r.backward_us > 0) line("backward", fmt::format("{:.3f} µs", r.backward_us));
  if (r.served_us > 0) line("in others'", fmt::format(" {:.3f} µs", r.served_us));
  line("share", format_percent(r.share));
  line("FLOP", fmt::format("{:.0f}", r.flops));
  line("moved", fmt::format("{:.0f} bytes", r.bytes));
  line("saved", fmt::format("{:.0f} bytes", r.saved));
  if (roof != nullptr && std::isfinite(r.of_roof))
    line("roof", fmt::format("{:.1f} GFLOP/s", roof->at(r.flops, r.bytes, r.calls)));
  return text;
}

std::string figure(double v) { return v >= 99.95 ? fmt::format("{:.0f}", v) : fmt::format("{:.3g}", v); }

}  // namespace

void OpsPanel::refresh(PanelContext& c) {
  const auto view = c.a != nullptr ? (c.a->complete ? c.a->complete : c.a->current) : nullptr;
  const std::uint64_t version = c.a != nullptr ? c.a->version : 0;
  const bool same = (by_node_ ? view_.lock() == view : version == version_) && filter_ == c.state.filter();
  if (same && !stale_ && roofed_ == (c.roof != nullptr)) return;
  roofed_ = c.roof != nullptr;
  view_ = view;
  version_ = version;
  filter_ = c.state.filter();
  stale_ = false;
  table_ = {};
  if (c.a == nullptr) return;
  if (!by_node_) table_ = ops_by_type(*c.a, filter_);
  else if (view != nullptr) table_ = ops_by_node(*view, filter_, op_medians(*view, c.a->recent));
  if (c.roof != nullptr) hold_against(table_, *c.roof);
  sort_ops(table_, sorted_by_, ascending_);
}

void OpsPanel::draw_header(PanelContext& c) {
  const ImVec2 min = ImGui::GetWindowPos();
  const float right = min.x + ImGui::GetWindowSize().x - c.m().pad, height = ImGui::GetWindowSize().y;
  const char* mode = by_node_ ? "by node" : "by op";
  const float mode_width = text_width(c.fonts.text, "by node") + c.m().px(22);
  const auto link = [&](const char* id, const char* label, float x, float width, const char* help) {
    ImGui::SetCursorScreenPos({x, min.y + std::round((height - c.m().hit) / 2)});
    ImGui::PushID(id);
    const bool clicked = ImGui::InvisibleButton("link", {width, c.m().hit});
    ImGui::PopID();
    const bool hovered = ImGui::IsItemHovered();
    c.map.item(id, label);
    draw_text(ImGui::GetWindowDrawList(), c.fonts.text, {x, centred(c.fonts.text, min.y, height)},
              c.color(hovered ? Color::text : Color::dim), label);
    tooltip_words(c, id, help);
    return clicked;
  };
  const float mode_x = right - mode_width;
  if (link("ops/mode", mode, mode_x, mode_width, "One row per op type, or per op of the last step")) {
    by_node_ = !by_node_;
    stale_ = true;
  }
  const float at = mode_x + text_width(c.fonts.text, mode) + c.m().px(6), middle = min.y + height / 2;
  ImGui::GetWindowDrawList()->AddTriangleFilled(
      {at, middle - c.m().px(2)}, {at + c.m().px(8), middle - c.m().px(2)},
      {at + c.m().px(4), middle + c.m().px(3)}, c.color(Color::dim));

  const float start = ImGui::GetWindowPos().x, room = mode_x - c.m().px(16) - start;
  const float width = std::min(c.m().px(260), room);
  if (width < c.m().px(60)) return;
  if (c.state.filter() != typed_.data()) {
    const std::size_t n = std::min(c.state.filter().size(), typed_.size() - 1);
    std::memcpy(typed_.data(), c.state.filter().data(), n);
    typed_[n] = 0;
  }
  if (c.a != nullptr && c.a->steps.count() == 1)
    cold_mark(c, "ops/cold", {mode_x - c.m().px(16) - width, min.y + height / 2}, room - width);
  ImGui::PushFont(c.fonts.small);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                      ImVec2(c.m().px(8), (c.m().hit - ImGui::GetFontSize()) / 2));
  ImGui::SetCursorScreenPos({mode_x - c.m().px(16) - width, min.y + std::round((height - c.m().hit) / 2)});
  ImGui::SetNextItemWidth(width);
  static constexpr const char* kHints[] = {"filter: op, name, >10us, dtype:float16",
                                           "filter: op, name, >10us", "filter"};
  const auto* const hint = std::ranges::find_if(kHints, [&](const char* words) {
    return text_width(c.fonts.small, words) <= width - c.m().px(16);
  });
  if (ImGui::InputTextWithHint("##filter", hint == std::end(kHints) ? "" : *hint, typed_.data(),
                               typed_.size()))
    c.state.set_filter(typed_.data());
  c.map.item("ops/filter", "filter");
  ImGui::PopStyleVar();
  ImGui::PopFont();
  tooltip_words(c, "ops/filter",
                "Words, or conditions: >10us, <2ms, dtype:float16, op:MatMul, scope:dense, line:mnist, "
                "is:backward. Dims the graph too.",
                c.commands.keys("find"));
}

void OpsPanel::draw_head(PanelContext& c, const std::array<float, 12>& x) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = c.m().px(28);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(at, {x.back() + c.m().px(40), at.y + height}, c.color(Color::panel));
  for (std::size_t i = 0; i < std::size(kColumns); ++i) {
    const ColumnText column = column_text(i, by_node_);
    const float left = x[i], right = x[i + 1] - c.m().px(14);
    ImGui::SetCursorScreenPos({left, at.y});
    ImGui::PushID(column.id);
    const bool clicked = ImGui::InvisibleButton("head", {std::max(1.0f, right - left), height});
    ImGui::PopID();
    const bool hovered = ImGui::IsItemHovered();
    const std::string id = fmt::format("ops/sort/{}", column.id);
    c.map.item(id, column.label);
    tooltip_words(c, id, column.help);
    const auto self = static_cast<OpsColumn>(i);
    if (clicked && self != OpsColumn::series) {
      ascending_ = sorted_by_ == self ? !ascending_ : self == OpsColumn::name;
      sorted_by_ = self;
      stale_ = true;
    }
    const bool sorted = sorted_by_ == self;
    const ImU32 ink = c.color(hovered || sorted ? Color::text : Color::dim);
    const char* const label = label_of(c, column, right - left);
    const float width =
        draw_text(list, c.fonts.small, {column.right ? right : left, centred(c.fonts.small, at.y, height)},
                  ink, label, column.right ? Align::right : Align::left);
    if (!sorted || label[0] == 0) continue;
    const float tip = column.right ? right - width - c.m().px(9) : left + width + c.m().px(9),
                middle = at.y + height / 2;
    draw_arrow_head(list, {tip, middle + (ascending_ ? -1.0f : 1.0f) * c.m().px(3)},
                    {0, ascending_ ? -1.0f : 1.0f}, c.m().px(6), ink);
  }
  ImGui::SetCursorScreenPos({at.x, at.y + height});
}

void OpsPanel::draw_row(PanelContext& c, std::size_t index, const std::array<float, 12>& x) {
  const OpsRow& r = table_.rows[index];
  const StepView* view = c.a != nullptr ? c.a->shown().get() : nullptr;
  const Selection& selection = c.state.selection();
  bool selected = false;
  if (selection.kind == Selection::Kind::op && view != nullptr && selection.index < view->ops.size()) {
    selected = by_node_ ? selection.index == r.index : view->ops[selection.index].op == r.op;
  }
  const std::string id = by_node_ ? fmt::format("ops/node/{}", r.index) : fmt::format("ops/row/{}", r.name);
  const Row row = selectable_row(c, id, r.name, c.m().row_height, selected);
  if (!row.visible) return;
  if (row.clicked && by_node_) c.commands.post(fmt::format("select op {}", r.index));
  if (row.clicked && !by_node_ && view != nullptr) {
    // The costliest op of that type.
    const OpRow* most = nullptr;
    for (const OpRow& op : view->ops) {
      if (op.op == r.op && (most == nullptr || op.duration_us > most->duration_us)) most = &op;
    }
    if (most != nullptr) c.commands.post(fmt::format("select op {}", most - view->ops.data()));
  }
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float height = c.m().row_height, mono = centred(c.fonts.mono, row.min.y, height);
  draw_elided(c, c.fonts.text, {x[0], centred(c.fonts.text, row.min.y, height)}, x[1] - x[0] - c.m().px(6),
              c.color(Color::text), r.name);
  const auto put = [&](OpsColumn column, const std::string& text) {
    const auto i = static_cast<std::size_t>(column);
    // A figure without a name has no meaning.
    if (label_of(c, kColumns[i], x[i + 1] - x[i] - c.m().px(14))[0] == 0) return;
    if (text_width(c.fonts.mono, text) > x[i + 1] - x[i] - c.m().px(10)) return;
    draw_text(list, c.fonts.mono, {x[i + 1] - c.m().px(14), mono}, c.color(Color::text), text, Align::right);
  };
  put(OpsColumn::calls, fmt::format("{:.0f}", r.calls));
  for (const bool backward : {false, true}) {
    const auto i = static_cast<std::size_t>(backward ? OpsColumn::backward : OpsColumn::forward);
    const double us = backward ? r.backward_us + r.served_us : r.forward_us;
    const bool pale = backward && r.served_us > 0;
    const float number = c.m().px(52), end = x[i + 1] - c.m().px(10) - number;
    if (end > x[i] + c.m().px(10)) {
      draw_bar(c, {x[i], row.min.y + height * 0.27f}, {end, row.max.y - height * 0.27f},
               static_cast<float>(table_.most_us > 0 ? us / table_.most_us : 0),
               c.color(pale       ? Color::faint
                       : backward ? Color::cursor
                                  : Color::forward));
    }
    if (us > 0)
      draw_text(list, c.fonts.mono, {std::max(x[i], end + c.m().px(10)), mono},
                c.color(pale ? Color::dim : Color::text), figure(us));
  }
  if (std::isfinite(r.ratio)) put(OpsColumn::ratio, fmt::format("{:.2f}", r.ratio));
  put(OpsColumn::share, format_percent(r.share));
  if (r.flops > 0) put(OpsColumn::flops, format_count(r.flops));
  if (r.rate > 0)
    put(OpsColumn::rate, r.rate < 0.05 ? "<0.1" : fmt::format("{:.{}f}", r.rate, r.rate < 9.95 ? 1 : 0));
  if (std::isfinite(r.of_roof)) put(OpsColumn::roof, roof_text(r.of_roof));
  if (r.saved > 0) put(OpsColumn::saved, format_bytes(r.saved));
  if (x[11] - x[10] > c.m().px(40)) {
    draw_sparkline(c, {x[10], row.min.y + height * 0.2f}, {x[11], row.max.y - height * 0.2f}, r.series,
                   c.color(Color::dim));
  }
  tooltip_numbers(c, id, row.hovered ? figures_of(r, c.roof) : std::string());
}

void OpsPanel::draw(PanelContext& c) {
  refresh(c);
  if (c.a == nullptr || (table_.rows.empty() && table_.hidden == 0)) {
    return awaits_step(c, "What each op type costs, forward and backward.");
  }
  if (table_.rows.empty()) {
    empty_state(c, fmt::format("No op matches `{}` in {} rows.", filter_, table_.hidden), {}, "filter",
                "Clear the filter");
    return;
  }
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  const auto x = columns(c, ImGui::GetCursorScreenPos().x, ImGui::GetContentRegionAvail().x);
  const ImVec2 body = ImGui::GetContentRegionAvail();
  draw_head(c, x);
  ImGui::BeginChild("rows", {0, body.y - c.m().px(28)}, false, ImGuiWindowFlags_NoBackground);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(table_.rows.size()), c.m().row_height);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
      draw_row(c, static_cast<std::size_t>(i), x);
  }
  clipper.End();
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

}  // namespace tapescope::ui
