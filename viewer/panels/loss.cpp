// A line chart with axes and the value under the pointer.
#include "viewer/panels/loss.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "viewer/ui/widgets.h"

namespace tapescope::ui {

std::vector<LossColumn> thin_out(const Series<MetricPoint>& points, std::uint64_t first, std::uint64_t last,
                                 std::size_t columns) {
  std::vector<LossColumn> thin;
  if (columns == 0) return thin;
  const double span = static_cast<double>(std::max<std::uint64_t>(1, last - first));
  std::size_t at_column = columns + 1;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const MetricPoint& point = points[i];
    if (point.step < first || point.step > last) continue;
    const double t = static_cast<double>(point.step - first) / span;
    const auto column = std::min(columns - 1, static_cast<std::size_t>(t * static_cast<double>(columns)));
    if (column != at_column) thin.push_back({static_cast<float>(t), NAN, NAN, NAN});
    at_column = column;
    if (!std::isfinite(point.value)) {
      thin.back().broken = true;
      continue;
    }
    thin.back().low = std::fmin(thin.back().low, point.value);
    thin.back().high = std::fmax(thin.back().high, point.value);
    thin.back().last = point.value;
  }
  return thin;
}

std::vector<double> axis_marks(double low, double high, int most) {
  std::vector<double> marks;
  if (!(high > low) || most < 1) return marks;
  const double rough = (high - low) / most, unit = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10 * unit;
  for (const double s : {1.0, 2.0, 5.0}) {
    if (s * unit >= rough) {
      step = s * unit;
      break;
    }
  }
  for (double v = std::ceil(low / step) * step; v <= high + step * 1e-9; v += step)
    marks.push_back(std::abs(v) < step * 1e-9 ? 0 : v);
  return marks;
}

namespace {

// Marks steps whose value is not finite, from one side to the other of their columns.
void hatch(ImDrawList* list, ImVec2 min, ImVec2 max, ImU32 color, float gap) {
  const ImU32 pale = (color & ~IM_COL32_A_MASK) | (0x60u << IM_COL32_A_SHIFT);
  list->PushClipRect(min, max, true);
  for (float x = min.x - (max.y - min.y); x < max.x; x += gap)
    list->AddLine({x, max.y}, {x + (max.y - min.y), min.y}, pale, 1);
  list->PopClipRect();
  list->AddRect(min, max, color);
}

}  // namespace

const MetricSeries* LossPanel::metric(const Snapshot* snapshot) const {
  if (snapshot == nullptr) return nullptr;
  for (const MetricSeries& series : snapshot->metrics) {
    if ((chosen_.empty() || series.name == chosen_) && !series.points.empty()) return &series;
  }
  return nullptr;
}

void LossPanel::draw_header(PanelContext& c) {
  if (c.a == nullptr || c.a->metrics.size() < 2) return;
  const ImVec2 min = ImGui::GetWindowPos();
  const float height = ImGui::GetWindowSize().y;
  float x = min.x + ImGui::GetWindowSize().x - c.m().pad;
  for (std::size_t i = c.a->metrics.size(); i-- > 0;) {
    const std::string name(c.a->metrics[i].name);
    const float width = text_width(c.fonts.text, name) + c.m().px(16);
    x -= width;
    if (x < min.x) return;
    ImGui::SetCursorScreenPos({x, min.y + std::round((height - c.m().hit) / 2)});
    ImGui::PushID(name.c_str());
    if (ImGui::InvisibleButton("metric", {width, c.m().hit})) chosen_ = name;
    ImGui::PopID();
    const std::string id = "loss/metric/" + name;
    c.map.item(id, name);
    const bool on = metric(c.a) == &c.a->metrics[i];
    draw_text(ImGui::GetWindowDrawList(), on ? c.fonts.bold : c.fonts.text,
              {x + c.m().px(8), centred(c.fonts.text, min.y, height)},
              c.color(on || ImGui::IsItemHovered() ? Color::text : Color::dim), name);
    tooltip_words(c, id, "Shows this metric");
  }
}

