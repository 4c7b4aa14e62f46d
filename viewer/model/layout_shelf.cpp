// Placing beside what stands: the first free place on the row, outwards from where a cell would like to be. A
// cell of both halves needs it free on both.
#include <algorithm>

#include "viewer/model/layout_place.h"

namespace tapescope::layout::detail {

float Shelf::find(uint32_t row, float want, float inner, float outer) const {
  if (row >= rows_.size()) return want;
  const auto& taken = rows_[row];
  auto at = std::lower_bound(taken.begin(), taken.end(), want - inner,
                             [](const Interval& i, float x) { return i.high <= x; });
  for (; at != taken.end() && at->low < want + outer; ++at) want = at->high + inner;
  return want;
}

bool Shelf::is_free(uint32_t row, float at, float inner, float outer) const {
  return find(row, at, inner, outer) == at;
}

void Shelf::take(uint32_t row, float at, float inner, float outer) {
  reserve_row(row);
  auto& taken = rows_[row];
  const Interval interval{at - inner, at + outer};
  taken.insert(std::upper_bound(taken.begin(), taken.end(), interval,
                                [](const Interval& a, const Interval& b) { return a.low < b.low; }),
               interval);
}

float Shelves::find(const Cell& cell, uint32_t row, float want) const {
  const Extent forward = forward_extent(cell), backward = backward_extent(cell);
  for (float before = want;; before = want) {
    if (forward.any()) want = forward_.find(row, want, forward.inner, forward.outer);
    if (backward.any()) want = backward_.find(row, want, backward.inner, backward.outer);
    if (want == before) return want;
  }
}

void Shelves::take(const Cell& cell) {
  if (const Extent e = forward_extent(cell); e.any()) forward_.take(cell.row, cell.out, e.inner, e.outer);
  if (const Extent e = backward_extent(cell); e.any()) backward_.take(cell.row, cell.out, e.inner, e.outer);
}

float Shelves::find_wire(bool mirrored, uint32_t first, uint32_t last, float want) const {
  for (float before = want;; before = want) {
    for (uint32_t row = first; row <= last; ++row) {
      want = forward_.find(row, want, kWireExtent, kWireExtent);
      if (mirrored) want = backward_.find(row, want, kWireExtent, kWireExtent);
    }
    if (want == before) return want;
  }
}

void Shelves::take_wire(bool mirrored, uint32_t row, float at) {
  forward_.take(row, at, kWireExtent, kWireExtent);
  if (mirrored) backward_.take(row, at, kWireExtent, kWireExtent);
}

void Shelves::take_wire(const Cells& cells, uint32_t index, const Routes& routes) {
  if (routes.first_mid[index] == kNone) return;
  const CellEdge& edge = cells.edges[index];
  const uint32_t from = cells.cells[edge.from].row, to = cells.cells[edge.to].row;
  for (uint32_t row = from + 1; row < to; ++row)
    take_wire(may_mirror(cells, edge), row, routes.mids[routes.first_mid[index] + row - from - 1]);
}

void shelve_cell(Cells& cells, uint32_t index, uint32_t below, Shelves& shelves) {
  Cell& cell = cells.cells[index];
  const uint32_t near = cell.first_in != kNone   ? cells.edges[cell.first_in].from
                        : is_backward_only(cell) ? below
                                                 : kNone;
  cell.out = shelves.find(cell, cell.row, near == kNone ? 0 : cells.cells[near].out);
  shelves.take(cell);
}

void shelve_edge(const Cells& cells, uint32_t index, Shelves& shelves, Routes& routes) {
  const CellEdge& edge = cells.edges[index];
  const Cell &from = cells.cells[edge.from], &to = cells.cells[edge.to];
  if (to.row <= from.row + 1) return;
  const bool mirrored = may_mirror(cells, edge);
  const float at = shelves.find_wire(mirrored, from.row + 1, to.row - 1, std::min(from.out, to.out));
  routes.first_mid[index] = uint32_t(routes.mids.size());
  for (uint32_t row = from.row + 1; row < to.row; ++row) {
    shelves.take_wire(mirrored, row, at);
    routes.mids.push_back(at);
  }
}

std::vector<uint32_t> cells_below(const Cells& cells) {
  std::vector<uint32_t> below(cells.cells.size(), kNone);
  for (const Stray& stray : cells.strays)
    if (below[stray.to] == kNone) below[stray.to] = stray.from;
  return below;
}

void place_backward_only(Cells& cells, const Routes& routes) {
  std::vector<uint32_t> order;
  for (uint32_t c = 0; c < cells.cells.size(); ++c)
    if (is_backward_only(cells.cells[c])) order.push_back(c);
  if (order.empty()) return;
  Shelves shelves;
  for (const Cell& cell : cells.cells)
    if (!is_backward_only(cell)) shelves.take(cell);
  for (uint32_t e = 0; e < cells.edges.size(); ++e) shelves.take_wire(cells, e, routes);

  // Columns: above each cell the one that takes its gradient furthest; the others begin columns beside it.
  std::vector<uint32_t> above(cells.cells.size(), kNone), length(cells.cells.size(), 1);
  std::vector<uint8_t> stands_above(cells.cells.size(), 0);
  for (size_t s = cells.strays.size(); s-- > 0;) {
    const auto [from, to] = cells.strays[s];
    if (!is_backward_only(cells.cells[from]) || !is_backward_only(cells.cells[to]) || stands_above[to])
      continue;
    if (cells.cells[to].row + 1 != cells.cells[from].row || length[to] < length[from]) continue;
    if (above[from] != kNone) stands_above[above[from]] = 0;
    above[from] = to, length[from] = length[to] + 1, stands_above[to] = 1;
  }
  const std::vector<uint32_t> below = cells_below(cells);
  for (const uint32_t bottom : order) {
    if (stands_above[bottom]) continue;
    float at = below[bottom] == kNone ? 0 : cells.cells[below[bottom]].out;
    for (float before = -1; at != before;) {
      before = at;
      for (uint32_t c = bottom; c != kNone; c = above[c])
        at = shelves.find(cells.cells[c], cells.cells[c].row, at);
    }
    for (uint32_t c = bottom; c != kNone; c = above[c]) cells.cells[c].out = at, shelves.take(cells.cells[c]);
  }
}

}  // namespace tapescope::layout::detail
