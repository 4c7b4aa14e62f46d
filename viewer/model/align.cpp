// Alignment of two steps' ops: longest common subsequences inside scopes.
#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "viewer/model/compare.h"

namespace tapescope {
namespace {

using Places = std::vector<std::uint32_t>;
using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

// Ops that compare equal have equal keys; made for both lists together.
class Keys {
 public:
  std::uint32_t op(const OpRow& row) { return key({row.op, {}, {}, {}, 0}); }
  std::uint32_t whole(const OpRow& row) {
    return key({row.op, row.types, row.output_type, row.dtype, row.recorded ? 2 : 1});
  }

 private:
  using Text = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view, int>;
  std::uint32_t key(const Text& text) {
    return keys_.try_emplace(text, static_cast<std::uint32_t>(keys_.size())).first->second;
  }
  std::map<Text, std::uint32_t> keys_;
};

// Longest common subsequence of a[a0..a1) and b[b0..b1), as pairs of places in order.
void common(const Places& a, std::size_t a0, std::size_t a1, const Places& b, std::size_t b0, std::size_t b1, Pairs& out) {
  while (a0 < a1 && b0 < b1 && a[a0] == b[b0]) out.push_back({a0++, b0++});
  Pairs tail;
  while (a0 < a1 && b0 < b1 && a[a1 - 1] == b[b1 - 1]) tail.push_back({--a1, --b1});
  const std::size_t n = a1 - a0, m = b1 - b0;
  // A table of 16 million cells takes 16 MB and some 30 ms; larger gaps are matched greedily.
  constexpr std::size_t kCells = 16u << 20;
  if (n > 0 && m > 0 && n * m <= kCells) {
    std::vector<std::uint8_t> way(n * m);  // 1: pair, 2: skip a, 3: skip b
    std::vector<std::uint32_t> below(m + 1, 0), row(m + 1, 0);
    for (std::size_t i = n; i-- > 0;) {
      row[m] = 0;
      for (std::size_t j = m; j-- > 0;) {
        if (a[a0 + i] == b[b0 + j]) {
          row[j] = below[j + 1] + 1;
          way[i * m + j] = 1;
        } else {
          way[i * m + j] = below[j] >= row[j + 1] ? 2 : 3;
          row[j] = std::max(below[j], row[j + 1]);
        }
      }
      row.swap(below);
    }
    for (std::size_t i = 0, j = 0; i < n && j < m;) {
      switch (way[i * m + j]) {
        case 1: out.push_back({a0 + i++, b0 + j++}); break;
        case 2: ++i; break;
        default: ++j;
      }
    }
  } else if (n > 0 && m > 0) {
    std::unordered_map<std::uint32_t, std::vector<std::size_t>> places;
    for (std::size_t j = b1; j-- > b0;) places[b[j]].push_back(j);
    std::size_t next = b0;
    for (std::size_t i = a0; i < a1; ++i) {
      const auto found = places.find(a[i]);
      if (found == places.end()) continue;
      while (!found->second.empty() && found->second.back() < next) found->second.pop_back();
      if (found->second.empty()) continue;
      out.push_back({i, found->second.back()});
      next = found->second.back() + 1;
    }
  }
  out.insert(out.end(), tail.rbegin(), tail.rend());
}

// One scope's ops in one direction.
struct Group {
  Places a, b;
};

int side(const OpRow& row) { return row.direction == Direction::backward ? 1 : 0; }

void align_group(const StepView& a, const StepView& b, const Group& group, Keys& keys,
                 std::vector<std::uint32_t>& partner_of_a, std::vector<std::uint8_t>& changed_of_a) {
  Places whole_a, whole_b, op_a, op_b;
  for (std::uint32_t i : group.a) {
    whole_a.push_back(keys.whole(a.ops[i]));
    op_a.push_back(keys.op(a.ops[i]));
  }
  for (std::uint32_t i : group.b) {
    whole_b.push_back(keys.whole(b.ops[i]));
    op_b.push_back(keys.op(b.ops[i]));
  }
  Pairs equal;
  common(whole_a, 0, whole_a.size(), whole_b, 0, whole_b.size(), equal);
  equal.push_back({whole_a.size(), whole_b.size()});
  std::size_t i = 0, j = 0;
  for (const auto& [at_a, at_b] : equal) {
    Pairs similar;
    common(op_a, i, at_a, op_b, j, at_b, similar);
    for (const auto& [x, y] : similar) {
      partner_of_a[group.a[x]] = group.b[y];
      changed_of_a[group.a[x]] = 1;
    }
    if (at_a < group.a.size()) partner_of_a[group.a[at_a]] = group.b[at_b];
    i = at_a + 1;
    j = at_b + 1;
  }
}

}  // namespace

Alignment align(const StepView& a, const StepView& b) {
  std::map<std::pair<std::string_view, int>, Group> groups;
  for (std::uint32_t i = 0; i < a.ops.size(); ++i) groups[{a.ops[i].scope, side(a.ops[i])}].a.push_back(i);
  for (std::uint32_t i = 0; i < b.ops.size(); ++i) groups[{b.ops[i].scope, side(b.ops[i])}].b.push_back(i);
  std::vector<std::uint32_t> partner(a.ops.size(), kNoOp);
  std::vector<std::uint8_t> changed(a.ops.size(), 0);
  Keys keys;
  for (const auto& [where, group] : groups) align_group(a, b, group, keys, partner, changed);

  std::vector<bool> taken(b.ops.size(), false);
  for (std::uint32_t p : partner) {
    if (p != kNoOp) taken[p] = true;
  }
  // A's order, with what only B has before the op of B that follows it.
  Alignment result;
  std::uint32_t next = 0;
  const auto rest_of_b = [&](std::uint32_t end) {
    for (; next < end; ++next) {
      if (taken[next]) continue;
      result.ops.push_back({kNoOp, next, false});
      ++result.only_b;
    }
  };
  for (std::uint32_t i = 0; i < a.ops.size(); ++i) {
    if (partner[i] == kNoOp) {
      result.ops.push_back({i, kNoOp, false});
      ++result.only_a;
      continue;
    }
    rest_of_b(partner[i]);
    result.ops.push_back({i, partner[i], changed[i] != 0});
    ++(changed[i] ? result.changed : result.both);
  }
  rest_of_b(static_cast<std::uint32_t>(b.ops.size()));
  return result;
}

}  // namespace tapescope
