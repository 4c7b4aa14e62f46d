// Fonts found through fontconfig, baked at the sizes the window uses; baked again when the scale changes.
#pragma once
#include <string>
#include <vector>

#include "imgui.h"

namespace tapescope::ui {

// Sizes in the comments are em sizes at scale 1. The fonts belong to their atlas.
struct Fonts {
  ImFont* text = nullptr;        // 13, proportional: the default
  ImFont* bold = nullptr;        // 12.5, semi-bold: headers, op names
  ImFont* small = nullptr;       // 11.5: labels, units
  ImFont* mono = nullptr;        // 12: figures, shapes, locations
  ImFont* mono_small = nullptr;  // 10.5
  ImFont* title = nullptr;       // 19, semi-bold: the inspector's op
  ImFont* headline = nullptr;    // 22, semi-bold: "B's step takes 0.51 of A's"

  // For zoomed canvases: the baked font nearest to that em size in pixels, from smaller to larger.
  // Draw it with AddText(font, font_height(font, em), ...).
  enum class Face { text, bold, mono };
  struct Baked {
    Face face;
    float em;  // pixels
    ImFont* font;
  };
  std::vector<Baked> baked;
  ImFont* nearest(Face face, float em) const;
  // The ImGui size (ascent to descent) at which `font` has an em of that many pixels.
  float font_height(const ImFont* font, float em) const;

  std::vector<std::string> missing;  // families that were looked for and not found
};

// Clears the atlas and bakes every face at `scale`, on any thread while no other one draws with the atlas.
// Falls back to ImGui's built-in font where fontconfig has none.
Fonts bake_fonts(ImFontAtlas& atlas, float scale);

}  // namespace tapescope::ui
