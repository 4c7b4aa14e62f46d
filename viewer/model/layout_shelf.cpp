// Placing beside what stands: the first free place on the row, outwards from where a cell would like to be.
#include <algorithm>

#include "viewer/model/layout_place.h"

namespace tapescope::layout::detail {

float Shelf::find(uint32_t row, float want, float inner, float outer) const {
  if (row >= rows_.size()) return want;
  const auto& taken = rows_[row];
  auto at = std::lower_bound(taken.begin(), taken.end(), want - inner, [](const Interval& i, float x) { return i.high <= x; });
  for (; at != taken.end() && at->low < want + outer; ++at) want = at->high + inner;
  return want;
}

bool Shelf::is_free(uint32_t row, float at, float inner, float outer) const { return find(row, at, inner, outer) == at; }

void Shelf::take(uint32_t row, float at, float inner, float outer) {
  reserve_row(row);
  auto& taken = rows_[row];
  const Interval interval{at - inner, at + outer};
  taken.insert(std::upper_bound(taken.begin(), taken.end(), interval, [](const Interval& a, const Interval& b) { return a.low < b.low; }), interval);
}

float Shelf::find_wire(uint32_t first, uint32_t last, float want) const {
  for (bool moved = true; moved;) {
    moved = false;
    for (uint32_t row = first; row <= last; ++row)
      if (const float free = find(row, want, kWireExtent, kWireExtent); free != want) want = free, moved = true;
  }
  return want;
}

void shelve_cell(Cells& cells, uint32_t index, Shelf& shelf) {
  Cell& cell = cells.cells[index];
  const float want = cell.first_in == kNone ? 0 : cells.cells[cells.edges[cell.first_in].from].out;
  cell.out = shelf.find(cell.row, want, kCellExtent, outer_extent(cell));
  shelf.take(cell.row, cell.out, kCellExtent, outer_extent(cell));
}

void shelve_edge(const Cells& cells, uint32_t index, Shelf& shelf, Routes& routes) {
  const CellEdge& edge = cells.edges[index];
  const Cell &from = cells.cells[edge.from], &to = cells.cells[edge.to];
  if (to.row <= from.row + 1) return;
  const float at = shelf.find_wire(from.row + 1, to.row - 1, std::min(from.out, to.out));
  routes.first_mid[index] = uint32_t(routes.mids.size());
  for (uint32_t row = from.row + 1; row < to.row; ++row) {
    shelf.take(row, at, kWireExtent, kWireExtent);
    routes.mids.push_back(at);
  }
}

}  // namespace tapescope::layout::detail
