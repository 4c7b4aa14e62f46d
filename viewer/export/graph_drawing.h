// The graph as lines, boxes and words, laid out as in the window: what the exported pictures are drawn from.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "viewer/model/layout.h"
#include "viewer/store/step_view.h"

namespace tapescope {

// Lengths in units of the layout, y downwards. Colours are 0xRRGGBB, of the light theme, so that it prints.
struct GraphDrawing {
  struct Line {
    std::vector<layout::Point> points;
    std::uint32_t colour = 0;
  };
  struct Box {
    float x = 0, y = 0, w = 0, h = 0;
    std::uint32_t fill = 0;
  };
  struct Words {
    float x = 0, y = 0;  // left end of the base line
    float room = 0;      // width they have
    float size = 12;
    std::uint32_t colour = 0;
    std::string text;
  };
  static constexpr float kRounding = 5;              // of a box's corners
  static constexpr std::uint32_t kFrame = 0x8895a3;  // a box's edge

  float left = 0, top = 0, width = 0, height = 0;
  std::vector<Line> lines;
  std::vector<Box> boxes;
  std::vector<Words> words;
};

// Folded so that it fits a page; folded scopes say what they hold.
GraphDrawing draw_graph(const StepView& view);

}  // namespace tapescope
