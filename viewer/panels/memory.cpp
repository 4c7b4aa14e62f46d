// Prepares and draws the memory of a step.
#include "viewer/panels/memory.h"

#include <fmt/format.h>
#include <algorithm>

#include "viewer/ui/widgets.h"

namespace tapescope::ui {

std::vector<PeakPart> peak_parts(const StepView& view) {
  std::vector<PeakPart> parts;
  if (view.peak_op == kNoOp) return parts;
  for (const BufferLife& life : view.buffers) {
    if (life.from > view.peak_op || life.to < view.peak_op) continue;
    const std::uint32_t op = life.from < view.ops.size() ? life.from : kNoOp;
    if (op == kNoOp) continue;
    const OpRow& row = view.ops[op];
    parts.push_back({op, row.name, std::string(row.output_type),
                     life.from == life.to ? fmt::format("op {}", life.from)
                                          : fmt::format("op {} to {}", life.from, life.to),
                     life.bytes, life.saved_by != kNoOp});
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const PeakPart& x, const PeakPart& y) { return x.bytes > y.bytes; });
  return parts;
}

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
  ImGui::TextUnformatted(fmt::format("op {}  {}\n{} bytes live", at, view.ops[at].name, bytes[at]).c_str());
  ImGui::PopFont();
  ImGui::EndTooltip();
}

void MemoryPanel::draw(PanelContext& c) {
  const auto view = c.a != nullptr ? (c.a->complete ? c.a->complete : c.a->current) : nullptr;
  if (view == nullptr || view->live_bytes.empty() || view->live_bytes.size() != view->ops.size()) {
    const bool ran = view != nullptr;
    empty_state(c, "Live bytes over a step, and what its peak is made of.",
                ran ? "This step made no buffer." : "A run fills it.", ran ? "" : "run", "Run the sample");
    return;
  }
  if (view_.lock() != view) {
    parts_ = peak_parts(*view);
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
      const PeakPart& part = parts_[static_cast<std::size_t>(i)];
      const bool selected =
          c.state.selection().kind == Selection::Kind::op && c.state.selection().index == part.op;
      const std::string id = fmt::format("memory/part/{}", i);
      const Row row = selectable_row(c, id, part.name, c.m().row_height, selected);
      if (row.clicked) c.commands.post(fmt::format("select op {}", part.op));
      tooltip_numbers(c, id,
                      fmt::format("{}  {}\n{} bytes{}\nheld over {}", part.name, part.type, part.bytes,
                                  part.saved ? ", saved for backward" : "", part.held));
      if (!row.visible) continue;
      const float height = c.m().row_height, x = row.min.x + c.m().px(14), right = row.max.x - c.m().px(14),
                  width = right - x;
      draw_elided(c, c.fonts.text, {x, centred(c.fonts.text, row.min.y, height)}, width * 0.38f,
                  c.color(Color::text), part.name);
      draw_elided(c, c.fonts.mono, {x + width * 0.4f, centred(c.fonts.mono, row.min.y, height)},
                  width * 0.18f, c.color(Color::dim), part.type);
      draw_elided(c, c.fonts.small, {x + width * 0.6f, centred(c.fonts.small, row.min.y, height)},
                  width * 0.24f, c.color(Color::dim), (part.saved ? "saved, " : "") + part.held);
      draw_text(ImGui::GetWindowDrawList(), c.fonts.mono, {right, centred(c.fonts.mono, row.min.y, height)},
                c.color(Color::text), format_bytes(static_cast<double>(part.bytes)), Align::right);
    }
  }
  clipper.End();
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

std::string MemoryPanel::text(const PanelContext&) const {
  if (parts_.empty()) return {};
  std::string text = "at the peak\ttype\tbytes\theld by\tsaved\n";
  for (const PeakPart& part : parts_)
    text += fmt::format("{}\t{}\t{}\t{}\t{}\n", part.name, part.type, part.bytes, part.held,
                        part.saved ? "saved" : "");
  return text;
}

}  // namespace tapescope::ui
