// Prepares and draws tensors.
#include "viewer/panels/tensor_picture.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "viewer/ui/widgets.h"

namespace tapescope::ui {
namespace {
constexpr std::int64_t kMostValues = 4096;  // of the values grid: more is no longer read number by number
constexpr double kDecades = 6;              // below the largest element, of a log range

// What 99 % of the finite elements do not exceed in size; all of them where that would be zero.
double clipped_reach(const Tensor& tensor) {
  std::vector<double> sizes;
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    const double v = element_value(tensor, i);
    if (std::isfinite(v)) sizes.push_back(std::abs(v));
  }
  if (sizes.empty()) return 0;
  const auto at = sizes.begin() + static_cast<std::ptrdiff_t>(0.99 * static_cast<double>(sizes.size() - 1));
  std::nth_element(sizes.begin(), at, sizes.end());
  return *at > 0 ? *at : *std::max_element(sizes.begin(), sizes.end());
}
}  // namespace

std::string_view name_of(ValueRange range) {
  constexpr std::string_view kNames[] = {"linear", "clipped", "log"};
  return kNames[static_cast<int>(range)];
}

std::int64_t slice_begin(const Tensor& tensor, std::span<const std::int64_t> leading) {
  std::int64_t index = 0;
  for (int axis = 0; axis + 2 < tensor.rank(); ++axis) {
    const std::int64_t wanted =
        static_cast<std::size_t>(axis) < leading.size() ? leading[static_cast<std::size_t>(axis)] : 0;
    index = index * tensor.dim(axis) + std::clamp<std::int64_t>(wanted, 0, tensor.dim(axis) - 1);
  }
  return index * tensor.dim(-2) * tensor.dim(-1);
}

Tensor slice_of(const Tensor& tensor, std::span<const std::int64_t> leading) {
  if (!tensor || tensor.rank() < 3 || tensor.numel() == 0 || tensor.raw() == nullptr) return tensor;
  const auto size = static_cast<std::int64_t>(size_of(tensor.dtype()));
  return make_from_bytes(tensor.dtype(), {tensor.dim(-2), tensor.dim(-1)},
                         static_cast<const char*>(tensor.raw()) + slice_begin(tensor, leading) * size);
}

std::string index_text(const Shape& shape, std::int64_t at) {
  std::string text;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    text = fmt::format("{}{}{}", at % shape[axis], text.empty() ? "" : ", ", text);
    at /= shape[axis];
  }
  return "[" + text + "]";
}

TensorPicture make_tensor_picture(const Tensor& tensor, ValueRange range, int most_rows, int most_columns) {
  TensorPicture picture;
  if (!tensor || tensor.impl()->data == nullptr) return picture;
  picture.absent = false;
  picture.range = range;
  picture.shape = shape_text(tensor.shape());
  picture.dtype = std::string(name_of(tensor.dtype()));
  if (tensor.numel() == 0) return picture;
  picture.stats = tensor_stats(tensor);
  picture.reach = std::max(std::abs(picture.stats.min), std::abs(picture.stats.max));
  picture.matrix_columns = tensor.rank() > 0 ? tensor.dim(-1) : 1;
  picture.matrix_rows = tensor.numel() / picture.matrix_columns;
  picture.columns = static_cast<int>(std::min<std::int64_t>(most_columns, picture.matrix_columns));
  picture.rows = static_cast<int>(std::min<std::int64_t>(most_rows, picture.matrix_rows));
  const double full = picture.full = range == ValueRange::clipped ? clipped_reach(tensor) : picture.reach;
  const auto scaled = [&](double v) {
    if (!std::isfinite(v)) return NAN;
    if (!(full > 0) || v == 0) return 0.0f;
    if (range != ValueRange::log) return static_cast<float>(std::clamp(v / full, -1.0, 1.0));
    const double share = std::max(0.0, 1 + std::log10(std::abs(v) / full) / kDecades);
    return static_cast<float>(std::copysign(share, v));
  };
  // Each cell takes the element that is largest in size: an average would hide the one that matters.
  const auto cells = static_cast<std::size_t>(picture.rows) * static_cast<std::size_t>(picture.columns);
  picture.grid.assign(cells, 0.0f);
  picture.at.assign(cells, -1);
  std::vector<double> largest(cells, -1.0);
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    const std::int64_t row = i / picture.matrix_columns * picture.rows / picture.matrix_rows;
    const std::int64_t column = i % picture.matrix_columns * picture.columns / picture.matrix_columns;
    const auto cell = static_cast<std::size_t>(row * picture.columns + column);
    const double v = element_value(tensor, i), size = std::isfinite(v) ? std::abs(v) : INFINITY;
    if (size <= largest[cell]) continue;
    largest[cell] = size;
    picture.grid[cell] = scaled(v);
    picture.at[cell] = i;
  }
  if (picture.stats.max > picture.stats.min) {
    picture.counts = tensor_histogram(tensor, picture.stats, kHistogramBins);
    const std::int64_t most =
        picture.counts.empty() ? 0 : *std::max_element(picture.counts.begin(), picture.counts.end());
    for (const std::int64_t count : picture.counts) {
      const double share =
          most == 0 ? 0
          : range == ValueRange::log
              ? std::log1p(static_cast<double>(count)) / std::log1p(static_cast<double>(most))
              : static_cast<double>(count) / static_cast<double>(most);
      picture.bins.push_back(static_cast<float>(share));
    }
  }
  return picture;
}

