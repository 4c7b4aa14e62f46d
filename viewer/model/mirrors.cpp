// Closeness: how the gradient came there first, then the operands, then the name.
#include "viewer/model/mirrors.h"

#include <algorithm>
#include <unordered_map>

namespace tapescope {
namespace {

// Ops of one line and scope that are looked at, the last first: a loop that was unrolled has one for each
// turn.
constexpr std::size_t kMostLooked = 64;
// A gradient that passes ops unchanged (an addition) skips so many at most.
constexpr int kMostPassed = 3;
constexpr std::size_t kMostOnTheWay = 24;

class Matcher {
 public:
  explicit Matcher(const StepView& step) : step_(step), mirror_(step.ops.size(), kNoOp) {}

  std::vector<std::uint32_t> match() {
    const auto count = static_cast<std::uint32_t>(step_.ops.size());
    for (std::uint32_t i = 0; i < count; ++i) {
      const OpRow& row = step_.ops[i];
      if (wants_mirror(row)) mirror_[i] = closest(i);
      else if (row.direction != Direction::backward && !row.recorded && !(row.flags & OpRecord::kHandle))
        of_site_[row.site].push_back(i);
    }
    return std::move(mirror_);
  }

 private:
  static bool wants_mirror(const OpRow& row) {
    return row.direction == Direction::backward && row.partner == kNoOp && row.backward_step == kNoOp;
  }

  std::uint32_t closest(std::uint32_t op) {
    const auto line = of_site_.find(step_.ops[op].site);
    if (line == of_site_.end()) return kNoOp;
    const std::vector<std::uint32_t>& candidates = line->second;
    find_way(op);
    std::uint32_t best = candidates.back();
    int most = 0;
    for (std::size_t k = candidates.size(); k-- > 0 && candidates.size() - k <= kMostLooked;) {
      const int found = closeness(op, candidates[k]);
      if (found > most) most = found, best = candidates[k];
    }
    return best;
  }

  // The ops that the gradients `op` reads have come to, and those before them that may have let them pass.
  void find_way(std::uint32_t op) {
    way_.clear();
    arrived_ = 0;
    for (const std::uint32_t from : step_.producers_of(step_.ops[op])) {
      if (from != kNoOp && mirror_[from] != kNoOp) way_.push_back(mirror_[from]);
    }
    arrived_ = way_.size();
    std::size_t begin = 0;
    for (int passed = 0; passed < kMostPassed; ++passed) {
      const std::size_t end = way_.size();
      for (std::size_t i = begin; i < end; ++i) {
        for (const std::uint32_t from : step_.producers_of(step_.ops[way_[i]])) {
          if (from != kNoOp && way_.size() < kMostOnTheWay) way_.push_back(from);
        }
      }
      begin = end;
    }
  }

  int closeness(std::uint32_t op, std::uint32_t forward) const {
    const OpRow &row = step_.ops[op], &candidate = step_.ops[forward];
    const auto at = std::find(way_.begin(), way_.end(), forward);
    // Where the gradient has come to already is where a rule of several ops goes on: less likely than the op
    // before it.
    int points = at == way_.end() ? 0 : at - way_.begin() < static_cast<std::ptrdiff_t>(arrived_) ? 3 : 4;
    bool reads = false, reads_others = false;
    const auto operands = step_.inputs_of(candidate);
    for (std::uint32_t k = 0; k < row.inputs; ++k) {
      const std::uint32_t from = step_.producers[row.first_input + k];
      if (from != kNoOp && step_.ops[from].direction == Direction::backward) continue;
      const TensorId tensor = step_.inputs[row.first_input + k];
      const bool result = tensor >= candidate.output && tensor < candidate.output + candidate.outputs;
      const bool of_it = result || std::find(operands.begin(), operands.end(), tensor) != operands.end();
      (of_it ? reads : reads_others) = true;
    }
    if (reads && !reads_others) points += 2;
    if (row.op.starts_with(candidate.op)) points += 1;  // MatMul, ReluGrad
    return points;
  }

  const StepView& step_;
  std::vector<std::uint32_t> mirror_;
  std::unordered_map<SiteId, std::vector<std::uint32_t>> of_site_;
  std::vector<std::uint32_t> way_;
  std::size_t arrived_ = 0;
};

}  // namespace

std::vector<std::uint32_t> function_mirrors(const StepView& step) { return Matcher(step).match(); }

}  // namespace tapescope
