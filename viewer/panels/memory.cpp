// Prepares and draws the memory of a step.
#include "viewer/panels/memory.h"

#include <fmt/format.h>
#include <algorithm>

#include "viewer/ui/widgets.h"

namespace tapescope::ui {

namespace {

std::string saver_text(const StepView& view, const HeldBuffer& buffer) {
  return buffer.saved_by == kNoOp ? std::string() : "saved by " + view.ops[buffer.saved_by].name;
}
std::string span_text(const StepView& view, const HeldBuffer& buffer) {
  const std::string from = text_of_op(view, buffer.from), to = text_of_op(view, buffer.to);
  return from == to ? from : fmt::format("{} to {}", from, to);
}
// The op to look at: that made it, else the one that keeps it.
std::uint32_t op_of(const HeldBuffer& buffer) {
  return buffer.maker != kNoOp ? buffer.maker : buffer.saved_by != kNoOp ? buffer.saved_by : buffer.from;
}

}  // namespace

void MemoryPanel::draw_chart(PanelContext& c, const StepView& view, ImVec2 min, ImVec2 size) const {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const auto& bytes = view.live_bytes;
  const std::int64_t most = *std::max_element(bytes.begin(), bytes.end());
  draw_text(list, c.fonts.small, min, c.color(Color::dim), "live bytes, op by op");
  draw_text(list, c.fonts.mono, {min.x + size.x, min.y}, c.color(Color::text),
            fmt::format("peak {}", format_bytes(static_cast<double>(most))), Align::right);
  const float top = min.y + c.m().px(24), base = min.y + size.y - c.m().px(18);
  if (most <= 0 || base - top < c.m().px(10)) return;
  // One bar per pixel column at most: each shows the most of the ops it stands for.
  const auto columns = std::min<std::size_t>(bytes.size(), static_cast<std::size_t>(std::max(1.0f, size.x)));
  const float step = size.x / static_cast<float>(columns);
  for (std::size_t i = 0; i < columns; ++i) {
    const std::size_t first = i * bytes.size() / columns,
                      last = std::max(first + 1, (i + 1) * bytes.size() / columns);
    const std::int64_t value = *std::max_element(bytes.begin() + static_cast<std::ptrdiff_t>(first),
                                                 bytes.begin() + static_cast<std::ptrdiff_t>(last));
    const bool back = view.ops[first].direction == Direction::backward,
               peak = view.peak_op >= first && view.peak_op < last;
    const float x = min.x + step * static_cast<float>(i),
                height =
                    (base - top) * static_cast<float>(static_cast<double>(value) / static_cast<double>(most));
    list->AddRectFilled({x, base - height}, {x + std::max(1.0f, step - c.m().line), base},
                        c.color(back ? Color::cursor : Color::forward, 0.85f));
    if (peak) draw_arrow_head(list, {x + step / 2, base - height}, {0, 1}, c.m().px(7), c.color(Color::text));
  }
  list->AddLine({min.x, base}, {min.x + size.x, base}, c.color(Color::line), c.m().line);
  draw_text(list, c.fonts.small, {min.x, base + c.m().px(3)}, c.color(Color::dim), "forward");
  draw_text(list, c.fonts.small, {min.x + size.x, base + c.m().px(3)}, c.color(Color::dim),
            "backward, update", Align::right);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (!ImGui::IsWindowHovered() || mouse.x < min.x || mouse.x >= min.x + size.x || mouse.y < top ||
      mouse.y > base)
    return;
  const auto at = std::min(bytes.size() - 1, static_cast<std::size_t>((mouse.x - min.x) / size.x *
                                                                      static_cast<float>(bytes.size())));
  ImGui::BeginTooltip();
  ImGui::PushFont(c.fonts.mono);
  ImGui::TextUnformatted(fmt::format("{}  {}\n{} bytes live",
                                     text_of_op(view, static_cast<std::uint32_t>(at)), view.ops[at].name,
                                     bytes[at])
                             .c_str());
  ImGui::PopFont();
  ImGui::EndTooltip();
}

void MemoryPanel::draw(PanelContext& c) {
  const auto view = c.a != nullptr ? (c.a->complete ? c.a->complete : c.a->current) : nullptr;
  if (view == nullptr || view->live_bytes.empty() || view->live_bytes.size() != view->ops.size()) {
    const bool ran = view != nullptr;
    constexpr std::string_view what = "Live bytes over a step, and what its peak is made of.";
    return ran ? empty_state(c, what, "This step made no buffer.") : awaits_op(c, what);
  }
  if (view_.lock() != view) {
    parts_ = buffers_at_peak(*view);
    view_ = view;
  }
  const ImVec2 min = ImGui::GetCursorScreenPos(), size = ImGui::GetContentRegionAvail();
  const bool wide = size.x > c.m().px(760);
  const float chart = wide ? size.x * 0.5f : size.x;
  // Where the list stands below it, the chart as a whole is seen without scrolling.
  const float height =
      wide ? size.y - c.m().px(24) : std::min(c.m().px(110), std::max(c.m().px(60), size.y - c.m().px(16)));
  draw_chart(c, *view, {min.x + c.m().px(20), min.y + c.m().px(12)}, {chart - c.m().px(40), height});
  ImGui::SetCursorScreenPos(wide ? ImVec2{min.x + chart, min.y + c.m().px(8)}
                                 : ImVec2{min.x, min.y + height + c.m().px(14)});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  ImGui::BeginChild("parts", {0, 0}, false, ImGuiWindowFlags_NoBackground);
  ImGui::Dummy({c.m().px(14), 1});
  ImGui::SameLine();
  subheading(c, "alive at the peak",
             fmt::format("{} buffer{}, {} tape{} held", parts_.size(), parts_.size() == 1 ? "" : "s",
                         c.a->tapes.size(), c.a->tapes.size() == 1 ? "" : "s"));
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(parts_.size()), c.m().row_height);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const HeldBuffer& part = parts_[static_cast<std::size_t>(i)];
      const std::uint32_t op = op_of(part);
      const bool selected =
          c.state.selection().kind == Selection::Kind::op && c.state.selection().index == op;
      const std::string maker = maker_text(*view, part), saver = saver_text(*view, part);
      const std::string id = fmt::format("memory/part/{}", i);
      const Row row = selectable_row(c, id, part.name, c.m().row_height, selected);
      if (row.clicked) c.commands.post(fmt::format("select op {}", op));
      tooltip_numbers(
          c, id,
          fmt::format("{}  {}\n{} bytes\nmade by {}\n{}{}held over {}", part.name, part.type, part.bytes,
                      maker, saver, saver.empty() ? "" : "\n", span_text(*view, part)));
      if (!row.visible) continue;
      const float height = c.m().row_height, x = row.min.x + c.m().px(14), right = row.max.x - c.m().px(14),
                  width = right - x;
      draw_elided(c, c.fonts.text, {x, centred(c.fonts.text, row.min.y, height)}, width * 0.28f,
                  c.color(Color::text), part.name);
      draw_elided(c, c.fonts.mono, {x + width * 0.3f, centred(c.fonts.mono, row.min.y, height)},
                  width * 0.24f, c.color(Color::dim), part.type);
      draw_elided(c, c.fonts.small, {x + width * 0.56f, centred(c.fonts.small, row.min.y, height)},
                  width * 0.3f, c.color(Color::dim),
                  !saver.empty()        ? saver
                  : part.maker == kNoOp ? maker
                                        : span_text(*view, part));
      draw_text(ImGui::GetWindowDrawList(), c.fonts.mono, {right, centred(c.fonts.mono, row.min.y, height)},
                c.color(Color::text), format_bytes(static_cast<double>(part.bytes)), Align::right);
    }
  }
  clipper.End();
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

std::string MemoryPanel::text(const PanelContext&) const {
  const auto view = view_.lock();
  if (parts_.empty() || view == nullptr) return {};
  const bool savers = any_saver(parts_);
  std::string text =
      fmt::format("at the peak\ttype\tbytes\tmade by\t{}held over\n", savers ? "saved by\t" : "");
  for (const HeldBuffer& part : parts_) {
    text += fmt::format("{}\t{}\t{}\t{}\t", part.name, part.type, part.bytes, maker_text(*view, part));
    if (savers) text += fmt::format("{}\t", part.saved_by == kNoOp ? "" : view->ops[part.saved_by].name);
    text += span_text(*view, part) + "\n";
  }
  return text;
}

}  // namespace tapescope::ui
