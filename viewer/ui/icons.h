// The toolbar's signs, drawn as shapes: no font has them all at every size.
#pragma once
#include <cstdint>

#include "imgui.h"

namespace tapescope::ui {

enum class Icon : std::uint8_t { run, pause, stop, first, back, forward, last };

// Centred at `at`, in the mock's proportions.
void draw_icon(ImDrawList* list, Icon icon, ImVec2 at, float scale, ImU32 color);

}  // namespace tapescope::ui
