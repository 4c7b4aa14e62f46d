// Scopes drawn as one box: collapsed ones, series of equal siblings, and which to open at first.
#include <algorithm>
#include <queue>

#include "viewer/model/layout_cells.h"

namespace tapescope::layout {
namespace {

// A run shorter than this is shown as it is: first, second, "x N" and last would not be fewer boxes.
constexpr size_t kSeriesLength = 5;

struct Tree {
  std::vector<uint64_t> shape;  ///< by scope: hash of what is in it, in tape order
  std::vector<uint32_t> direct,
      total;  ///< by scope: forward ops with their own row, inside it directly / at all
  std::vector<uint32_t> child_begin, child;  ///< children by parent; the root's stand last
};

uint32_t parent_of(const Graph& graph, uint32_t scope) {
  const uint32_t parent = graph.scopes[scope].parent;
  return parent < scope ? parent : kNone;
}

Tree build_tree(const Graph& graph) {
  const uint32_t n = uint32_t(graph.scopes.size());
  Tree tree;
  tree.shape.assign(n, 0), tree.direct.assign(n + 1, 0), tree.total.assign(n + 1, 0),
      tree.child_begin.assign(n + 3, 0);
  for (const Op& op : graph.ops) {
    if (op.dir != Op::Forward) continue;
    const uint32_t scope = op.scope < n ? op.scope : n;
    if (scope < n) tree.shape[scope] = detail::mix(tree.shape[scope], op.type);
    if (!op.leaf_variable) ++tree.direct[scope], ++tree.total[scope];
  }
  for (uint32_t s = n; s-- > 0;) {
    const uint32_t parent = parent_of(graph, s);
    const uint32_t slot = parent == kNone ? n : parent;
    tree.total[slot] += tree.total[s];
    if (parent != kNone) tree.shape[parent] = detail::mix(tree.shape[parent], tree.shape[s]);
    ++tree.child_begin[slot + 2];
  }
  for (uint32_t s = 2; s < n + 3; ++s) tree.child_begin[s] += tree.child_begin[s - 1];
  tree.child.resize(n);
  for (uint32_t s = 0; s < n; ++s) {
    const uint32_t parent = parent_of(graph, s);
    tree.child[tree.child_begin[(parent == kNone ? n : parent) + 1]++] = s;
  }
  return tree;
}

// Calls found(begin, end) for each run of equal neighbours among the children of `parent` that fulfil
// `eligible`.
template <class Eligible, class Found>
void for_each_run(const Graph& graph, const Tree& tree, uint32_t parent, Eligible eligible, Found found) {
  const uint32_t begin = tree.child_begin[parent], end = tree.child_begin[parent + 1];
  for (uint32_t i = begin; i < end;) {
    const uint32_t first = tree.child[i];
    uint32_t j = i + 1;
    if (graph.scopes[first].stem != 0 && eligible(first))
      while (j < end && graph.scopes[tree.child[j]].stem == graph.scopes[first].stem &&
             tree.shape[tree.child[j]] == tree.shape[first] && eligible(tree.child[j]))
        ++j;
    if (j - i >= kSeriesLength) found(i, j);
    i = j;
  }
}

}  // namespace

namespace detail {

Groups make_groups(const Graph& graph, const Options& options) {
  Groups groups;
  const uint32_t n = uint32_t(graph.scopes.size());
  const auto collapsed = [&](uint32_t s) {
    return s < options.collapsed.size() && options.collapsed[s] != 0;
  };
  if (std::none_of(options.collapsed.begin(), options.collapsed.end(), [](uint8_t c) { return c != 0; }))
    return groups;
  std::vector<uint32_t> series(n, kNone);
  if (options.fold_series) {
    const Tree tree = build_tree(graph);
    for (uint32_t parent = 0; parent <= n; ++parent)
      for_each_run(graph, tree, parent, collapsed, [&](uint32_t begin, uint32_t end) {
        const uint32_t first = tree.child[begin + 2];
        for (uint32_t i = begin + 2; i + 1 < end; ++i) series[tree.child[i]] = uint32_t(groups.list.size());
        groups.list.push_back({first, end - begin - 3, mix(graph.scopes[first].key, 0x5e51e5)});
      });
  }
  groups.of_scope.assign(n, kNone);
  for (uint32_t s = 0; s < n; ++s) {
    const uint32_t parent = parent_of(graph, s);
    if (parent != kNone && groups.of_scope[parent] != kNone) {
      groups.of_scope[s] = groups.of_scope[parent];
    } else if (series[s] != kNone) {
      groups.of_scope[s] = series[s];
    } else if (collapsed(s)) {
      groups.of_scope[s] = uint32_t(groups.list.size());
      groups.list.push_back({s, 0, mix(graph.scopes[s].key, 0x5c09e)});
    }
  }
  return groups;
}

}  // namespace detail

std::vector<uint8_t> default_collapsed(const Graph& graph, uint32_t max_boxes) {
  const uint32_t n = uint32_t(graph.scopes.size());
  std::vector<uint8_t> collapsed(n, 1);
  if (n == 0) return collapsed;
  const Tree tree = build_tree(graph);
  std::vector<uint8_t> in_series(n, 0);
  std::vector<uint32_t> shown(n + 1);
  for (uint32_t parent = 0; parent <= n; ++parent) {
    for (uint32_t i = tree.child_begin[parent]; i < tree.child_begin[parent + 1]; ++i)
      shown[parent] += tree.total[tree.child[i]] > 0;
    for_each_run(
        graph, tree, parent, [](uint32_t) { return true; },
        [&](uint32_t begin, uint32_t end) {
          if (tree.total[tree.child[begin]] > 0) shown[parent] -= end - begin - 4;
          for (uint32_t i = begin; i < end; ++i) in_series[tree.child[i]] = 1;
        });
  }
  using Entry = std::pair<double, uint32_t>;
  const auto lighter = [](const Entry& a, const Entry& b) {
    return a.first != b.first ? a.first < b.first : a.second > b.second;
  };
  std::priority_queue<Entry, std::vector<Entry>, decltype(lighter)> heap(lighter);
  const auto offer_children = [&](uint32_t parent) {
    for (uint32_t i = tree.child_begin[parent]; i < tree.child_begin[parent + 1]; ++i) {
      const uint32_t s = tree.child[i];
      // Opening one member of a series would unfold all of it; the user opens one when it is wanted.
      if (!in_series[s]) heap.push({graph.scopes[s].weight > 0 ? graph.scopes[s].weight : tree.total[s], s});
    }
  };
  uint64_t boxes = uint64_t(tree.direct[n]) + shown[n];
  offer_children(n);
  while (!heap.empty()) {
    const uint32_t s = heap.top().second;
    heap.pop();
    const uint64_t inside = uint64_t(tree.direct[s]) + shown[s], self = tree.total[s] > 0;
    if (inside > self && boxes + inside - self > max_boxes) continue;
    boxes = boxes + inside - self;
    collapsed[s] = 0;
    offer_children(s);
  }
  return collapsed;
}

}  // namespace tapescope::layout
