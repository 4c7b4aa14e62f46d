// Prepares and draws tensors.
#include "viewer/panels/tensor_picture.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "viewer/app/widgets.h"

namespace tapescope::ui {
namespace {
constexpr std::int64_t kMostValues = 4096;  // of the values grid: more is no longer read number by number
}

std::string shape_text(const Shape& shape) {
  if (shape.rank() == 0) return "scalar";
  std::string text;
  for (int i = 0; i < shape.rank(); ++i) text += fmt::format("{}{}", i ? "×" : "", shape[i]);
  return text;
}

TensorPicture make_tensor_picture(const Tensor& tensor, int most_rows, int most_columns) {
  TensorPicture picture;
  if (!tensor || tensor.impl()->data == nullptr) return picture;
  picture.absent = false;
  picture.shape = shape_text(tensor.shape());
  picture.dtype = std::string(name_of(tensor.dtype()));
  if (tensor.numel() == 0) return picture;
  picture.stats = tensor_stats(tensor);
  picture.reach = std::max(std::abs(picture.stats.min), std::abs(picture.stats.max));
  picture.matrix_columns = tensor.rank() > 0 ? tensor.dim(-1) : 1;
  picture.matrix_rows = tensor.numel() / picture.matrix_columns;
  picture.columns = static_cast<int>(std::min<std::int64_t>(most_columns, picture.matrix_columns));
  picture.rows = static_cast<int>(std::min<std::int64_t>(most_rows, picture.matrix_rows));
  // Each cell takes the element that is largest in size: an average would hide the one that matters.
  picture.grid.assign(static_cast<std::size_t>(picture.rows) * static_cast<std::size_t>(picture.columns), 0.0f);
  for (std::int64_t i = 0; i < picture.matrix_rows; ++i) {
    const std::int64_t row = i * picture.rows / picture.matrix_rows;
    float* const cells = picture.grid.data() + row * picture.columns;
    for (std::int64_t k = 0; k < picture.matrix_columns; ++k) {
      const double v = element(tensor, i * picture.matrix_columns + k);
      float& cell = cells[k * picture.columns / picture.matrix_columns];
      const auto scaled = static_cast<float>(picture.reach > 0 && std::isfinite(v) ? v / picture.reach : std::isfinite(v) ? 0 : NAN);
      if (std::isnan(cell)) continue;
      if (std::isnan(scaled) || std::abs(scaled) > std::abs(cell)) cell = scaled;
    }
  }
  if (picture.stats.max > picture.stats.min) {
    const auto counts = tensor_histogram(tensor, picture.stats, kHistogramBins);
    const std::int64_t most = counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
    for (const std::int64_t count : counts) {
      picture.bins.push_back(most > 0 ? static_cast<float>(count) / static_cast<float>(most) : 0.0f);
    }
  }
  return picture;
}

void draw_heat_map(PanelContext& c, std::string_view id, const TensorPicture& picture, ImVec2 size) {
  const ImVec2 min = ImGui::GetCursorScreenPos();
  ImGui::PushID(id.data(), id.data() + id.size());
  ImGui::InvisibleButton("heat", size);
  const bool hovered = ImGui::IsItemHovered();
  ImGui::PopID();
  if (picture.rows == 0 || picture.columns == 0) return;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float w = size.x / static_cast<float>(picture.columns), h = size.y / static_cast<float>(picture.rows);
  const bool whole = picture.rows == picture.matrix_rows && picture.columns == picture.matrix_columns;
  const bool numbers = whole && w > c.m().px(44) && h > c.m().px(15);
  for (int row = 0; row < picture.rows; ++row) {
    for (int column = 0; column < picture.columns; ++column) {
      const float v = picture.grid[static_cast<std::size_t>(row * picture.columns + column)];
      const ImVec2 a{min.x + std::round(w * static_cast<float>(column)), min.y + std::round(h * static_cast<float>(row))};
      const ImVec2 b{min.x + std::round(w * static_cast<float>(column + 1)), min.y + std::round(h * static_cast<float>(row + 1))};
      const ImU32 color = c.theme.diverging(v);
      list->AddRectFilled(a, b, color);
      if (numbers) {
        const std::string text = std::isfinite(v) ? format_value(v * picture.reach) : "✗";
        draw_text(list, c.fonts.mono_small, {(a.x + b.x) / 2, centred(c.fonts.mono_small, a.y, b.y - a.y)},
                  c.theme.text_on(color), text, Align::centre);
      } else if (!std::isfinite(v) && w > c.m().px(5)) {
        list->AddLine(a, b, c.color(Color::text), c.m().line);
      }
    }
  }
  c.map.has_tooltip(id);
  if (!hovered) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const int column = std::clamp(static_cast<int>((mouse.x - min.x) / w), 0, picture.columns - 1);
  const int row = std::clamp(static_cast<int>((mouse.y - min.y) / h), 0, picture.rows - 1);
  const float v = picture.grid[static_cast<std::size_t>(row * picture.columns + column)];
  const std::int64_t r = row * picture.matrix_rows / picture.rows, k = column * picture.matrix_columns / picture.columns;
  const std::string value = std::isfinite(v) ? format_value(v * picture.reach) : "not finite";
  ImGui::BeginTooltip();
  ImGui::PushFont(c.fonts.mono);
  ImGui::TextUnformatted(fmt::format("[{}, {}]  {}{}", r, k, value, whole ? "" : "  largest of this cell").c_str());
  ImGui::PopFont();
  ImGui::EndTooltip();
}

void draw_histogram(PanelContext& c, std::string_view id, const TensorPicture& picture, ImVec2 size) {
  const ImVec2 min = ImGui::GetCursorScreenPos();
  ImGui::PushID(id.data(), id.data() + id.size());
  const float labels = c.fonts.mono_small->FontSize + c.m().px(3);
  ImGui::InvisibleButton("histogram", {size.x, size.y + labels});
  const bool hovered = ImGui::IsItemHovered();
  ImGui::PopID();
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float base = min.y + size.y;
  list->AddLine({min.x, base}, {min.x + size.x, base}, c.color(Color::line), c.m().line);
  const double low = picture.stats.min, high = picture.stats.max;
  if (picture.bins.empty()) return;
  const float step = size.x / static_cast<float>(picture.bins.size());
  for (std::size_t i = 0; i < picture.bins.size(); ++i) {
    if (picture.bins[i] <= 0) continue;
    const float x = min.x + step * static_cast<float>(i), height = std::max(c.m().line, size.y * picture.bins[i]);
    list->AddRectFilled({x, base - height}, {x + step - c.m().line, base}, c.color(Color::value, 0.8f));
  }
  const float y = base + c.m().px(3);
  const ImU32 dim = c.color(Color::dim);
  const float left = draw_text(list, c.fonts.mono_small, {min.x, y}, dim, format_value(low));
  const float right = draw_text(list, c.fonts.mono_small, {min.x + size.x, y}, dim, format_value(high), Align::right);
  if (low < 0 && high > 0) {
    const float zero = min.x + size.x * static_cast<float>(-low / (high - low));
    list->AddLine({zero, base}, {zero, base + c.m().px(3)}, dim, c.m().line);
    if (zero > min.x + left + c.m().px(8) && zero < min.x + size.x - right - c.m().px(8)) {
      draw_text(list, c.fonts.mono_small, {zero, y}, dim, "0", Align::centre);
    }
  }
  c.map.has_tooltip(id);
  if (!hovered) return;
  const float at = std::clamp((ImGui::GetIO().MousePos.x - min.x) / step, 0.0f, static_cast<float>(picture.bins.size() - 1));
  const double width = (high - low) / static_cast<double>(picture.bins.size()), from = low + width * std::floor(at);
  ImGui::BeginTooltip();
  ImGui::TextUnformatted(fmt::format("{} to {}: {} of the fullest bar", format_value(from), format_value(from + width),
                                     format_percent(picture.bins[static_cast<std::size_t>(at)])).c_str());
  ImGui::EndTooltip();
}

void draw_values(PanelContext& c, std::string_view id, const Tensor& tensor, ImVec2 size) {
  if (!tensor || tensor.numel() == 0) return;
  const std::int64_t columns = tensor.rank() > 0 ? tensor.dim(-1) : 1, rows = tensor.numel() / columns;
  const float width = c.m().px(76), height = c.m().px(17);
  const std::int64_t shown_columns = std::min<std::int64_t>(columns, 64);
  ImGui::PushStyleColor(ImGuiCol_ChildBg, c.color(Color::window));
  ImGui::PushID(id.data(), id.data() + id.size());
  if (ImGui::BeginChild("values", size, false, ImGuiWindowFlags_HorizontalScrollbar)) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(std::min<std::int64_t>(rows, kMostValues)), height);
    while (clipper.Step()) {
      for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row) {
        const ImVec2 at = ImGui::GetCursorScreenPos();
        for (std::int64_t k = 0; k < shown_columns; ++k) {
          const double v = element(tensor, row * columns + k);
          draw_text(list, c.fonts.mono_small, {at.x + width * static_cast<float>(k + 1) - c.m().px(6), centred(c.fonts.mono_small, at.y, height)},
                    c.color(std::isfinite(v) ? v == 0 ? Color::dim : Color::text : Color::broken_text), format_value(v), Align::right);
        }
        ImGui::Dummy({width * static_cast<float>(shown_columns), height});
      }
    }
    clipper.End();
  }
  ImGui::EndChild();
  ImGui::PopID();
  ImGui::PopStyleColor();
}

}  // namespace tapescope::ui
