// Distances from the axis: vertical alignment after Brandes and Koepf (upper neighbours, long wires first),
// then compaction of the aligned blocks by longest path over the block graph, which is free of the paper's
// known flaws. Where that would make steps across a wide graph, each row is fitted to its neighbours instead.
#include <algorithm>
#include <cmath>

#include "viewer/model/layout_place.h"

namespace tapescope::layout::detail {
namespace {

// Aligned blocks may make the drawing this much wider than its widest row; on tapes they make it no wider at
// all.
constexpr float kMostStretch = 1.5f;
// Rows of more than about 40 boxes are not seen as a whole: straight lines gain nothing there, and trying
// costs time.
constexpr float kWideRow = 8000;
// The second pass of the fit is left out where it would cost a tenth of the budget of 100 ms.
constexpr size_t kOnePassNodes = 50'000;
// How much more a wire that passes a row pulls than a box does: its bends are the ones that look like
// nothing.
constexpr double kWireWeight = 4;

struct Columns {
  const Layers& layers;
  const Cells& cells;
  std::vector<uint32_t> above{}, below{};  // by node: the aligned neighbour, or kNone
  std::vector<uint32_t> block{}, head{};   // by node: its block; by block: its topmost node

  bool is_wire_node(uint32_t node) const { return node >= layers.cells; }

  void align() {
    above.assign(layers.row_of.size(), kNone), below = above;
    std::vector<uint32_t> low, high;
    for (uint32_t row = 1; row < layers.rows(); ++row) {
      const uint32_t begin = layers.begin[row], size = layers.begin[row + 1] - begin;
      low.assign(size, 0), high.assign(size, kNone);
      align_wires(begin, size, low, high);
      uint32_t next = 0;  // upper positions below this are passed
      for (uint32_t i = 0; i < size; ++i) {
        const uint32_t node = layers.order[begin + i];
        if (above[node] != kNone) {
          next = layers.position[above[node]] + 1;
          continue;
        }
        const uint32_t degree = layers.up_begin[node + 1] - layers.up_begin[node];
        if (degree == 0) continue;
        neighbours.assign(layers.up.begin() + layers.up_begin[node],
                          layers.up.begin() + layers.up_begin[node + 1]);
        if (degree > 1)
          std::sort(neighbours.begin(), neighbours.end(),
                    [&](uint32_t a, uint32_t b) { return layers.position[a] < layers.position[b]; });
        for (uint32_t m : {(degree - 1) / 2, degree / 2}) {
          const uint32_t upper = neighbours[m], p = layers.position[upper];
          if (p < next || p < low[i] || p >= high[i] || below[upper] != kNone) continue;
          above[node] = upper, below[upper] = node, next = p + 1;
          break;
        }
      }
    }
  }

  // Wires that pass two rows stay straight; the others may not align across them: positions low[i] .. high[i]
  // are theirs.
  void align_wires(uint32_t begin, uint32_t size, std::vector<uint32_t>& low, std::vector<uint32_t>& high) {
    uint32_t next = 0;
    for (uint32_t i = 0; i < size; ++i) {
      const uint32_t node = layers.order[begin + i];
      low[i] = next;
      if (!is_wire_node(node)) continue;
      const uint32_t upper = layers.up[layers.up_begin[node]];
      if (!is_wire_node(upper) || layers.position[upper] < next) continue;
      above[node] = upper, below[upper] = node, next = layers.position[upper] + 1;
    }
    uint32_t limit = kNone;
    for (uint32_t i = size; i-- > 0;) {
      high[i] = limit;
      if (const uint32_t node = layers.order[begin + i]; above[node] != kNone)
        limit = layers.position[above[node]];
    }
  }

  float inner(uint32_t node) const { return is_wire_node(node) ? kWireExtent : kCellExtent; }
  float outer(uint32_t node) const {
    return is_wire_node(node) ? kWireExtent : outer_extent(cells.cells[node]);
  }
  uint32_t outer_neighbour(uint32_t node) const {
    const uint32_t row = layers.row_of[node], at = layers.begin[row] + layers.position[node] + 1;
    return at < layers.begin[row + 1] ? layers.order[at] : kNone;
  }

  std::vector<float> compact() {
    const uint32_t nodes = uint32_t(layers.row_of.size());
    block.assign(nodes, kNone);
    for (uint32_t row = 0; row < layers.rows(); ++row)
      for (uint32_t i = layers.begin[row]; i < layers.begin[row + 1]; ++i) {
        const uint32_t node = layers.order[i];
        if (above[node] != kNone) block[node] = block[above[node]];
        else block[node] = uint32_t(head.size()), head.push_back(node);
      }
    std::vector<uint32_t> waiting(head.size(), 0), queue;
    for (uint32_t node = 0; node < nodes; ++node)
      if (layers.position[node] > 0) ++waiting[block[node]];
    queue.reserve(head.size());
    for (uint32_t b = 0; b < head.size(); ++b)
      if (waiting[b] == 0) queue.push_back(b);
    std::vector<float> at(head.size(), 0);
    for (size_t q = 0; q < queue.size(); ++q)
      for (uint32_t node = head[queue[q]]; node != kNone; node = below[node])
        if (const uint32_t next = outer_neighbour(node); next != kNone) {
          at[block[next]] = std::max(at[block[next]], at[queue[q]] + outer(node) + inner(next));
          if (--waiting[block[next]] == 0) queue.push_back(block[next]);
        }
    pull(queue, at);
    std::vector<float> result(nodes);
    for (uint32_t node = 0; node < nodes; ++node) result[node] = at[block[node]];
    return result;
  }

