// The layout of a tape that is being recorded: each op is placed when it comes and never moves again.
#include <algorithm>

#include "viewer/model/layout_draw.h"

namespace tapescope::layout {

using namespace detail;

namespace {

// Side by side between the forward boxes and the axis; more long wires at a time than this share a track
// until settled.
constexpr uint32_t kLiveTracks = 8;
// Levels in a gap that are taken in turn, as it is unknown yet how many wires will bend there.
constexpr uint32_t kLiveLevels = 5;
constexpr float kLivePortPitch = 10;
constexpr uint32_t kMostPorts = 14;  // seven to each side, as many as a box has room for

// Ports in the order of arrival: the middle, then alternating outwards, as long as the box has room.
float live_port(float at, uint32_t number) {
  const float step = kLivePortPitch * float(std::min((number + 1) / 2, kMostPorts / 2));
  return number % 2 == 1 ? at + step : at - step;
}

}  // namespace

struct Incremental::State {
  explicit State(Options o) : options(std::move(o)), cells(options, {}) { options.live = true; }

  Options options;
  Graph graph;
  Cells cells;
  Routes routes;
  Layout layout;
  Shelves shelves;
  std::vector<uint32_t> edge_wire;
  std::vector<std::pair<uint32_t, uint32_t>> track_rows[kLiveTracks];  ///< rows each wire on a track spans
  uint32_t next_track = 0;
  uint32_t next_row = 0;  ///< below the newest forward cell
  uint32_t beside = 0;    ///< cells that read nothing, since one that reads
  std::vector<Point> path;

  void rank(uint32_t index, std::span<const uint32_t> inputs) {
    Cell& cell = cells.cells[index];
    uint32_t row = 0;
    for (uint32_t e = cell.first_in; e != kNone; e = cells.edges[e].next_in)
      row = std::max(row, cells.cells[cells.edges[e].from].row + 1);
    if (cell.dir == Op::Backward && cell.group == kNone) {
      uint32_t above = kNone;
      for (uint32_t input : inputs)
        if (cells.role[input] == Role::Back) above = std::min(above, cells.cells[cells.cell_of[input]].row);
      row = above == kNone || above == 0 ? 0 : above - 1;
    }
    if (cell.dir == Op::Forward && !cell.leaf_only) {
      // What reads nothing but leaves (the slice of a time step) would stand in row 0, thousands of them side
      // by side: it will be read by what comes next. A collapsed scope may yet read what stands now.
      if (cell.group != kNone) row = std::max(row, next_row);
      else if (cell.first_in == kNone && next_row > 0)
        row = next_row - 1 + (++beside % kMostBeside == 0);
      if (cell.first_in != kNone) beside = 0;
      next_row = row + 1;
    }
    cell.row = row;
    auto& tops = layout.row_y;
    while (tops.size() <= row) tops.push_back(tops.empty() ? 0 : tops.back() + kRowPitch);
  }

  uint32_t pick_track(uint32_t low, uint32_t high) {
    for (uint32_t t = 0; t < kLiveTracks; ++t) {
      const auto& rows = track_rows[t];
      // Tapes grow downwards: only the newest few can still be in the way.
      const size_t first = rows.size() > 16 ? rows.size() - 16 : 0;
      if (std::none_of(rows.begin() + first, rows.end(),
                       [&](const auto& r) { return r.first <= high && low <= r.second; }))
        return t;
    }
    return next_track++ % kLiveTracks;
  }

  void draw_edge(Drawing& drawing, uint32_t index) {
    const CellEdge& edge = cells.edges[index];
    const Cell &from = cells.cells[edge.from], &to = cells.cells[edge.to];
    if (edge.portal) return;
    if (edge.crossing) return drawing.add_crossing(index);
    if (from.forward_box == kNone || to.forward_box == kNone) return;
    uint32_t number = 0;
    for (uint32_t e = to.first_in; e != index && number < kMostPorts; e = cells.edges[e].next_in) ++number;
    const float start = live_port(from.out, from.out_count - 1), end = live_port(to.out, number);
    const auto& tops = layout.row_y;
    float at = start;
    path.clear();
    path.push_back({left_x(start), tops[from.row] + kBoxHeight});
    const auto go = [&](float next, float gap_bottom) {
      if (next == at) return;
      const float y =
          gap_bottom - (kRowPitch - kBoxHeight) * float(index % kLiveLevels + 1) / float(kLiveLevels + 1);
      path.push_back({left_x(at), y});
      path.push_back({left_x(next), y});
      at = next;
    };
    const bool is_track = !is_short(cells, edge, options.long_span);
    if (is_track) {
      const auto [low, high] = std::minmax(from.row, to.row);
      const uint32_t track = pick_track(low, high);
      track_rows[track].push_back({low, high});
      routes.track[index] = track;
      go(track_out(track, kLiveTracks), tops[from.row] + kRowPitch);
    } else {
      shelve_edge(cells, index, shelves, routes);
      for (uint32_t row = from.row + 1; row < to.row; ++row)
        go(routes.mids[routes.first_mid[index] + row - from.row - 1], tops[row]);
    }
    go(end, tops[to.row]);
    path.push_back({left_x(end), tops[to.row]});
    edge_wire[index] = uint32_t(layout.wires.size());
    drawing.add_edge_wire(edge, is_track, path);
  }

