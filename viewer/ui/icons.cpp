// Triangles and bars on whole pixels.
#include "viewer/ui/icons.h"

namespace tapescope::ui {

void draw_icon(ImDrawList* list, Icon icon, ImVec2 o, float s, ImU32 color) {
  const auto triangle = [&](float x, float direction) {
    const ImVec2 back_top{o.x + (x - 5 * direction) * s, o.y - 7 * s},
        tip{o.x + (x + 6 * direction) * s, o.y}, back_bottom{o.x + (x - 5 * direction) * s, o.y + 7 * s};
    // ImGui's smooth edges need one order of corners.
    if (direction > 0) list->AddTriangleFilled(back_top, tip, back_bottom, color);
    else list->AddTriangleFilled(back_bottom, tip, back_top, color);
  };
  const auto bar = [&](float x, float width) {
    list->AddRectFilled({o.x + x * s, o.y - 6 * s}, {o.x + (x + width) * s, o.y + 6 * s}, color);
  };
  switch (icon) {
    case Icon::run:
    case Icon::forward: triangle(0, 1); break;
    case Icon::back: triangle(0, -1); break;
    case Icon::pause:
      bar(-6, 4);
      bar(2, 4);
      break;
    case Icon::stop:
      list->AddRectFilled({o.x - 6 * s, o.y - 6 * s}, {o.x + 6 * s, o.y + 6 * s}, color, s);
      break;
    case Icon::first:
      bar(-8.5f, 2);
      triangle(2.5f, -1);
      break;
    case Icon::last:
      triangle(-2.5f, 1);
      bar(6.5f, 2);
      break;
  }
}

}  // namespace tapescope::ui
