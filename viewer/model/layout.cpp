// The whole layout at once: cells, places, boxes, wires.
#include "viewer/model/layout.h"

#include <algorithm>
#include <bit>

#include "viewer/model/layout_draw.h"

namespace tapescope::layout {

using namespace detail;

std::vector<uint32_t> Layout::ops_of(uint32_t index) const {
  const Box& box = boxes[index];
  if (box.kind == BoxKind::Portal) return {box.first_op};
  std::vector<uint32_t> ops;
  for (uint32_t op = box.first_op; ops.size() < box.count; op = next_op[op]) ops.push_back(op);
  std::sort(ops.begin(), ops.end());
  return ops;
}

uint32_t Layout::box_at(float x, float y) const {
  for (uint32_t b = 0; b < boxes.size(); ++b)
    if (x >= boxes[b].x && x < boxes[b].x + boxes[b].w && y >= boxes[b].y && y < boxes[b].y + boxes[b].h)
      return b;
  return kNone;
}

namespace {

// Ops between two looks at the stop token: some tens of microseconds.
constexpr uint32_t kStopEvery = 1024;

uint64_t signature_of(const Graph& graph, const Options& options) {
  uint64_t h = mix(graph.ops.size(), graph.edges.size());
  for (const Op& op : graph.ops) {
    h = mix(h, op.key ^ uint64_t(op.scope) << 32);
    h = mix(h, uint64_t(op.type) << 32 | op.partner) + (uint64_t(op.recorded) << 4 | uint64_t(op.dir) << 2 |
                                                        uint64_t(op.leaf_variable) << 1 |
                                                        uint64_t(op.wants_gradient));
  }
  for (const Edge& edge : graph.edges) h = mix(h, uint64_t(edge.from) << 32 | edge.to);
  for (const Scope& scope : graph.scopes) h = mix(h, scope.key ^ uint64_t(scope.parent) << 32) ^ scope.stem;
  for (uint8_t c : options.collapsed) h = mix(h, c);
  h = mix(h, uint64_t(options.long_span) << 32 | options.hub_targets);
  return mix(h, uint64_t(options.sweeps) << 2 | uint64_t(options.fold_series) << 1 | uint64_t(options.live) |
                    uint64_t(options.shown) << 32);
}

std::unordered_set<uint64_t> leaf_cells_of(const Layout& previous) {
  std::unordered_set<uint64_t> keys;
  for (const Box& box : previous.boxes)
    if (box.kind == BoxKind::Variable && previous.places[box.cell].key == Cells::leaf_cell_key(box.key))
      keys.insert(previous.places[box.cell].key);
  return keys;
}

bool build_cells(const Graph& graph, Cells& cells, const std::stop_token& stop) {
  cells.reserve(graph.ops.size(), graph.edges.size());
  std::vector<uint32_t> inputs;
  size_t edge = 0;
  for (uint32_t op = 0; op < graph.ops.size(); ++op) {
    inputs.clear();
    for (; edge < graph.edges.size() && graph.edges[edge].to == op; ++edge)
      if (graph.edges[edge].from < op) inputs.push_back(graph.edges[edge].from);
    if (op % kStopEvery == 0 && stop.stop_requested()) return false;
    cells.add(graph, op, inputs);
  }
  return true;
}

// Where the previous layout had each cell, by cell: index into its places or kNone.
std::vector<uint32_t> match_places(const Cells& cells, const Layout& previous) {
  std::vector<uint32_t> found(cells.cells.size(), kNone);
  std::unordered_map<uint64_t, uint32_t> by_key;
  for (uint32_t c = 0; c < found.size(); ++c) {
    if (c < previous.places.size() && previous.places[c].key == cells.cells[c].key) {
      found[c] = c;  // the usual case, a tape that begins like the last one
      continue;
    }
    if (by_key.empty())
      for (uint32_t p = 0; p < previous.places.size(); ++p) by_key.emplace(previous.places[p].key, p);
    if (const auto at = by_key.find(cells.cells[c].key); at != by_key.end()) found[c] = at->second;
  }
  return found;
}

void place_anew(Cells& cells, const Options& options, Routes& routes, const std::stop_token& stop) {
  rank_cells(cells, true);
  Layers layers = build_layers(cells, options.long_span, routes);
  order_layers(layers, options.sweeps, stop);
  if (stop.stop_requested()) return;
  const std::vector<float> at = place_columns(layers, cells);
  for (uint32_t c = 0; c < layers.cells; ++c) cells.cells[c].out = at[c];
  routes.mids.assign(at.begin() + layers.cells, at.end());
  place_backward_only(cells, routes);
  assign_tracks(cells, options.long_span, routes);
}

// Cells the previous layout knows stay; the others find a place beside them. Rows follow from the kept ones.
void place_beside(Cells& cells, const Options& options, const Layout& previous,
                  const std::vector<uint32_t>& found, Routes& routes, const std::stop_token& stop) {
  rank_cells(cells, false);
  Shelves shelves;
  std::vector<uint8_t> placed(cells.cells.size(), 0);
  uint32_t newest = 0;  // row of the forward cell before this one: where what reads nothing is needed
  uint32_t beside = 0;  // cells that read nothing, since one that reads
  for (uint32_t c = 0; c < cells.cells.size(); ++c) {
    Cell& cell = cells.cells[c];
    uint32_t least = cell.dir == Op::Forward ? 0 : cell.row;
    for (uint32_t e = cell.first_in; e != kNone; e = cells.edges[e].next_in)
      if (!cells.edges[e].against) least = std::max(least, cells.cells[cells.edges[e].from].row + 1);
    const bool row_of_its_own = cell.dir == Op::Forward && !cell.leaf_only;
    const bool reads_nothing = cell.first_in == kNone && cell.group == kNone;
    cell.row = row_of_its_own && reads_nothing ? newest + (++beside % kMostBeside == 0) : least;
    if (!reads_nothing) beside = 0;
    if (row_of_its_own) newest = cell.row;
    // Options::shown, for the time being: where its reader is about to stand.
    if (options.live && cell.leaf_only) cell.row = c == 0 ? 0 : newest + 1;
    if (found[c] == kNone) continue;
    const Place& place = previous.places[found[c]];
    if (cell.dir == Op::Forward && place.row < least)
      continue;  // it reads something new: it has to go below that
    if (!shelves.is_free(cell, place.row, place.out)) continue;
    cell.row = place.row, cell.out = place.out, placed[c] = 1;
    if (row_of_its_own) newest = cell.row;
    shelves.take(cell);
  }
  const std::vector<uint32_t> below = cells_below(cells);
  for (uint32_t c = 0; c < cells.cells.size(); ++c) {
    if (!placed[c]) shelve_cell(cells, c, below[c], shelves);
    if (c % kStopEvery == 0 && stop.stop_requested()) return;
  }
  for (uint32_t e = 0; e < cells.edges.size(); ++e)
    if (is_wire(cells.edges[e]) && is_short(cells, cells.edges[e], options.long_span))
      shelve_edge(cells, e, shelves, routes);
  assign_tracks(cells, options.long_span, routes);
}

void draw(const Graph& graph, Cells& cells, const Routes& routes, const std::vector<float>& fixed_rows,
          Layout& layout, std::vector<uint32_t>* edge_wire) {
  Router router(cells, routes);
  layout.row_y = router.row_tops(fixed_rows);
  layout.op_box.assign(graph.ops.size(), kNone), layout.next_op.assign(graph.ops.size(), kNone);
  layout.boxes.reserve(graph.ops.size()),
      layout.wires.reserve(cells.edges.size() * 2 + cells.slots.size() * 2);
  layout.points.reserve(layout.wires.capacity() * 4);
  Drawing drawing{graph, cells, layout, edge_wire};
  for (uint32_t c = 0; c < cells.cells.size(); ++c) drawing.add_cell(c);
  for (uint32_t op = 0; op < graph.ops.size(); ++op) drawing.add_op(op);
  for (uint32_t e : cells.fresh_backward) drawing.add_passes(e);
  router.draw(drawing);
  for (uint32_t e = 0; e < cells.edges.size(); ++e)
    if (cells.edges[e].crossing && !cells.edges[e].portal) drawing.add_crossing(e);
  for (uint32_t s = 0; s < cells.strays.size(); ++s) drawing.add_stray(s);
  drawing.finish_portals();
  layout.places.reserve(cells.cells.size());
  for (const Cell& cell : cells.cells)
    layout.places.push_back({cell.key, cell.row, cell.out, cell.slot_count > 0});
  layout.cells = uint32_t(cells.cells.size()), layout.cell_edges = uint32_t(cells.edges.size());
}

}  // namespace

namespace detail {

bool lay_out(const Graph& graph, const Options& options, const Layout* previous, const std::stop_token& stop,
             Cells& cells, Routes& routes, Layout& layout, std::vector<uint32_t>* edge_wire) {
  layout.live = options.live;
  if (previous && !previous->live) cells.keep_apart(leaf_cells_of(*previous));
  if (!build_cells(graph, cells, stop)) return false;
  if (!options.live) cells.place_leaves(graph);
  else if (options.shown < graph.ops.size()) cells.place_unread(graph, options.shown);
  routes.first_mid.assign(cells.edges.size(), kNone), routes.track.assign(cells.edges.size(), kNone);
  if (edge_wire) edge_wire->assign(cells.edges.size(), kNone);
  if (previous) {
    const std::vector<uint32_t> found = match_places(cells, *previous);
    std::vector<uint8_t> narrow(found.size(), 0);
    for (size_t c = 0; c < found.size(); ++c)
      narrow[c] = found[c] != kNone && !previous->places[found[c]].wide;
    cells.cut_hubs(narrow);
    place_beside(cells, options, *previous, found, routes, stop);
  } else {
    cells.cut_hubs({});
    place_anew(cells, options, routes, stop);
  }
  if (stop.stop_requested()) return false;
  draw(graph, cells, routes, previous ? previous->row_y : std::vector<float>{}, layout, edge_wire);
  return true;
}

}  // namespace detail

Layout compute(const Graph& graph, const Options& options, const Layout* previous, std::stop_token stop) {
  if (previous && (previous->cancelled || previous->places.empty())) previous = nullptr;
  Layout layout;
  layout.signature = signature_of(graph, options);
  if (previous && previous->signature == layout.signature) return *previous;
  Cells cells(options, make_groups(graph, options));
  Routes routes;
  if (lay_out(graph, options, previous, stop, cells, routes, layout, nullptr)) return layout;
  Layout stopped;
  stopped.cancelled = true;
  return stopped;
}

}  // namespace tapescope::layout
