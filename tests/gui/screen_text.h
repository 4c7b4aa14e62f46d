// A frame as text: a grid of letters as on a terminal, and how much was drawn in each colour.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "viewer/ui/fonts.h"

namespace tapescope::ui {

// Faces that are alike on every machine: ImGui's own one at each of the window's sizes.
Fonts bake_plain_fonts(float scale);

// What the last frame drew into the window or region of that name and those in it; empty where there is none.
// Letters stand where they were drawn; elsewhere how much a cell's brightness differs from the ground: blank,
// then . : - = + * # % @. The colours follow, each with sums over its letters and shapes: of letters where
// their middles are and how high they are, of triangles their left and top, right and bottom ends, and how
// many pixels are filled.
std::string screen_text(std::string_view region);

// The letters alone, without what shapes cover, and for each window that draws there its name with one line
// of sums over all colours, in tenths of a pixel.
struct ScreenCells {
  std::vector<std::vector<std::string>> lines;  // of cells
  std::map<std::string, std::string> figures;
};
ScreenCells screen_cells(std::string_view region);

// Whether two such texts are the same, sums to rounding.
bool same_screen(const std::string& known, const std::string& received);

}  // namespace tapescope::ui
