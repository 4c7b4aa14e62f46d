// A frame as text: a grid of letters as on a terminal, and how much was drawn in each colour.
#pragma once
#include <string>
#include <string_view>

#include "viewer/ui/fonts.h"

namespace tapescope::ui {

// Faces that are alike on every machine: ImGui's own one at each of the window's sizes.
Fonts bake_plain_fonts();

// What the last frame drew into the window or region of that name and those in it; empty where there is none.
// Letters stand where they were drawn; elsewhere how much a cell's brightness differs from the ground: blank,
// then . : - = + * # % @. The colours follow, each with its letters and the pixels that were filled with it.
std::string screen_text(std::string_view region);

}  // namespace tapescope::ui