  void mirror_edge(Drawing& drawing, uint32_t index) {
    if (edge_wire[index] == kNone) return;
    const Wire wire = layout.wires[edge_wire[index]];
    const auto points = layout.points_of(wire);
    path.assign(points.begin(), points.end());
    drawing.add_mirror(cells.edges[index], wire.track, path);
  }

  void append(uint32_t op, std::span<const uint32_t> inputs) {
    Drawing drawing{graph, cells, layout};
    const uint32_t old_cells = uint32_t(cells.cells.size()), old_edges = uint32_t(cells.edges.size());
    const size_t old_strays = cells.strays.size();
    cells.add(graph, op, inputs);
    layout.op_box.push_back(kNone), layout.next_op.push_back(kNone);
    for (uint32_t c = old_cells; c < cells.cells.size(); ++c) {
      rank(c, inputs);
      shelve_cell(cells, c, cell_below(c, old_strays), shelves);
      drawing.add_cell(c);
      const Cell& cell = cells.cells[c];
      if (cell.leaf_only || cells.role[cell.head] == Role::Head) drawing.add_op(cell.head);
      layout.places.push_back({cell.key, cell.row, cell.out, cell.slot_count > 0});
    }
    const uint32_t cell = cells.cell_of[op];
    if (cell < old_cells && cells.cells[cell].group != kNone) drawing.add_slots(cell);
    for (uint32_t input : inputs)
      if (layout.op_box[input] == kNone) drawing.add_op(input);  // a leaf that waited for its first reader
    if (layout.op_box[op] == kNone) drawing.add_op(op);
    routes.first_mid.resize(cells.edges.size(), kNone), routes.track.resize(cells.edges.size(), kNone);
    edge_wire.resize(cells.edges.size(), kNone);
    for (uint32_t e = old_edges; e < cells.edges.size(); ++e) draw_edge(drawing, e);
    for (uint32_t e : cells.fresh_backward) {
      drawing.add_passes(e);
      mirror_edge(drawing, e);
    }
    cells.fresh_backward.clear();
    for (size_t s = old_strays; s < cells.strays.size(); ++s) drawing.add_stray(uint32_t(s));
    layout.cells = uint32_t(cells.cells.size()), layout.cell_edges = uint32_t(cells.edges.size());
  }

  // The cell that a new backward op without partner takes its gradient from, or kNone.
  uint32_t cell_below(uint32_t cell, size_t first_stray) const {
    for (size_t s = first_stray; s < cells.strays.size(); ++s)
      if (cells.strays[s].to == cell) return cells.strays[s].from;
    return kNone;
  }

  // Continues from what is drawn: the places in use are those of the cells and of the wires between them.
  void fill_shelves() {
    for (const Cell& cell : cells.cells)
      if (cell.dir == Op::Forward && !cell.leaf_only) next_row = cell.row + 1;
    for (const Cell& cell : cells.cells) shelves.take(cell);
    for (uint32_t e = 0; e < cells.edges.size(); ++e) shelves.take_wire(cells, e, routes);
  }
};

Incremental::Incremental(Options options) : state_(std::make_unique<State>(std::move(options))) {}
Incremental::~Incremental() = default;
Incremental::Incremental(Incremental&&) noexcept = default;
Incremental& Incremental::operator=(Incremental&&) noexcept = default;

void Incremental::reset(Graph graph, const Layout& layout) {
  auto next = std::make_unique<State>(state_->options);
  next->graph = std::move(graph);
  next->cells = Cells(next->options, make_groups(next->graph, next->options));
  const Layout* previous = layout.cancelled || layout.places.empty() ? nullptr : &layout;
  lay_out(next->graph, next->options, previous, {}, next->cells, next->routes, next->layout,
          &next->edge_wire);
  next->cells.fresh_backward.clear();
  next->fill_shelves();
  state_ = std::move(next);
}

uint32_t Incremental::add_scope(const Scope& scope, bool collapsed) {
  auto& scopes = state_->graph.scopes;
  auto& groups = state_->cells.groups;
  const uint32_t index = uint32_t(scopes.size());
  scopes.push_back(scope);
  groups.of_scope.resize(index + 1, kNone);
  const uint32_t outer = scope.parent < index ? groups.of_scope[scope.parent] : kNone;
  if (outer == kNone && collapsed) {
    groups.of_scope[index] = uint32_t(groups.list.size());
    groups.list.push_back({index, 0, mix(scope.key, 0x5c09e)});
  } else {
    groups.of_scope[index] = outer;
  }
  state_->options.collapsed.resize(index + 1, 0);
  state_->options.collapsed[index] = collapsed;
  return index;
}

uint32_t Incremental::append(const Op& op, std::span<const uint32_t> inputs) {
  Graph& graph = state_->graph;
  const uint32_t index = uint32_t(graph.ops.size());
  graph.ops.push_back(op);
  for (size_t slot = 0; slot < inputs.size(); ++slot)
    graph.edges.push_back({inputs[slot], index, uint8_t(std::min<size_t>(slot, 255))});
  state_->append(index, inputs);
  return index;
}

const Graph& Incremental::graph() const { return state_->graph; }
const Layout& Incremental::layout() const { return state_->layout; }

}  // namespace tapescope::layout
