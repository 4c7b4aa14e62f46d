// Draws a picture of the graph through a camera: wires, boxes, cursor, cuts. Level of detail follows the
// zoom, and what lies outside of the canvas costs nothing.
#pragma once
#include "viewer/panels/graph_scene.h"
#include "viewer/ui/panel.h"

namespace tapescope::ui {

// Canvas units are the layout's; the mock's nodes are 190 pixels wide where the layout's are 165.
inline constexpr float kFullZoom = 190.0f / layout::kBoxWidth;

struct CanvasView {
  ImVec2 min, max;     // window pixels
  float x = 0, y = 0;  // canvas point in the middle
  float zoom = 1;      // pixels per canvas unit

  ImVec2 to_screen(float cx, float cy) const {
    return {(min.x + max.x) / 2 + (cx - x) * zoom, (min.y + max.y) / 2 + (cy - y) * zoom};
  }
  layout::Point to_canvas(ImVec2 p) const {
    return {x + (p.x - (min.x + max.x) / 2) / zoom, y + (p.y - (min.y + max.y) / 2) / zoom};
  }
};

// How much of a box is drawn.
enum class Detail : std::uint8_t { text, plain, speck };

class GraphCanvas {
 public:
  GraphCanvas(PanelContext& context, const GraphPicture& picture, const GraphScene& scene, int program,
              const CanvasView& view);

  void draw(std::uint32_t selected_box, std::uint32_t hovered_box);
  // Column names at the upper edge, `height` pixels high.
  void draw_headings(float height) const;
  // Boxes that were drawn large enough to be clicked.
  const std::vector<std::uint32_t>& shown() const { return shown_; }
  Detail detail() const { return detail_; }
  ImVec2 box_min(std::uint32_t box) const;
  ImVec2 box_max(std::uint32_t box) const;

 private:
  void draw_columns() const;
  void draw_links() const;
  void draw_wires() const;
  void draw_wire(std::uint32_t wire, ImU32 color, float width, bool dashed, bool arrow) const;
  void draw_box(std::uint32_t box, bool selected, bool hovered);
  void draw_leaf(std::uint32_t box, bool selected, bool hovered) const;
  void draw_node(std::uint32_t box, bool selected, bool hovered) const;
  void draw_pass(std::uint32_t box) const;
  void draw_outline(ImVec2 min, ImVec2 max, ImU32 color, float rounding, float width, bool dashed) const;
  void draw_cursor() const;
  void draw_mark(std::uint32_t box) const;
  // Whether it is one of two leaves in the height of a box.
  bool is_half(std::uint32_t box) const;
  void draw_cuts(int chosen_row) const;
  void draw_label(Fonts::Face face, float em, ImVec2 at, ImU32 color, std::string_view text, float width,
                  bool right = false, bool middle = false) const;
  float text_size(float em) const;  // in pixels; 0: too small to be written
  float label_width(Fonts::Face face, float em, std::string_view text) const;
  ImU32 bar_color(std::uint32_t box) const;
  bool visible(float left, float top, float right, float bottom) const;
  float px(float mock_pixels) const { return mock_pixels * unit_; }

  PanelContext& c_;
  const GraphPicture& p_;
  const GraphScene& scene_;
  const int program_;
  const CanvasView view_;
  const float unit_;  // window pixels per pixel of the mock, at this zoom
  Detail detail_;
  ImDrawList* list_;
  std::vector<std::uint32_t> shown_;
};

}  // namespace tapescope::ui
