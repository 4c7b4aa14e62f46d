// Where cells go: rows by longest path, order within a row, distance from the axis. Private to the layout.
#pragma once

#include "viewer/model/layout_cells.h"

namespace tapescope::layout::detail {

// Half the space a forward box takes along its row: half its width and half the gap to the next box.
inline constexpr float kCellExtent = kBoxWidth / 2 + 12;
// What leaves and portals beside a cell take in addition, on its outer side.
inline constexpr float kLeafExtent = kLeafWidth + kLeafGap;
// Half the space of a wire that passes a row: wires stay 16 px apart, boxes 20 px off.
inline constexpr float kWireExtent = 8;

/// How each wire gets from row to row. Distances are measured outwards, from the middle of the innermost
/// forward box.
struct Routes {
  std::vector<uint32_t>
      first_mid;  ///< by cell edge: index into mids of its place in the first row it passes, or kNone
  std::vector<uint32_t> track;  ///< by cell edge: its track, or kNone
  std::vector<float> mids;
  uint32_t tracks = 0;
};

/// Space the cell takes on its outer side. A group's leaves may still come.
inline float outer_extent(const Cell& cell) {
  return cell.slot_count > 0 || cell.group != kNone ? kCellExtent + kLeafExtent : kCellExtent;
}

/// What a cell takes of a row on one half: from `inner` on the inner side of its middle to `outer` on the
/// outer side.
struct Extent {
  float inner, outer;
  bool any() const { return outer > -inner; }
};
inline Extent forward_extent(const Cell& cell) {
  return is_backward_only(cell) ? Extent{0, 0} : Extent{kCellExtent, outer_extent(cell)};
}
/// Leaves that want none leave room for their gradients as well: so the halves mirror each other.
inline Extent backward_extent(const Cell& cell) {
  if (is_backward_only(cell)) return {kCellExtent, kCellExtent};
  return {cell.forward_only ? -kCellExtent : kCellExtent, outer_extent(cell)};
}
/// Whether a gradient may take the mirrored way of the edge.
inline bool may_mirror(const Cells& cells, const CellEdge& edge) {
  return !cells.cells[edge.from].forward_only && !cells.cells[edge.to].forward_only;
}

/// The row below everything the cell reads; for a backward op without partner the row above what it reads.
void rank_cells(Cells& cells, bool settle);
/// Whether the edge is a wire between two forward boxes.
inline bool is_wire(const CellEdge& edge) { return !edge.portal && !edge.crossing; }
/// Whether it may bend through the rows between its ends.
inline bool is_short(const Cells& cells, const CellEdge& edge, uint32_t long_span) {
  const uint32_t from = cells.cells[edge.from].row, to = cells.cells[edge.to].row;
  return to > from && to - from <= long_span;
}
/// Tracks for all edges that are wires and not short, by the left-edge rule.
void assign_tracks(const Cells& cells, uint32_t long_span, Routes& routes);

/// The cells and the wires that pass a row between them as nodes in layers.
struct Layers {
  uint32_t cells = 0;                  ///< nodes below this are cells, the others wires
  std::vector<uint32_t> row_of;        ///< by node
  std::vector<uint32_t> begin, order;  ///< nodes by row, from the axis outwards
  std::vector<uint32_t> position;      ///< by node: index within its row
  std::vector<uint32_t> up_begin, up;  ///< by node: neighbours one row above
  std::vector<uint32_t> down_begin, down;
  uint32_t rows() const { return uint32_t(begin.size()) - 1; }
};
Layers build_layers(const Cells& cells, uint32_t long_span, Routes& routes);
/// Reduces crossings.
void order_layers(Layers& layers, uint32_t sweeps, const std::stop_token& stop);
/// Distance of each node from the axis: straight long wires, as near as the order allows.
std::vector<float> place_columns(const Layers& layers, const Cells& cells);

/// What is in use of one half: intervals of rows, outwards from the middle of the innermost boxes.
class Shelf {
 public:
  void reserve_row(uint32_t row) {
    if (rows_.size() <= row) rows_.resize(row + 1);
  }
  bool is_free(uint32_t row, float at, float inner, float outer) const;
  /// The free place nearest to `want` on its outer side.
  float find(uint32_t row, float want, float inner, float outer) const;
  void take(uint32_t row, float at, float inner, float outer);

 private:
  struct Interval {
    float low, high;
  };
  std::vector<std::vector<Interval>> rows_;  ///< disjoint, sorted
};

/// Both halves, to place cells one after another without moving one that stands.
class Shelves {
 public:
  bool is_free(const Cell& cell, uint32_t row, float at) const { return find(cell, row, at) == at; }
  /// The free place nearest to `want` on its outer side, for both halves of the cell.
  float find(const Cell& cell, uint32_t row, float want) const;
  /// The cell's own row and distance.
  void take(const Cell& cell);
  /// A place free in all rows first..last for one straight wire, and its mirror picture where there may be
  /// one.
  float find_wire(bool mirrored, uint32_t first, uint32_t last, float want) const;
  void take_wire(bool mirrored, uint32_t row, float at);
  /// All places of a routed edge.
  void take_wire(const Cells& cells, uint32_t edge, const Routes& routes);

 private:
  Shelf forward_, backward_;
};

/// Places cell `index` on its row (already ranked) near what it reads; a backward-only one near the cell
/// `below` it, if any.
void shelve_cell(Cells& cells, uint32_t index, uint32_t below, Shelves& shelves);
/// Finds the way of a short edge over more than one row.
void shelve_edge(const Cells& cells, uint32_t edge, Shelves& shelves, Routes& routes);
/// By cell: the first one a gradient flows from without a forward wire, or kNone.
std::vector<uint32_t> cells_below(const Cells& cells);
/// Places backward-only cells where the right half is free: the longest way of a gradient straight up, what
/// branches off beside it.
void place_backward_only(Cells& cells, const Routes& routes);

}  // namespace tapescope::layout::detail
