// Alignment of two steps' ops: longest common subsequence of op tokens, with scopes and shapes first; in the
// gaps without the shapes, then without the scopes; at last products alone, whatever was fused into them.
#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <utility>

#include "viewer/model/compare.h"

namespace tapescope {
namespace {

constexpr std::size_t kMostCells = 9'000'000;  // of the quadratic table: 9 MB, some 20 ms
constexpr std::size_t kWindow = 200;  // how far the greedy match looks where the table would be larger

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t z = a * 0x9e3779b97f4a7c15u + b + 0x2545f4914f6cdd1du;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  return z ^ (z >> 31);
}
std::uint64_t hash_of(std::string_view text) { return std::hash<std::string_view>()(text); }

enum Level : std::size_t { scope_and_shape, scope, shape, product, level_count };

// By level, one for each op.
using Tokens = std::array<std::vector<std::uint64_t>, level_count>;

// A product of that result is the same whatever the optimizer put behind it.
bool is_product(const OpRow& row) { return row.op == "MatMul" || row.op == "_FusedMatMul"; }

// `side` keeps what is to match nothing apart: 0 or 1.
Tokens tokens_of(const StepView& view, std::uint64_t side) {
  Tokens tokens;
  for (const OpRow& row : view.ops) {
    const std::uint64_t none = mix(side, tokens[product].size());
    tokens[product].push_back(
        is_product(row) ? mix(static_cast<std::uint64_t>(row.direction), hash_of(row.output_type)) : none);
    std::uint64_t kind = mix(hash_of(row.op), static_cast<std::uint64_t>(row.direction));
    if (row.flags & OpRecord::kHandle) kind = mix(kind, hash_of(row.tensor_name));
    const std::uint64_t in_scope = mix(kind, hash_of(row.scope)),
                        shapes = mix(hash_of(row.types), hash_of(row.output_type));
    const std::uint64_t own[product] = {mix(in_scope, shapes), in_scope, mix(kind, shapes)};
    const bool follows = row.direction == Direction::backward && row.partner < tokens[shape].size();
    for (std::size_t level = 0; level < product; ++level) {
      tokens[level].push_back(follows ? mix(own[level], tokens[level][row.partner]) : own[level]);
    }
  }
  return tokens;
}

struct Range {
  std::uint32_t a, a_end, b, b_end;
};
using Pairs = std::vector<AlignedOp>;

void match_greedily(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b, Range r,
                    Pairs& pairs) {
  for (; r.a < r.a_end; ++r.a) {
    const std::uint32_t end = std::min<std::uint32_t>(r.b_end, r.b + kWindow);
    const auto found = std::find(b.begin() + r.b, b.begin() + end, a[r.a]);
    if (found == b.begin() + end) continue;
    pairs.push_back({r.a, static_cast<std::uint32_t>(found - b.begin())});
    r.b = pairs.back().b + 1;
  }
}

// Appends the pairs of equal tokens in that range, in order.
void match(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b, Range r, Pairs& pairs) {
  while (r.a < r.a_end && r.b < r.b_end && a[r.a] == b[r.b]) pairs.push_back({r.a++, r.b++});
  std::uint32_t tail = 0;
  while (r.a < r.a_end && r.b < r.b_end && a[r.a_end - 1] == b[r.b_end - 1]) {
    --r.a_end;
    --r.b_end;
    ++tail;
  }
  const std::size_t n = r.a_end - r.a, m = r.b_end - r.b;
  if (n > 0 && m > 0 && (n + 1) * (m + 1) > kMostCells) {
    match_greedily(a, b, r, pairs);
  } else if (n > 0 && m > 0) {
    // Moves back from the far corner: 0 both, 1 leave out a's, 2 leave out b's.
    std::vector<std::uint8_t> move((n + 1) * (m + 1), 0);
    std::vector<std::uint32_t> below(m + 1, 0), row(m + 1, 0);
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t k = m; k-- > 0;) {
        std::uint8_t& way = move[i * (m + 1) + k];
        if (a[r.a + i] == b[r.b + k]) row[k] = below[k + 1] + 1, way = 0;
        else if (below[k] >= row[k + 1]) row[k] = below[k], way = 1;
        else row[k] = row[k + 1], way = 2;
      }
      std::swap(row, below);
      row[m] = 0;
    }
    for (std::size_t i = 0, k = 0; i < n && k < m;) {
      const std::uint8_t way = move[i * (m + 1) + k];
      if (way == 0)
        pairs.push_back({static_cast<std::uint32_t>(r.a + i++), static_cast<std::uint32_t>(r.b + k++)});
      else if (way == 1) ++i;
      else ++k;
    }
  }
  for (std::uint32_t i = 0; i < tail; ++i) pairs.push_back({r.a_end + i, r.b_end + i});
}

// Of two ops of one direction, and of one type but for products.
bool differ(const OpRow& a, const OpRow& b) {
  return a.op != b.op || a.types != b.types || a.output_type != b.output_type || a.dtype != b.dtype ||
         a.recorded != b.recorded;
}

}  // namespace

Alignment align(const StepView& a, const StepView& b) {
  const Tokens in_a = tokens_of(a, 0), in_b = tokens_of(b, 1);
  const auto a_size = static_cast<std::uint32_t>(a.ops.size()),
             b_size = static_cast<std::uint32_t>(b.ops.size());
  Pairs pairs;
  for (std::size_t level = 0; level < level_count; ++level) {
    const Pairs sure = std::exchange(pairs, {});
    Range gap{0, 0, 0, 0};
    for (std::size_t i = 0; i <= sure.size(); ++i) {
      gap.a_end = i < sure.size() ? sure[i].a : a_size;
      gap.b_end = i < sure.size() ? sure[i].b : b_size;
      match(in_a[level], in_b[level], gap, pairs);
      if (i == sure.size()) break;
      pairs.push_back(sure[i]);
      gap.a = gap.a_end + 1;
      gap.b = gap.b_end + 1;
    }
  }
  Alignment merged;
  std::uint32_t next_a = 0, next_b = 0;
  const auto leave = [&](std::uint32_t to_a, std::uint32_t to_b) {
    merged.only_a += to_a - next_a;
    merged.only_b += to_b - next_b;
    while (next_a < to_a) merged.ops.push_back({next_a++, kNoOp});
    while (next_b < to_b) merged.ops.push_back({kNoOp, next_b++});
  };
  for (const AlignedOp& pair : pairs) {
    leave(pair.a, pair.b);
    const bool changed = differ(a.ops[next_a], b.ops[next_b]);
    ++(changed ? merged.changed : merged.both);
    merged.ops.push_back({next_a++, next_b++, changed});
  }
  leave(a_size, b_size);
  return merged;
}

}  // namespace tapescope
