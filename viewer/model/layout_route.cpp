// Orthogonal wires: ports in the order of where they lead, and in each gap between two rows one level for
// each wire that bends there, ordered so that two wires cross only if the order of their ends makes them.
#include <algorithm>
#include <cmath>

#include "viewer/model/layout_draw.h"

namespace tapescope::layout::detail {
namespace {

constexpr float kPortPitch = 12, kPortRoom = kBoxWidth / 2 - 10;  // ports keep clear of a box's corners
constexpr float kGap = kRowPitch - kBoxHeight;                    // 23, holds three levels at the pitch
constexpr size_t kSharingWires = 80;              // more of them fill the highest gap in any case
constexpr float kLevelPitch = 6, kMostGap = 240;  // a gap of more wires than that gets denser, not higher

}  // namespace

// Where the wire goes from its first box, or comes from to its last one.
float Router::station(uint32_t edge, bool first) const {
  const Cell &from = cells_.cells[cells_.edges[edge].from], &to = cells_.cells[cells_.edges[edge].to];
  if (routes_.track[edge] != kNone) return track_out(routes_.track[edge], routes_.tracks);
  if (routes_.first_mid[edge] != kNone)
    return routes_.mids[routes_.first_mid[edge] + (first ? 0 : to.row - from.row - 2)];
  return first ? to.out : from.out;
}

void Router::spread_ports(std::vector<Port>& ports, float at, std::vector<float>& result) {
  if (ports.size() == 1) {
    result[ports[0].edge] = at;
    return;
  }
  std::stable_sort(ports.begin(), ports.end(), [](const Port& a, const Port& b) { return a.next < b.next; });
  size_t middle = 0;
  for (size_t i = 1; i < ports.size(); ++i)
    if (std::abs(ports[i].next - at) < std::abs(ports[middle].next - at)) middle = i;
  const float pitch = std::min(
      kPortPitch, kPortRoom / float(std::max<size_t>(1, std::max(middle, ports.size() - 1 - middle))));
  for (size_t i = 0; i < ports.size(); ++i) result[ports[i].edge] = at + (float(i) - float(middle)) * pitch;
}

Router::Router(const Cells& cells, const Routes& routes) : cells_(cells), routes_(routes) {
  const uint32_t edges = uint32_t(cells.edges.size());
  port_out_.assign(edges, 0), port_in_.assign(edges, 0);
  std::vector<Port> ports;
  for (const Cell& cell : cells.cells) {
    rows_ = std::max(rows_, cell.row + 1);
    ports.clear();
    for (uint32_t e = cell.first_out; e != kNone; e = cells.edges[e].next_out)
      if (is_wire(cells.edges[e])) ports.push_back({station(e, true), e});
    if (!ports.empty()) spread_ports(ports, cell.out, port_out_);
    ports.clear();
    for (uint32_t e = cell.first_in; e != kNone; e = cells.edges[e].next_in)
      if (is_wire(cells.edges[e])) ports.push_back({station(e, false), e});
    if (!ports.empty()) spread_ports(ports, cell.out, port_in_);
  }
  first_segment_.reserve(edges + 1), segments_.reserve(edges * 2);
  for (uint32_t e = 0; e < edges; ++e) {
    first_segment_.push_back(uint32_t(segments_.size()));
    const CellEdge& edge = cells.edges[e];
    if (!is_wire(edge)) continue;
    const uint32_t from = cells.cells[edge.from].row, to = cells.cells[edge.to].row;
    float at = port_out_[e];
    const auto go = [&](float next, uint32_t gap) { segments_.push_back({at, next, gap, 0}), at = next; };
    if (routes.track[e] != kNone) {
      go(track_out(routes.track[e], routes.tracks), from + 1);
    } else if (routes.first_mid[e] != kNone) {
      for (uint32_t row = from + 1; row < to; ++row)
        go(routes.mids[routes.first_mid[e] + row - from - 1], row);
    }
    go(port_in_[e], to);
  }
  first_segment_.push_back(uint32_t(segments_.size()));

  levels_.assign(rows_ + 1, 0);
  std::vector<uint32_t> begin(rows_ + 3, 0), bent(segments_.size());
  for (const Segment& s : segments_) begin[s.gap + 2] += s.from != s.to;
  for (uint32_t g = 2; g < begin.size(); ++g) begin[g] += begin[g - 1];
  for (uint32_t i = 0; i < segments_.size(); ++i)
    if (segments_[i].from != segments_[i].to) bent[begin[segments_[i].gap + 1]++] = i;
  std::vector<uint32_t> gap;
  for (uint32_t g = 0; g <= rows_; ++g) {
    gap.assign(bent.begin() + begin[g], bent.begin() + begin[g + 1]);
    if (!gap.empty()) level_gap(gap);
  }
}

// Of two wires that bend outwards side by side the one that starts further out has to bend first; inwards
// likewise from the other side. Wires that do not touch share a level.
void Router::level_gap(const std::vector<uint32_t>& bent) {
  // One number to sort by: direction, start to 1/64 px (the tracks lie inside of -256), index.
  const auto outwards = [&](uint32_t s) { return segments_[s].from < segments_[s].to; };
  sort_keys_.clear();
  for (uint32_t i = 0; i < bent.size(); ++i) {
    const uint32_t start = uint32_t(std::max(0.f, segments_[bent[i]].from + 256) * 64) & 0x7fffffffu;
    const bool out = outwards(bent[i]);
    sort_keys_.push_back(uint64_t(out ? 0 : 1) << 63 | uint64_t(out ? 0x7fffffffu - start : start) << 32 | i);
  }
  std::sort(sort_keys_.begin(), sort_keys_.end());
  const bool shares = bent.size() <= kSharingWires;
  uint32_t offset = 0;
  bool was_outwards = true;
  level_ends_.clear();
  for (uint64_t key : sort_keys_) {
    const uint32_t s = bent[uint32_t(key)];
    const bool out = outwards(s);
    if (out != was_outwards) offset += uint32_t(level_ends_.size()), level_ends_.clear(), was_outwards = out;
    const float tip = segments_[s].to, start = segments_[s].from;
    size_t level = level_ends_.size();
    while (shares && level > 0 && (out ? tip < level_ends_[level - 1] - 2 : tip > level_ends_[level - 1] + 2))
      --level;
    if (level == level_ends_.size()) level_ends_.push_back(start);
    else level_ends_[level] = start;
    segments_[s].level = float(offset + level + 1);
  }
  const uint32_t levels = offset + uint32_t(level_ends_.size());
  levels_[segments_[bent[0]].gap] = levels;
  for (uint32_t s : bent) segments_[s].level /= float(levels + 1);
}

std::vector<float> Router::row_tops(const std::vector<float>& fixed) const {
  std::vector<float> tops = fixed;
  for (uint32_t row = uint32_t(tops.size()); row < rows_; ++row) {
    const float gap = std::clamp(kLevelPitch * float(levels_[row] + 1), kGap, kMostGap);
    tops.push_back(row == 0 ? 0 : tops[row - 1] + kBoxHeight + gap);
  }
  return tops;
}

void Router::draw(Drawing& drawing) const {
  const std::vector<float>& tops = drawing.layout.row_y;
  const auto level_y = [&](const Segment& s) {
    const float bottom = s.gap < tops.size() ? tops[s.gap] : tops.back() + kRowPitch;
    const float top = s.gap == 0 ? bottom - kGap : tops[s.gap - 1] + kBoxHeight;
    return top + (bottom - top) * s.level;
  };
  std::vector<Point> path;
  for (uint32_t e = 0; e < cells_.edges.size(); ++e) {
    const CellEdge& edge = cells_.edges[e];
    if (!is_wire(edge)) continue;
    const Cell &from = cells_.cells[edge.from], &to = cells_.cells[edge.to];
    if (from.forward_box == kNone || to.forward_box == kNone) continue;
    path.clear();
    path.push_back({left_x(port_out_[e]), tops[from.row] + kBoxHeight});
    for (uint32_t s = first_segment_[e]; s < first_segment_[e + 1]; ++s) {
      const Segment& segment = segments_[s];
      if (segment.from == segment.to) continue;
      const float y = level_y(segment);
      path.push_back({left_x(segment.from), y});
      path.push_back({left_x(segment.to), y});
    }
    path.push_back({left_x(port_in_[e]), tops[to.row]});
    if (drawing.edge_wire) (*drawing.edge_wire)[e] = uint32_t(drawing.layout.wires.size());
    drawing.add_edge_wire(edge, routes_.track[e] != kNone, path);
  }
}

}  // namespace tapescope::layout::detail