void draw_heat_map(PanelContext& c, std::string_view id, const Tensor& tensor, const TensorPicture& picture,
                   ImVec2 size, std::int64_t& chosen) {
  const ImVec2 min = ImGui::GetCursorScreenPos();
  ImGui::PushID(id.data(), id.data() + id.size());
  const bool clicked = ImGui::InvisibleButton("heat", size);
  const bool hovered = ImGui::IsItemHovered();
  ImGui::PopID();
  if (picture.rows == 0 || picture.columns == 0) return;
  c.map.item(id, picture.shape);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float w = size.x / static_cast<float>(picture.columns), h = size.y / static_cast<float>(picture.rows);
  const bool whole = picture.rows == picture.matrix_rows && picture.columns == picture.matrix_columns;
  const bool numbers = whole && w > c.m().px(44) && h > c.m().px(15);
  const auto corner = [&](int row, int column) {
    return ImVec2{min.x + std::round(w * static_cast<float>(column)),
                  min.y + std::round(h * static_cast<float>(row))};
  };
  for (int row = 0; row < picture.rows; ++row) {
    for (int column = 0; column < picture.columns; ++column) {
      const auto cell = static_cast<std::size_t>(row * picture.columns + column);
      const float v = picture.grid[cell];
      const ImVec2 a = corner(row, column), b = corner(row + 1, column + 1);
      const ImU32 color = c.theme.diverging(v);
      list->AddRectFilled(a, b, color);
      if (numbers) {
        const std::string text =
            std::isfinite(v) ? format_value(element_value(tensor, picture.at[cell])) : "✗";
        draw_text(list, c.fonts.mono_small, {(a.x + b.x) / 2, centred(c.fonts.mono_small, a.y, b.y - a.y)},
                  c.theme.text_on(color), text, Align::centre);
      } else if (!std::isfinite(v) && w > c.m().px(5)) {
        list->AddLine(a, b, c.color(Color::text), c.m().line);
      }
    }
  }
  if (chosen >= 0 && chosen < tensor.numel()) {
    const auto row = static_cast<int>(chosen / picture.matrix_columns * picture.rows / picture.matrix_rows);
    const auto column =
        static_cast<int>(chosen % picture.matrix_columns * picture.columns / picture.matrix_columns);
    const ImVec2 a = corner(row, column), b = corner(row + 1, column + 1);
    const float out = c.m().line;
    list->AddRect({a.x - out, a.y - out}, {b.x + out, b.y + out}, c.color(Color::text), 0, 0,
                  c.m().strong_line);
  }
  c.map.has_tooltip(id);
  if (!hovered) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const int column = std::clamp(static_cast<int>((mouse.x - min.x) / w), 0, picture.columns - 1);
  const int row = std::clamp(static_cast<int>((mouse.y - min.y) / h), 0, picture.rows - 1);
  const std::int64_t at = picture.at[static_cast<std::size_t>(row * picture.columns + column)];
  if (clicked) chosen = chosen == at ? -1 : at;
  ImGui::BeginTooltip();
  ImGui::PushFont(c.fonts.mono);
  ImGui::TextUnformatted(fmt::format("{}  {:.9g}{}", index_text(tensor.shape(), at),
                                     element_value(tensor, at), whole ? "" : "  largest of this cell")
                             .c_str());
  ImGui::PopFont();
  ImGui::EndTooltip();
}

