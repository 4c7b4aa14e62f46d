// Quality of a finished drawing, counted on its boxes and wires as drawn and on nothing else.
#include <algorithm>
#include <cmath>

#include "viewer/model/layout.h"

namespace tapescope::layout {
namespace {

constexpr float kTouch = 0.01f;  // pixels: closer counts as touching

struct Line {
  float at, low, high;  // y and x range of a horizontal one, x and y range of a vertical one
  uint32_t wire;
};

bool lies_on_edge(const Box& box, const Point& p) {
  const bool inside = p.x >= box.x - kTouch && p.x <= box.x + box.w + kTouch && p.y >= box.y - kTouch &&
                      p.y <= box.y + box.h + kTouch;
  const bool side = std::abs(p.x - box.x) <= kTouch || std::abs(p.x - box.x - box.w) <= kTouch;
  const bool level = std::abs(p.y - box.y) <= kTouch || std::abs(p.y - box.y - box.h) <= kTouch;
  return inside && (side || level);
}

uint64_t count_overlaps(const Layout& layout) {
  std::vector<uint32_t> by_y(layout.boxes.size()), open;
  for (uint32_t b = 0; b < by_y.size(); ++b) by_y[b] = b;
  const auto& boxes = layout.boxes;
  // Boxes of a row share their top or stand within its height: compared row by row in the order of x.
  std::sort(by_y.begin(), by_y.end(), [&](uint32_t a, uint32_t b) {
    return boxes[a].y != boxes[b].y ? boxes[a].y < boxes[b].y : boxes[a].x < boxes[b].x;
  });
  uint64_t overlaps = 0;
  for (size_t begin = 0; begin < by_y.size();) {
    // A band is a maximal set of boxes whose y ranges hang together.
    size_t end = begin;
    float bottom = boxes[by_y[begin]].y + boxes[by_y[begin]].h;
    for (; end < by_y.size() && boxes[by_y[end]].y < bottom - kTouch; ++end)
      bottom = std::max(bottom, boxes[by_y[end]].y + boxes[by_y[end]].h);
    std::sort(by_y.begin() + begin, by_y.begin() + end,
              [&](uint32_t a, uint32_t b) { return boxes[a].x < boxes[b].x; });
    open.clear();
    for (size_t i = begin; i < end; ++i) {
      const Box& box = boxes[by_y[i]];
      std::erase_if(open, [&](uint32_t o) { return boxes[o].x + boxes[o].w <= box.x + kTouch; });
      for (uint32_t o : open)
        overlaps += boxes[o].y < box.y + box.h - kTouch && box.y < boxes[o].y + boxes[o].h - kTouch;
      open.push_back(by_y[i]);
    }
    begin = end;
  }
  return overlaps;
}

uint64_t count_crossings(const Layout& layout) {
  std::vector<Line> across, down;
  for (uint32_t w = 0; w < layout.wires.size(); ++w) {
    if (layout.wires[w].kind != WireKind::Forward) continue;
    const auto points = layout.points_of(layout.wires[w]);
    for (size_t i = 1; i < points.size(); ++i) {
      const Point a = points[i - 1], b = points[i];
      if (a.y == b.y) across.push_back({a.y, std::min(a.x, b.x), std::max(a.x, b.x), w});
      else down.push_back({a.x, std::min(a.y, b.y), std::max(a.y, b.y), w});
    }
  }
  std::sort(across.begin(), across.end(), [](const Line& a, const Line& b) { return a.at < b.at; });
  uint64_t crossings = 0;
  for (const Line& v : down) {
    auto h = std::upper_bound(across.begin(), across.end(), v.low,
                              [](float y, const Line& l) { return y < l.at; });
    for (; h != across.end() && h->at < v.high; ++h) {
      if (h->low >= v.at || h->high <= v.at || h->wire == v.wire) continue;
      const Wire &a = layout.wires[v.wire], &b = layout.wires[h->wire];
      crossings += a.from_box != b.from_box && a.to_box != b.to_box && a.from_box != b.to_box &&
                   a.to_box != b.from_box;
    }
  }
  return crossings;
}

}  // namespace

Quality measure(const Layout& layout) {
  Quality quality;
  quality.overlaps = count_overlaps(layout);
  quality.crossings = count_crossings(layout);
  for (const Wire& wire : layout.wires) {
    const Box &from = layout.boxes[wire.from_box], &to = layout.boxes[wire.to_box];
    quality.upward_edges += wire.kind == WireKind::Forward && to.row <= from.row;
    const auto points = layout.points_of(wire);
    quality.loose_ends += !lies_on_edge(from, points.front());
    quality.loose_ends += !lies_on_edge(to, points.back());
  }
  return quality;
}

}  // namespace tapescope::layout