void LossPanel::draw(PanelContext& c) {
  const MetricSeries* series[2] = {metric(c.a), c.comparing() ? metric(c.b) : nullptr};
  if (series[0] == nullptr && series[1] == nullptr) {
    const bool ran = c.a != nullptr && !c.a->steps.empty();
    constexpr std::string_view what = "Loss and metrics of the run, step by step.";
    return ran ? empty_state(c, what, "The program reports no loss.") : awaits_step(c, what);
  }
  std::uint64_t first = ~std::uint64_t{0}, last = 0;
  for (const MetricSeries* s : series) {
    if (s == nullptr) continue;
    first = std::min(first, s->points[0].step);
    last = std::max(last, s->points.back().step);
  }
  const ImVec2 min = ImGui::GetCursorScreenPos(), size = ImGui::GetContentRegionAvail();
  const float left = min.x + c.m().px(64), right = min.x + size.x - c.m().px(150), top = min.y + c.m().px(26),
              bottom = min.y + size.y - c.m().px(28);
  if (right - left < c.m().px(40) || bottom - top < c.m().px(20)) return;
  const auto columns = static_cast<std::size_t>(right - left);
  std::vector<LossColumn> lines[2];
  double low = INFINITY, high = -INFINITY;
  for (int p = 0; p < 2; ++p) {
    if (series[p] == nullptr) continue;
    lines[p] = thin_out(series[p]->points, first, last, columns);
    for (const LossColumn& column : lines[p])
      low = std::fmin(low, column.low), high = std::fmax(high, column.high);
  }
  ImDrawList* list = ImGui::GetWindowDrawList();
  const MetricSeries* any = series[0] != nullptr ? series[0] : series[1];
  if (!(low <= high)) {
    empty_state(c, fmt::format("{} is not finite at any step.", any->name),
                "The alerts name the op that made the first such value.");
    return;
  }
  if (low > 0 && low < 0.5 * high) low = 0;  // a loss falls towards 0: showing 0 shows how far it came
  if (low == high) low -= 0.5 * std::max(1.0, std::abs(low)), high += 0.5 * std::max(1.0, std::abs(high));
  const auto to_x = [&](double t) { return left + static_cast<float>(t) * (right - left); };
  const auto to_y = [&](double v) {
    return bottom - static_cast<float>((v - low) / (high - low)) * (bottom - top);
  };
  for (const double v : axis_marks(low, high, std::max(2, static_cast<int>((bottom - top) / c.m().px(34))))) {
    const float y = std::round(to_y(v)) + 0.5f;
    list->AddLine({left, y}, {right, y}, c.color(Color::line), c.m().line);
    draw_text(list, c.fonts.mono_small, {left - c.m().px(8), centred(c.fonts.mono_small, y, 0)},
              c.color(Color::dim), format_value(v), Align::right);
  }
  const double span = static_cast<double>(std::max<std::uint64_t>(1, last - first));
  for (const double v : axis_marks(static_cast<double>(first), static_cast<double>(last),
                                   std::max(2, static_cast<int>((right - left) / c.m().px(90))))) {
    if (v != std::floor(v)) continue;
    const float x = to_x((v - static_cast<double>(first)) / span);
    draw_text(list, c.fonts.mono_small, {x, bottom + c.m().px(6)}, c.color(Color::dim),
              fmt::format("{}", c.step_shown(static_cast<std::uint64_t>(v))), Align::centre);
  }
  draw_text(list, c.fonts.small, {right + c.m().px(10), bottom + c.m().px(5)}, c.color(Color::dim), "step");
  draw_text(list, c.fonts.small, {left, min.y + c.m().px(4)}, c.color(Color::dim), any->name);
  float label_y[2] = {0, 0};
  for (int p = 0; p < 2; ++p) {
    if (lines[p].empty()) continue;
    const ImU32 color = c.color(series[1] == nullptr ? Color::value : p == 0 ? Color::cursor : Color::value);
    // Of two equal lines the second would hide the first: it is thin and lies on top of a broad one.
    const float width = c.m().px(series[1] != nullptr && p == 0 ? 3.2f : 1.4f);
    std::vector<ImVec2> points;
    const auto draw_line = [&] {
      if (points.size() == 1) list->AddCircleFilled(points[0], c.m().px(3), color);
      else list->AddPolyline(points.data(), static_cast<int>(points.size()), color, 0, width);
      points.clear();
    };
    label_y[p] = (top + bottom) / 2;
    for (std::size_t i = 0; i < lines[p].size(); ++i) {
      const LossColumn& column = lines[p][i];
      const float x = to_x(column.x);
      if (column.broken && (i == 0 || !lines[p][i - 1].broken)) {
        std::size_t end = i;
        while (end < lines[p].size() && lines[p][end].broken) ++end;
        const float to = end < lines[p].size() ? to_x(lines[p][end].x) : right;
        hatch(list, {std::min(x, right - c.m().px(3)), top}, {to, bottom}, c.color(Color::broken),
              c.m().px(7));
        draw_line();
      }
      if (!std::isfinite(column.last)) continue;
      if (column.high > column.low)
        list->AddLine({x, to_y(column.high)}, {x, to_y(column.low) + 1}, color, 1);
      points.push_back({x, to_y(column.last)});
      label_y[p] = points.back().y;
    }
    draw_line();
  }
  if (series[0] != nullptr && series[1] != nullptr && std::abs(label_y[0] - label_y[1]) < c.m().px(16)) {
    const float middle = (label_y[0] + label_y[1]) / 2;
    label_y[0] = middle - c.m().px(8), label_y[1] = middle + c.m().px(8);
  }
  for (int p = 0; p < 2; ++p) {
    if (lines[p].empty()) continue;
    const Color color = series[1] == nullptr ? Color::value_text
                        : p == 0             ? Color::cursor_text
                                             : Color::value_text;
    draw_text(list, c.fonts.mono, {right + c.m().px(10), centred(c.fonts.mono, label_y[p], 0)},
              c.color(std::isfinite(series[p]->points.back().value) ? color : Color::broken_text),
              (series[1] != nullptr ? (p == 0 ? "A  " : "B  ") : "") +
                  format_value(series[p]->points.back().value));
  }
  const bool clicked = ImGui::InvisibleButton("chart", {size.x, size.y});
  c.map.item("loss/chart", any->name);
  c.map.has_tooltip("loss/chart");
  const float mouse = ImGui::GetIO().MousePos.x;
  if (!ImGui::IsItemHovered() || mouse < left || mouse > right) return;
  const double wanted = static_cast<double>(first) + span * (mouse - left) / (right - left);
  std::string numbers;
  for (int p = 0; p < 2; ++p) {
    if (series[p] == nullptr) continue;
    const auto& points = series[p]->points;
    std::size_t low_i = 0, high_i = points.size();
    while (low_i < high_i) {
      const std::size_t middle = (low_i + high_i) / 2;
      if (static_cast<double>(points[middle].step) < wanted - 0.5) low_i = middle + 1;
      else high_i = middle;
    }
    const MetricPoint& point = points[std::min(low_i, points.size() - 1)];
    const std::string value =
        std::isfinite(point.value) ? fmt::format("{:.7g}", point.value) : format_value(point.value);
    numbers += fmt::format("{}step {}  {}{}", numbers.empty() ? "" : "\n", c.step_shown(point.step, p),
                           series[1] != nullptr ? (p == 0 ? "A " : "B ") : "", value);
    const float x = to_x((static_cast<double>(point.step) - static_cast<double>(first)) / span);
    if (p == 0) list->AddLine({x, top}, {x, bottom}, c.color(Color::faint), c.m().line);
    if (p == 0 && clicked) c.commands.post(fmt::format("go-step {}", c.step_shown(point.step)));
    if (std::isfinite(point.value))
      list->AddCircleFilled({x, to_y(point.value)}, c.m().px(3), c.color(Color::text));
  }
  ImGui::BeginTooltip();
  ImGui::PushFont(c.fonts.mono);
  ImGui::TextUnformatted(numbers.c_str());
  ImGui::PopFont();
  ImGui::EndTooltip();
}

std::string LossPanel::text(const PanelContext& c) const {
  std::string text;
  for (const Snapshot* snapshot : {c.a, c.b}) {
    const MetricSeries* series = metric(snapshot);
    if (series == nullptr) continue;
    if (text.empty()) text = fmt::format("program\tstep\t{}\n", series->name);
    const char* const program = snapshot == c.a ? "A" : "B";
    for (std::size_t i = 0; i < series->points.size(); ++i) {
      text += fmt::format("{}\t{}\t{:.9g}\n", program, series->points[i].step, series->points[i].value);
    }
  }
  return text;
}

}  // namespace tapescope::ui
