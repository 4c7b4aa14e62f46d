// Counting the copies of each line's ops.
#include "engine/graph/unrolled_loops.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include <fmt/format.h>

namespace tapescope {
namespace {

// Copies of an op from one line, and nodes of all rounds. Below so many the graph stays small enough to be
// traced and optimized in no time.
constexpr std::uint32_t kLarge = 48, kLargeInAll = 256;
// Fewer copies of another line are rounds of the same loop, whose lines of many copies hold an op several
// times.
constexpr std::uint32_t kSome = 32;

struct Copies {
  NodeIndex first = 0, last = 0;
  std::uint32_t count = 0;
};

std::vector<Copies> copies_in(const Graph& graph) {
  using Place = std::tuple<std::string_view, std::uint32_t, std::string_view>;
  std::map<Place, Copies> places;
  for (NodeIndex n = 0; n < graph.nodes().size(); ++n) {
    const GraphNode& node = graph.nodes()[n];
    if (node.flags & GraphNode::kBackward) continue;
    Copies& copies = places[{node.location.file_name(), node.location.line(), node.op->name}];
    if (copies.count++ == 0) copies.first = n;
    copies.last = n;
  }
  std::vector<Copies> found;
  for (const auto& [place, copies] : places) {
    if (copies.count >= kSome) found.push_back(copies);
  }
  std::sort(found.begin(), found.end(), [](const Copies& a, const Copies& b) { return a.first < b.first; });
  return found;
}

}  // namespace

std::vector<UnrolledLoop> unrolled_loops(const Graph& graph) {
  const std::vector<Copies> all = copies_in(graph);
  std::vector<Copies>
      ranges;  // of the loops: ops with many copies that stand among each other; `count` is the least
  for (const Copies& copies : all) {
    if (copies.count < kLarge) continue;
    if (ranges.empty() || copies.first > ranges.back().last) {
      ranges.push_back(copies);
      continue;
    }
    Copies& range = ranges.back();
    range.last = std::max(range.last, copies.last);
    range.count = std::min(range.count, copies.count);
  }
  std::vector<UnrolledLoop> loops;
  for (const Copies& range : ranges) {
    // The first and the last round begin and end at other lines' ops.
    const NodeIndex round = (range.last - range.first) / range.count + 1;
    std::optional<UnrolledLoop> loop;
    for (const Copies& copies : all) {
      if (copies.first + round < range.first || copies.last > range.last + round) continue;
      const GraphNode& node = graph.nodes()[copies.first];
      if (!loop) loop = UnrolledLoop{node.location, node.op->name, copies.count, 0};
      loop->rounds = std::min(loop->rounds, copies.count);
      loop->nodes += copies.count;
    }
    if (loop->nodes >= kLargeInAll) loops.push_back(*loop);
  }
  return loops;
}

std::string loop_text(const UnrolledLoop& loop, std::string_view function, std::size_t nodes) {
  return fmt::format(
      "{} of the {} nodes of function '{}' are {} rounds of one loop, from {} at {} on: a loop of the "
      "program is unrolled when it "
      "is traced; give the op a whole batch, or write it as while_loop, map_fn or scan, which trace their "
      "body once",
      loop.nodes, nodes, function, loop.rounds, loop.op, location_text(loop.location));
}

}  // namespace tapescope
