// Rows, tracks and the layered graph.
#include <algorithm>
#include <queue>
#include <utility>

#include "viewer/model/layout_place.h"

namespace tapescope::layout::detail {

namespace {

// What nothing leads to or from stands beside the rest, as narrow as its height allows.
uint32_t beside_each_other(uint32_t count, uint32_t height) {
  return std::clamp((count + height - 1) / height, 1u, kMostBeside);
}

// Rows of backward ops without a partner: each stands above those it takes gradients from. A sweep that
// begins among them, a graph's that differentiates within, begins low enough to have room for all of its
// rows, and beside the end of the forward ops as other sweeps do.
void rank_without_partner(Cells& cells, bool settle) {
  auto& list = cells.cells;
  std::vector<uint32_t> height(list.size(), 0);  // rows that are needed above a cell
  uint32_t lowest = 0;
  for (const Cell& cell : list) lowest = std::max(lowest, cell.row);
  // A tape that grows has places to keep: only what is known of it counts.
  for (size_t s = settle ? cells.strays.size() : 0; s-- > 0;) {
    const auto [from, to] = cells.strays[s];
    if (is_backward_only(list[from]) && is_backward_only(list[to]))
      height[from] = std::max(height[from], height[to] + 1);
  }
  std::vector<uint32_t> first(list.size(), kNone),
      next(cells.strays.size(), kNone);  // flows by the cell they end at
  for (uint32_t s = 0; s < cells.strays.size(); ++s) next[s] = std::exchange(first[cells.strays[s].to], s);
  std::vector<uint32_t> alone;  // as updates that read nothing of the step
  std::vector<bool> leads_on(list.size());
  for (const Stray& stray : cells.strays) leads_on[stray.from] = true;
  for (uint32_t c = 0; c < list.size(); ++c) {
    if (!is_backward_only(list[c])) continue;
    uint32_t above = kNone;
    for (uint32_t s = first[c]; s != kNone; s = next[s])
      above = std::min(above, list[cells.strays[s].from].row);
    if (above == kNone) list[c].row = height[c] == 0 ? 0 : std::max(lowest, height[c]);
    else list[c].row = above == 0 ? 0 : above - 1;
    if (above == kNone && !leads_on[c]) alone.push_back(c);
  }
  if (!settle) return;
  const uint32_t beside = beside_each_other(uint32_t(alone.size()), lowest + 1);
  for (uint32_t i = 0; i < alone.size(); ++i) list[alone[i]].row = i / beside;
}

}  // namespace

void rank_cells(Cells& cells, bool settle) {
  auto& list = cells.cells;
  const auto is_alone = [](const Cell& cell) {
    return cell.first_in == kNone && cell.first_out == kNone && cell.dir == Op::Forward;
  };
  uint32_t alone = 0, height = 1;
  for (Cell& cell : list) {
    alone += is_alone(cell);
    uint32_t row = 0;
    for (uint32_t e = cell.first_in; e != kNone; e = cells.edges[e].next_in)
      if (!cells.edges[e].against) row = std::max(row, list[cells.edges[e].from].row + 1);
    cell.row = row;
    height = std::max(height, row + 1);
  }
  const uint32_t beside = settle ? beside_each_other(alone, height) : kMostBeside;
  uint32_t placed = 0;
  for (Cell& cell : list)
    if (is_alone(cell)) cell.row = placed++ / beside;
  rank_without_partner(cells, settle);
  if (!settle) return;
  // What feeds more than it reads stands right above its first reader: as short as network simplex on tapes.
  for (uint32_t c = uint32_t(list.size()); c-- > 0;) {
    if (list[c].out_count == 0 || list[c].out_count < list[c].in_count || list[c].dir != Op::Forward)
      continue;
    uint32_t row = kNone;
    for (uint32_t e = list[c].first_out; e != kNone; e = cells.edges[e].next_out)
      if (!cells.edges[e].against) row = std::min(row, list[cells.edges[e].to].row);
    if (row != kNone && row > list[c].row + 1) list[c].row = row - 1;
  }
}

void assign_tracks(const Cells& cells, uint32_t long_span, Routes& routes) {
  struct Span {
    uint32_t low, high, edge;
  };
  std::vector<Span> spans;
  for (uint32_t e = 0; e < cells.edges.size(); ++e) {
    const CellEdge& edge = cells.edges[e];
    if (!is_wire(edge) || routes.track[e] != kNone || is_short(cells, edge, long_span)) continue;
    const auto [low, high] = std::minmax(cells.cells[edge.from].row, cells.cells[edge.to].row);
    spans.push_back({low, high, e});
  }
  std::sort(spans.begin(), spans.end(),
            [](const Span& a, const Span& b) { return a.low != b.low ? a.low < b.low : a.edge < b.edge; });
  using Busy = std::pair<uint32_t, uint32_t>;  // last row, track
  std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy;
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> idle;
  for (const Span& span : spans) {
    while (!busy.empty() && busy.top().first < span.low) idle.push(busy.top().second), busy.pop();
    uint32_t track = routes.tracks;
    if (idle.empty()) ++routes.tracks;
    else track = idle.top(), idle.pop();
    routes.track[span.edge] = track;
    busy.push({span.high, track});
  }
}

namespace {

// begin[i] .. begin[i + 1] of the result hold the second of each pair whose first is i, in the order of the
// pairs.
void group_pairs(uint32_t nodes, const std::vector<uint32_t>& first, const std::vector<uint32_t>& second,
                 std::vector<uint32_t>& begin, std::vector<uint32_t>& list) {
  begin.assign(nodes + 2, 0);
  for (uint32_t f : first) ++begin[f + 2];
  for (uint32_t i = 2; i < nodes + 2; ++i) begin[i] += begin[i - 1];
  list.resize(first.size());
  for (size_t i = 0; i < first.size(); ++i) list[begin[first[i] + 1]++] = second[i];
  begin.pop_back();
}

}  // namespace

Layers build_layers(const Cells& cells, uint32_t long_span, Routes& routes) {
  Layers layers;
  layers.cells = uint32_t(cells.cells.size());
  uint32_t rows = 0;
  layers.row_of.reserve(layers.cells * 2);
  for (const Cell& cell : cells.cells) rows = std::max(rows, cell.row + 1);
  // Cells of the right half alone take no place from the others: they are put aside into layers behind those.
  uint32_t layer_count = rows;
  for (const Cell& cell : cells.cells) {
    layers.row_of.push_back(is_backward_only(cell) ? cell.row + rows : cell.row);
    if (is_backward_only(cell)) layer_count = 2 * rows;
  }
  std::vector<uint32_t> upper, lower;
  upper.reserve(cells.edges.size() * 2), lower.reserve(cells.edges.size() * 2);
  for (uint32_t e = 0; e < cells.edges.size(); ++e) {
    const CellEdge& edge = cells.edges[e];
    if (!is_wire(edge) || !is_short(cells, edge, long_span)) continue;
    const uint32_t from = cells.cells[edge.from].row, to = cells.cells[edge.to].row;
    if (to - from > 1) routes.first_mid[e] = uint32_t(layers.row_of.size()) - layers.cells;
    uint32_t last = edge.from;
    for (uint32_t row = from + 1; row < to; ++row) {
      const uint32_t node = uint32_t(layers.row_of.size());
      layers.row_of.push_back(row);
      upper.push_back(last), lower.push_back(node);
      last = node;
    }
    upper.push_back(last), lower.push_back(edge.to);
  }
  const uint32_t nodes = uint32_t(layers.row_of.size());
  group_pairs(nodes, upper, lower, layers.down_begin, layers.down);
  group_pairs(nodes, lower, upper, layers.up_begin, layers.up);
  // Cells that have no backward half begin outside of those that have one, so that the backward column fills.
  std::vector<uint32_t> all, rows_of_all;
  all.reserve(nodes), rows_of_all.reserve(nodes);
  for (const bool forward_only : {false, true})
    for (uint32_t i = 0; i < nodes; ++i)
      if ((i < layers.cells && cells.cells[i].forward_only) == forward_only)
        all.push_back(i), rows_of_all.push_back(layers.row_of[i]);
  group_pairs(layer_count, rows_of_all, all, layers.begin, layers.order);
  layers.position.resize(nodes);
  for (uint32_t r = 0; r < layer_count; ++r)
    for (uint32_t i = layers.begin[r]; i < layers.begin[r + 1]; ++i)
      layers.position[layers.order[i]] = i - layers.begin[r];
  return layers;
}

}  // namespace tapescope::layout::detail
