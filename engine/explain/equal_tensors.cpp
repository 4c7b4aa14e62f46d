// Compares how tensors came about, operand by operand.
#include "engine/explain/equal_tensors.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace tapescope {
namespace {

// Compares how two tensors came about, operand by operand. Attributes have no record: ops of one kind and
// result that take equal operands count as equal.
class Comparison {
 public:
  explicit Comparison(const History& history) : history_(history) {}

  bool equal(TensorId one, TensorId other) {
    std::vector<std::pair<TensorId, TensorId>> open{{one, other}};
    std::set<std::pair<TensorId, TensorId>> seen;
    while (!open.empty()) {
      const auto pair = open.back();
      open.pop_back();
      if (pair.first == pair.second || !seen.insert(pair).second) continue;
      if (seen.size() > kMostPairs) return false;
      const HistoryOp *a = history_.producer(pair.first), *b = history_.producer(pair.second);
      if (!a && !b) {
        if (!same_values(pair.first, pair.second)) return false;
        continue;
      }
      if (!a || !b || !alike(*a, *b) || pair.first - a->output != pair.second - b->output) return false;
      const auto of_a = history_.inputs(*a), of_b = history_.inputs(*b);
      for (std::size_t i = 0; i < of_a.size(); ++i) open.emplace_back(of_a[i], of_b[i]);
    }
    return true;
  }

 private:
  static constexpr std::size_t kMostPairs = 4096;

  static bool alike(const HistoryOp& a, const HistoryOp& b) {
    constexpr std::uint8_t kElsewhere = OpRecord::kBackward | OpRecord::kTraced;
    return a.op == b.op && a.type == b.type && a.inputs == b.inputs && a.inputs > 0 &&
           a.outputs == b.outputs && a.trace == b.trace && ((a.flags | b.flags) & kElsewhere) == 0;
  }
  // Numbers and lists that the program wrote.
  bool same_values(TensorId one, TensorId other) const {
    const std::uint16_t mark = history_.mark_of(one);
    return mark != 0 && mark == history_.mark_of(other);
  }

  const History& history_;
};

}  // namespace

TensorId equal_to(const Asked& asked, const PathSearch& search) {
  const History& history = asked.history;
  const HistoryOp* made = history.producer(asked.source);
  if (!made || made->inputs == 0) return 0;
  Comparison comparison(history);
  for (const std::uint32_t index : search.visited()) {
    const HistoryOp& op = history.ops()[index];
    const TensorId other = op.output + (asked.source - made->output);
    if (op.op == made->op && other != asked.source && comparison.equal(other, asked.source)) return other;
  }
  return 0;
}

}  // namespace tapescope
