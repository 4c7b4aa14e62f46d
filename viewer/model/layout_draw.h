// Boxes and wires of placed cells. Private to the layout.
#pragma once

#include "viewer/model/layout_place.h"

namespace tapescope::layout::detail {

/// x of the point `out` pixels outwards from the middle of the innermost forward box.
inline float left_x(float out) { return kForwardX + kBoxWidth / 2 - out; }
inline float mirror_x(float x) { return 2 * kAxis - x; }

/// Tracks run between the forward boxes and the axis, where no box ever stands.
inline float track_out(uint32_t track, uint32_t tracks) {
  constexpr float kNear = kBoxWidth / 2 + 6, kRoom = kAxis - kForwardX - kBoxWidth - 14, kPitch = 5;
  return -(kNear + float(track) * (tracks * kPitch > kRoom ? kRoom / float(tracks) : kPitch));
}

/// Draws into a layout; holds nothing itself, so it can be made again for each op.
struct Drawing {
  const Graph& graph;
  Cells& cells;
  Layout& layout;
  std::vector<uint32_t>* edge_wire =
      nullptr;  ///< by cell edge: its wire; filled by Router::draw where wanted

  /// Forward box, leaves and portals of a placed cell.
  void add_cell(uint32_t cell);
  /// Slots a group's cell got after it was drawn.
  void add_slots(uint32_t cell);
  /// Puts an op into its box, and makes the box if it is the first.
  void add_op(uint32_t op);
  /// Boxes for what passes a gradient on along this edge.
  void add_passes(uint32_t edge);
  /// Wires that no pair of halves explains: a forward op that reads a result of the backward pass; a gradient
  /// between cells that no forward wire joins.
  void add_crossing(uint32_t edge);
  void add_stray(uint32_t stray);
  /// The wire of a forward edge through the points in order (ends on the boxes), and its mirror picture if
  /// asked.
  void add_edge_wire(const CellEdge& edge, bool track, const std::vector<Point>& path);
  void add_mirror(const CellEdge& edge, bool track, const std::vector<Point>& path);
  void add_wire(uint32_t from_box, uint32_t to_box, WireKind kind, std::span<const Point> path, bool track,
                uint32_t count);
  void finish_portals();

  uint32_t new_box(uint32_t cell, Lane lane, BoxKind kind, uint64_t key);
  void attach(uint32_t op, uint32_t box);
  void ensure_backward(uint32_t cell, BoxKind kind);
  void ensure_gradient(uint32_t slot);
  void connect_gradient(uint32_t slot);
  void draw_turn(uint32_t cell);
  void add_side_wire(uint32_t from_box, uint32_t to_box, WireKind kind, uint32_t number);
  BoxKind op_kind(const Cell& cell) const;
  void cover(float left, float top, float right, float bottom);
};

/// Routes all wires between forward boxes at once: each gap between two rows becomes as high as its wires
/// need.
class Router {
 public:
  Router(const Cells& cells, const Routes& routes);
  /// Tops of the rows; those in `fixed` stay.
  std::vector<float> row_tops(const std::vector<float>& fixed) const;
  void draw(Drawing& drawing) const;

 private:
  struct Port {
    float next;
    uint32_t edge;
  };
  struct Segment {
    float from, to;
    uint32_t gap;
    float level;
  };  // level: share of the gap's height
  void spread_ports(std::vector<Port>& ports, float at, std::vector<float>& result);
  void level_gap(const std::vector<uint32_t>& bent);
  float station(uint32_t edge, bool first) const;

  const Cells& cells_;
  const Routes& routes_;
  uint32_t rows_ = 0;
  std::vector<float> port_out_, port_in_;  ///< by edge
  std::vector<uint32_t> first_segment_;    ///< by edge, and the end
  std::vector<Segment> segments_;
  std::vector<uint32_t> levels_;  ///< by gap; gap 0 lies above row 0
  std::vector<float> level_ends_;
  std::vector<uint64_t> sort_keys_;
};

/// All of compute() after the shortcut for equal graphs; false if stopped. `edge_wire` may be null.
bool lay_out(const Graph& graph, const Options& options, const Layout* previous, const std::stop_token& stop,
             Cells& cells, Routes& routes, Layout& layout, std::vector<uint32_t>* edge_wire);

}  // namespace tapescope::layout::detail
