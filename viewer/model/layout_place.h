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

/// How each wire gets from row to row. Distances are measured outwards, from the middle of the innermost forward box.
struct Routes {
  std::vector<uint32_t> first_mid;  ///< by cell edge: index into mids of its place in the first row it passes, or kNone
  std::vector<uint32_t> track;      ///< by cell edge: its track, or kNone
  std::vector<float> mids;
  uint32_t tracks = 0;
};

/// Space the cell takes on its outer side. A group's leaves may still come.
inline float outer_extent(const Cell& cell) {
  return cell.slot_count > 0 || cell.group != kNone ? kCellExtent + kLeafExtent : kCellExtent;
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
  uint32_t cells = 0;                        ///< nodes below this are cells, the others wires
  std::vector<uint32_t> row_of;              ///< by node
  std::vector<uint32_t> begin, order;        ///< nodes by row, from the axis outwards
  std::vector<uint32_t> position;            ///< by node: index within its row
  std::vector<uint32_t> up_begin, up;        ///< by node: neighbours one row above
  std::vector<uint32_t> down_begin, down;
  uint32_t rows() const { return uint32_t(begin.size()) - 1; }
};
Layers build_layers(const Cells& cells, uint32_t long_span, Routes& routes);
/// Reduces crossings.
void order_layers(Layers& layers, uint32_t sweeps, const std::stop_token& stop);
/// Distance of each node from the axis: straight long wires, as near as the order allows.
std::vector<float> place_columns(const Layers& layers, const Cells& cells);

/// Places cells one after another without moving one that stands.
class Shelf {
 public:
  void reserve_row(uint32_t row) { if (rows_.size() <= row) rows_.resize(row + 1); }
  bool is_free(uint32_t row, float at, float inner, float outer) const;
  /// The free place nearest to `want` on its outer side.
  float find(uint32_t row, float want, float inner, float outer) const;
  void take(uint32_t row, float at, float inner, float outer);
  /// A place free in all rows first..last for one straight wire.
  float find_wire(uint32_t first, uint32_t last, float want) const;

 private:
  struct Interval { float low, high; };
  std::vector<std::vector<Interval>> rows_;  ///< disjoint, sorted
};

/// Places cell `index` on its row (already ranked) near what it reads.
void shelve_cell(Cells& cells, uint32_t index, Shelf& shelf);
/// Finds the way of a short edge over more than one row.
void shelve_edge(const Cells& cells, uint32_t edge, Shelf& shelf, Routes& routes);

}  // namespace tapescope::layout::detail
