// Named colours and metrics. Nothing in the viewer uses a colour that is not named here.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "imgui.h"

namespace tapescope::ui {

// What a colour is for. A state has two: a fill for shapes, and a text that is readable on every background.
enum class Color : std::uint8_t {
  // backgrounds
  window,     // behind everything; insets such as input fields and bar tracks
  panel,      // a panel's body
  raised,     // header bars, toolbar, nodes, buttons
  hovered,    // a button or row under the pointer
  selection,  // the selected row
  // lines and text
  line,  // borders, rules, tracks
  text,
  dim,    // secondary text: units, shapes, labels
  faint,  // shapes and outlines of what has not happened yet; too pale for text
  // states, Okabe-Ito: colour is the second cue, a sign, an outline or a word is the first
  value,
  value_text,  // blue: variables, values, links, less
  cursor,
  cursor_text,  // orange: the cursor, backward, only in A, more
  broken,
  broken_text,  // vermilion: None, not finite, cut
  good,
  good_text,  // green: run, connected, the same
  gradient,
  gradient_text,  // purple: gradients
  caution,
  caution_text,  // yellow: worth a look
  forward,
  forward_text,  // deep teal-blue: forward time in bars
  count_
};
inline constexpr int kColors = static_cast<int>(Color::count_);

enum class ThemeName : std::uint8_t { dark, light, contrast };
std::string_view name_of(ThemeName name);
// False when there is no such theme.
bool parse_theme(std::string_view text, ThemeName& name);

// Lengths in pixels at the current scale; the figures at scale 1 are the mock's.
struct Metrics {
  float scale = 1;
  float menu_height = 28, toolbar_height = 42, header_height = 28, tab_height = 30, status_height = 26;
  float row_height = 24;       // table rows
  float list_row_height = 30;  // gradient rows; two-line rows take two of these less 10
  float pad = 12;              // text from a panel's edge
  float gap = 6;               // between regions, around rows
  float rounding = 4, node_rounding = 6;
  float line = 1, strong_line = 1.6f, cursor_line = 2.4f;
  float splitter = 6;  // also the least width that can be grabbed
  float hit = 20;      // the least side of anything clickable
  float px(float at_scale_1) const { return at_scale_1 * scale; }
};
Metrics metrics_at(float scale);

// A pair that text is drawn in; the contrast test walks all of them.
struct TextPair {
  Color text, background;
};

class Theme {
 public:
  static Theme make(ThemeName name, float scale);

  ThemeName name = ThemeName::dark;
  Metrics metrics;

  ImU32 color(Color c, float alpha = 1) const;
  ImVec4 vec(Color c, float alpha = 1) const;

  // Cost, 0..1: viridis, perceptual and safe for the colour-blind; what costs most stands out most from the
  // ground, so that a light theme has it the other way round.
  ImU32 heat(float t) const;
  // Signed, -1..1: blue, the raised grey at 0, orange. Never red and green.
  ImU32 diverging(float v) const;
  // Black or white, whichever reads better on that colour.
  ImU32 text_on(ImU32 background) const;

  // Every text and background that may occur together.
  static std::vector<TextPair> text_pairs();

 private:
  std::array<ImVec4, kColors> colors_{};
};

// WCAG 2 contrast ratio of two opaque colours, 1 to 21.
double contrast_ratio(ImU32 a, ImU32 b);

}  // namespace tapescope::ui