void draw_heat_scale(PanelContext& c, std::string_view id, const TensorPicture& picture, ImVec2 size) {
  const ImVec2 min = ImGui::GetCursorScreenPos();
  ImGui::Dummy(size);
  if (!(picture.full > 0)) return;
  const std::string most = format_value(picture.full),
                    middle = picture.range == ValueRange::log
                                 ? fmt::format("±{}", format_value(picture.full * std::pow(10.0, -kDecades)))
                                 : std::string("0");
  const float bar = std::max(c.m().px(4), size.y - c.fonts.mono_small->FontSize - c.m().px(2));
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (const int side : {-1, 1}) {
    const float x = min.x + size.x / 2, end = x + static_cast<float>(side) * size.x / 2;
    const ImU32 none = c.theme.diverging(0), full = c.theme.diverging(static_cast<float>(side));
    const bool left = side < 0;
    list->AddRectFilledMultiColor({std::min(x, end), min.y}, {std::max(x, end), min.y + bar},
                                  left ? full : none, left ? none : full, left ? none : full,
                                  left ? full : none);
  }
  list->AddRect(min, {min.x + size.x, min.y + bar}, c.color(Color::line), 0, 0, c.m().line);
  const float y = min.y + bar + c.m().px(2);
  const ImU32 dim = c.color(Color::dim);
  const float ends = draw_text(list, c.fonts.mono_small, {min.x, y}, dim, "-" + most) +
                     draw_text(list, c.fonts.mono_small, {min.x + size.x, y}, dim, most, Align::right);
  if (size.x - ends > 2 * text_width(c.fonts.mono_small, middle))
    draw_text(list, c.fonts.mono_small, {min.x + size.x / 2, y}, dim, middle, Align::centre);
  c.map.rect(std::string(id) + "/scale", fmt::format("-{} {} {}", most, middle, most), min,
             {min.x + size.x, min.y + size.y});
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
    const float x = min.x + step * static_cast<float>(i),
                height = std::max(c.m().line, size.y * picture.bins[i]);
    list->AddRectFilled({x, base - height}, {x + step - c.m().line, base}, c.color(Color::value, 0.8f));
  }
  const float y = base + c.m().px(3);
  const ImU32 dim = c.color(Color::dim);
  const float left = draw_text(list, c.fonts.mono_small, {min.x, y}, dim, format_value(low));
  const float right =
      draw_text(list, c.fonts.mono_small, {min.x + size.x, y}, dim, format_value(high), Align::right);
  if (low < 0 && high > 0) {
    const float zero = min.x + size.x * static_cast<float>(-low / (high - low));
    list->AddLine({zero, base}, {zero, base + c.m().px(3)}, dim, c.m().line);
    if (zero > min.x + left + c.m().px(8) && zero < min.x + size.x - right - c.m().px(8)) {
      draw_text(list, c.fonts.mono_small, {zero, y}, dim, "0", Align::centre);
    }
  }
  c.map.has_tooltip(id);
  if (!hovered) return;
  const float at = std::clamp((ImGui::GetIO().MousePos.x - min.x) / step, 0.0f,
                              static_cast<float>(picture.bins.size() - 1));
  const double width = (high - low) / static_cast<double>(picture.bins.size()),
               from = low + width * std::floor(at);
  ImGui::BeginTooltip();
  ImGui::TextUnformatted(fmt::format("{} to {}: {} elements", format_value(from), format_value(from + width),
                                     picture.counts[static_cast<std::size_t>(at)])
                             .c_str());
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
          const double v = element_value(tensor, row * columns + k);
          draw_text(list, c.fonts.mono_small,
                    {at.x + width * static_cast<float>(k + 1) - c.m().px(6),
                     centred(c.fonts.mono_small, at.y, height)},
                    c.color(std::isfinite(v) ? v == 0 ? Color::dim : Color::text : Color::broken_text),
                    format_value(v), Align::right);
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