  // Outermost blocks first: each moves outwards, as far as it is free, towards the median of what it is wired
  // to.
  void pull(const std::vector<uint32_t>& queue, std::vector<float>& at) {
    for (size_t q = queue.size(); q-- > 0;) {
      const uint32_t b = queue[q];
      float room = 1e30f;
      wanted.clear();
      for (uint32_t node = head[b]; node != kNone; node = below[node]) {
        if (const uint32_t next = outer_neighbour(node); next != kNone)
          room = std::min(room, at[block[next]] - outer(node) - inner(next));
        for (uint32_t k = layers.up_begin[node]; k < layers.up_begin[node + 1]; ++k)
          if (block[layers.up[k]] != b) wanted.push_back(at[block[layers.up[k]]]);
        for (uint32_t k = layers.down_begin[node]; k < layers.down_begin[node + 1]; ++k)
          if (block[layers.down[k]] != b) wanted.push_back(at[block[layers.down[k]]]);
      }
      if (wanted.empty()) continue;
      const auto middle = wanted.begin() + (wanted.size() - 1) / 2;
      std::nth_element(wanted.begin(), middle, wanted.end());
      if (*middle > at[b] && room > at[b]) at[b] = std::min(*middle, room);
    }
  }

  float widest_row() const {
    float widest = 0;
    for (uint32_t row = 0; row < layers.rows(); ++row) {
      float width = 0;
      for (uint32_t i = layers.begin[row]; i < layers.begin[row + 1]; ++i)
        width += inner(layers.order[i]) + outer(layers.order[i]);
      widest = std::max(widest, width);
    }
    return widest;
  }

  // Least squares under the order of the row: nodes that would collide form a pool that stands at its mean.
  void fit_row(uint32_t row, bool from_above, float widest, std::vector<float>& at) {
    const uint32_t begin = layers.begin[row], end = layers.begin[row + 1];
    pools.clear(), offsets.clear();
    float offset = 0;
    for (uint32_t i = begin; i < end; ++i) {
      const uint32_t node = layers.order[i];
      if (i > begin) offset += outer(layers.order[i - 1]) + inner(node);
      offsets.push_back(offset);
      const auto& list = from_above ? layers.up : layers.down;
      const uint32_t first = (from_above ? layers.up_begin : layers.down_begin)[node];
      const uint32_t last = (from_above ? layers.up_begin : layers.down_begin)[node + 1];
      double want = at[node];
      if (last > first) {
        want = 0;
        for (uint32_t k = first; k < last; ++k) want += at[list[k]];
        want /= last - first;
      }
      const double weight = is_wire_node(node) ? kWireWeight : 1;
      pools.push_back({(want - offset) * weight, weight, i + 1});
      while (pools.size() > 1 && pools[pools.size() - 2].sum * pools.back().weight >=
                                     pools.back().sum * pools[pools.size() - 2].weight) {
        pools[pools.size() - 2].sum += pools.back().sum;
        pools[pools.size() - 2].weight += pools.back().weight;
        pools[pools.size() - 2].end = pools.back().end;
        pools.pop_back();
      }
    }
    const double room = std::max(0.f, widest - offset);
    uint32_t i = begin;
    for (const Pool& pool : pools) {
      // Half pixels: sums of them are exact, so that places compare equal later.
      const float base = float(std::floor(2 * std::clamp(pool.sum / pool.weight, 0.0, room)) / 2);
      for (; i < pool.end; ++i) at[layers.order[i]] = base + offsets[i - begin];
    }
  }

  std::vector<float> fit(float widest) {
    std::vector<float> at(layers.row_of.size(), 0);
    for (uint32_t row = 0; row < layers.rows(); ++row) fit_row(row, true, widest, at);
    if (at.size() > kOnePassNodes) return at;
    for (uint32_t row = layers.rows() - 1; row-- > 0;) fit_row(row, false, widest, at);
    return at;
  }

  struct Pool {
    double sum, weight;
    uint32_t end;
  };
  std::vector<Pool> pools{};
  std::vector<float> offsets{};
  std::vector<uint32_t> neighbours{};
  std::vector<float> wanted{};
};

}  // namespace

std::vector<float> place_columns(const Layers& layers, const Cells& cells) {
  Columns columns{layers, cells};
  if (layers.row_of.empty()) return {};
  const float widest = columns.widest_row();
  if (widest > kWideRow) return columns.fit(widest);
  columns.align();
  std::vector<float> at = columns.compact();
  if (*std::max_element(at.begin(), at.end()) > kMostStretch * widest) return columns.fit(widest);
  return at;
}

}  // namespace tapescope::layout::detail
