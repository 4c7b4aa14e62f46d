// The three palettes, the mock's metrics, and the scales. Dark is the mock's, with text lightened to 4.5:1.
#include "viewer/ui/theme.h"

#include <algorithm>
#include <cmath>

namespace tapescope::ui {
namespace {

using Colors = std::array<std::uint32_t, kColors>;  // 0xRRGGBB, in the order of Color

// clang-format off
constexpr Colors kDark = {
    0x12151a, 0x191d24, 0x222832, 0x2c3440, 0x2a4258,  // window panel raised hovered selection
    0x2c333f, 0xdce2ea, 0xa3adba, 0x5a6472,            // line text dim faint
    0x56b4e9, 0x6cbdee, 0xe69f00, 0xf0ab20, 0xee6a3c, 0xff9772, 0x2bb58a, 0x3cc79b,
    0xc98bbd, 0xd8a3cf, 0xf0e442, 0xf0e442, 0x316a8c, 0x7fbcd8,
};
constexpr Colors kLight = {
    0xe9ecf0, 0xfafbfc, 0xeef0f4, 0xdfe4ea, 0xcfe3f5,
    0xc6ccd5, 0x171c23, 0x4a5361, 0x9aa3af,
    0x2b8cc4, 0x00568f, 0xd98e00, 0x7a4a00, 0xd5502a, 0xa33308, 0x1f9e78, 0x00624a,
    0xa9639a, 0x7d3c6d, 0xc7b400, 0x5f5500, 0x3f7fa3, 0x1f5a80,
};
constexpr Colors kContrast = {
    0x000000, 0x000000, 0x101010, 0x2a2a2a, 0x003a70,
    0x8a8a8a, 0xffffff, 0xdadada, 0xa0a0a0,
    0x56b4e9, 0x8fd3ff, 0xffb000, 0xffc233, 0xff7f50, 0xffa488, 0x2fe0a5, 0x4ff0bd,
    0xe59fd8, 0xf3b8e8, 0xf0e442, 0xfff36b, 0x4a9cc8, 0x9fd8f5,
};
// clang-format on

ImVec4 unpack(std::uint32_t rgb) {
  return {static_cast<float>((rgb >> 16) & 255) / 255.0f, static_cast<float>((rgb >> 8) & 255) / 255.0f,
          static_cast<float>(rgb & 255) / 255.0f, 1.0f};
}

ImVec4 mix(const ImVec4& a, const ImVec4& b, float t) {
  return {a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t, a.z + (b.z - a.z) * t, 1.0f};
}

// Relative luminance of WCAG 2.
double luminance(const ImVec4& c) {
  const auto linear = [](double v) { return v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
  return 0.2126 * linear(c.x) + 0.7152 * linear(c.y) + 0.0722 * linear(c.z);
}

}  // namespace

std::string_view name_of(ThemeName name) {
  switch (name) {
    case ThemeName::dark: return "dark";
    case ThemeName::light: return "light";
    case ThemeName::contrast: return "contrast";
  }
  return "dark";
}

bool parse_theme(std::string_view text, ThemeName& name) {
  for (const ThemeName candidate : {ThemeName::dark, ThemeName::light, ThemeName::contrast}) {
    if (text != name_of(candidate)) continue;
    name = candidate;
    return true;
  }
  return false;
}

Metrics metrics_at(float scale) {
  Metrics m;
  m.scale = scale;
  for (float* length : {&m.menu_height, &m.toolbar_height, &m.header_height, &m.tab_height, &m.status_height,
                        &m.row_height, &m.list_row_height, &m.pad, &m.gap, &m.splitter, &m.hit}) {
    *length = std::round(*length * scale);
  }
  for (float* length : {&m.rounding, &m.node_rounding, &m.strong_line, &m.cursor_line}) *length *= scale;
  m.line = std::max(1.0f, std::floor(scale));
  return m;
}

Theme Theme::make(ThemeName name, float scale) {
  Theme theme;
  theme.name = name;
  theme.metrics = metrics_at(scale);
  const Colors& palette = name == ThemeName::light ? kLight : name == ThemeName::contrast ? kContrast : kDark;
  for (int i = 0; i < kColors; ++i)
    theme.colors_[static_cast<std::size_t>(i)] = unpack(palette[static_cast<std::size_t>(i)]);
  return theme;
}

ImVec4 Theme::vec(Color c, float alpha) const {
  ImVec4 v = colors_[static_cast<std::size_t>(c)];
  v.w = alpha;
  return v;
}

ImU32 Theme::color(Color c, float alpha) const { return ImGui::ColorConvertFloat4ToU32(vec(c, alpha)); }

ImU32 Theme::heat(float t) const {
  // Five stops of viridis, https://bids.github.io/colormap/
  static constexpr std::array<std::uint32_t, 5> kStops = {0x440154, 0x3b528b, 0x21918c, 0x5ec962, 0xfde725};
  if (!(t > 0)) t = 0;
  // On a light ground the dark end is the loud one.
  if (name == ThemeName::light) t = 1 - std::min(t, 1.0f);
  const float at = std::min(t, 0.9999f) * 4;
  const auto i = static_cast<std::size_t>(at);
  return ImGui::ColorConvertFloat4ToU32(
      mix(unpack(kStops[i]), unpack(kStops[i + 1]), at - static_cast<float>(i)));
}

ImU32 Theme::diverging(float v) const {
  if (!std::isfinite(v)) return color(Color::broken);
  return ImGui::ColorConvertFloat4ToU32(
      mix(vec(Color::raised), vec(v > 0 ? Color::cursor : Color::value), std::min(1.0f, std::abs(v))));
}

ImU32 Theme::text_on(ImU32 background) const {
  const ImU32 black = IM_COL32(0, 0, 0, 255), white = IM_COL32(255, 255, 255, 255);
  return contrast_ratio(black, background) >= contrast_ratio(white, background) ? black : white;
}

std::vector<TextPair> Theme::text_pairs() {
  std::vector<TextPair> pairs;
  for (const Color background :
       {Color::window, Color::panel, Color::raised, Color::hovered, Color::selection}) {
    for (const Color text :
         {Color::text, Color::dim, Color::value_text, Color::cursor_text, Color::broken_text,
          Color::good_text, Color::gradient_text, Color::caution_text, Color::forward_text}) {
      pairs.push_back({text, background});
    }
  }
  return pairs;
}

double contrast_ratio(ImU32 a, ImU32 b) {
  const double la = luminance(ImGui::ColorConvertU32ToFloat4(a)),
               lb = luminance(ImGui::ColorConvertU32ToFloat4(b));
  return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

}  // namespace tapescope::ui
