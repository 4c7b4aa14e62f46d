// Follows a source through functions' graphs to conds whose branches did not take it.
#include <algorithm>
#include <unordered_set>
#include <vector>

#include "engine/events/records/functions.h"
#include "engine/explain/branches.h"

namespace tapescope {
namespace {

bool has_two_branches(const HistoryOp& op) { return op_name_text(op.op).ends_with("If"); }
bool is_cond(const HistoryOp& op) { return has_two_branches(op) || op_name_text(op.op).ends_with("Case"); }

bool takes_bit(const History& history, const HistoryOp& op, std::uint64_t takes, TensorId tensor) {
  const auto inputs = history.inputs(op);
  for (std::uint32_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == tensor && takes >> std::min(i, NodeBranchRecord::kLastInput) & 1) return true;
  }
  return false;
}

// More than anyone computes before a cond and uses in one of its branches alone.
constexpr std::size_t kMostTensors = 4096;

// Follows every way on from the tensors in `open`; `ends` adds what a tensor leads to, and is false where
// that ends nowhere.
template <class Ends>
bool all_ways_end(std::vector<TensorId>& open, Ends ends) {
  std::unordered_set<TensorId> seen;
  while (!open.empty()) {
    const TensorId tensor = open.back();
    open.pop_back();
    if (!seen.insert(tensor).second) continue;
    if (seen.size() > kMostTensors || !ends(tensor)) return false;
  }
  return true;
}

// Among the forward ops that ran.
class DeadEnds {
 public:
  DeadEnds(const History& history, TensorId source, TensorId since)
      : history_(history), source_(source), since_(since), run_as_(tensors_of_source()), open_(run_as_) {}

  std::optional<UntakenBranch> find() {
    return all_ways_end(open_, [&](TensorId tensor) { return ends(tensor); }) ? found_ : std::nullopt;
  }

 private:
  bool ran(const HistoryOp& op) const {
    return !(op.flags & (OpRecord::kTraced | OpRecord::kBackward)) && op.output >= since_;
  }

  // What a function does with its arguments and variables is seen in the ops of its graph.
  bool shows(const HistoryOp& op) const { return ran(op) && !history_.is_call(op); }

  // What the source was when the graph ran: itself, or, for a symbol, what each call gave for it or what its
  // node made.
  std::vector<TensorId> tensors_of_source() const {
    std::vector<TensorId> found, open{source_};
    std::unordered_set<TensorId> seen;
    while (!open.empty()) {
      const TensorId tensor = open.back();
      open.pop_back();
      if (!seen.insert(tensor).second) continue;
      const auto uses = history_.consumers(tensor);
      if (std::any_of(uses.begin(), uses.end(),
                      [&](std::uint32_t use) { return shows(history_.ops()[use]); })) {
        found.push_back(tensor);
      } else if (const TracedParameter* parameter = history_.parameter(tensor)) {
        for (const HistoryOp& call : history_.ops()) {
          const bool of_trace =
              history_.is_call(call) && call.trace == parameter->trace && parameter->place < call.inputs;
          if (of_trace && (ran(call) || call.flags & OpRecord::kTraced))
            open.push_back(history_.inputs(call)[parameter->place]);
        }
      } else if (const HistoryOp* node = history_.producer(tensor); node && node->flags & OpRecord::kTraced) {
        for (const HistoryOp& op : history_.ops()) {
          if (ran(op) && op.op == node->op && op.site == node->site)
            found.push_back(op.output + (tensor - node->output));
        }
      }
    }
    return found;
  }

  // Whether every use of the tensor leads on or is the end at a cond. What nothing uses may be a result.
  bool ends(TensorId tensor) {
    bool used = false;
    const auto uses = history_.consumers(tensor);
    for (const std::uint32_t use : uses) {
      const HistoryOp& op = history_.ops()[use];
      if (!shows(op)) continue;
      used = true;
      const NodeBranch* branch = history_.branch_of_node(op);
      if (!branch) {
        for (std::uint32_t k = 0; k < op.outputs; ++k) open_.push_back(op.output + k);
      } else if (branch->takes == 0) {
        return false;  // an older recording does not say
      } else if (!takes_bit(history_, op, branch->takes, tensor)) {
        const bool itself = std::find(run_as_.begin(), run_as_.end(), tensor) != run_as_.end();
        found_ =
            UntakenBranch{op.site, branch->branch, other_branch(op, *branch, tensor), itself ? 0 : tensor};
      } else {
        // Its ops have records; one that hands on what it is given has none.
        const bool inside = std::any_of(uses.begin(), uses.end(), [&](std::uint32_t other) {
          const HistoryOp& inner = history_.ops()[other];
          return inner.thread == op.thread && inner.output >= branch->begin && inner.output < op.output;
        });
        if (!inside) return false;
      }
    }
    return used;
  }

  std::uint32_t other_branch(const HistoryOp& op, const NodeBranch& branch, TensorId tensor) const {
    if (has_two_branches(op)) return 1 - branch.branch;
    const std::uint32_t known = history_.branch_that_took(op.site, branch.branch, tensor);
    return known == kNoIndex ? history_.branch_that_took(op.site, branch.branch, source_) : known;
  }

  const History& history_;
  TensorId source_, since_;
  std::vector<TensorId> run_as_, open_;
  std::optional<UntakenBranch> found_;
};

// Among the ops of the traces, where only gradients ran: their conds chose as the forward ones would have.
class TracedEnds {
 public:
  TracedEnds(const History& history, TensorId source, TensorId since) : history_(history), source_(source) {
    for (const HistoryOp& op : history.ops()) {
      const NodeBranch* branch =
          op.flags & OpRecord::kBackward && op.output >= since ? history.branch_of_node(op) : nullptr;
      if (branch && branch->takes != 0) ran_.push_back({op.site, *branch});
    }
  }

  std::optional<UntakenBranch> find() {
    open_ = {source_};
    return all_ways_end(open_, [&](TensorId tensor) { return ends(tensor); }) ? found_ : std::nullopt;
  }

 private:
  struct Ran {
    SiteId site;
    NodeBranch branch;
  };

  bool ends(TensorId tensor) {
    bool used = false;
    for (const std::uint32_t use : history_.consumers(tensor)) {
      const HistoryOp& op = history_.ops()[use];
      if (!(op.flags & OpRecord::kTraced) || op.flags & OpRecord::kBackward || is_left_out(op)) continue;
      if (history_.is_call(op)) {
        if (op.trace == 0) return false;
        // What its trace captured the ops of the trace take as it is.
        for (const TensorId symbol : history_.parameters_for(op, tensor))
          open_.push_back(symbol), used = true;
        continue;
      }
      used = true;
      if (!is_cond(op)) {
        for (std::uint32_t k = 0; k < op.outputs; ++k) open_.push_back(op.output + k);
      } else if (!ends_at(op, tensor)) {
        return false;
      }
    }
    return used;
  }

  // Inside of a branch that did not run.
  bool is_left_out(const HistoryOp& op) const {
    return std::any_of(history_.branches().begin(), history_.branches().end(),
                       [&](const HistoryBranch& branch) {
                         const bool inside = branch.traced && branch.thread == op.thread &&
                                             op.output >= branch.begin && op.output < branch.end;
                         return inside && std::none_of(ran_.begin(), ran_.end(), [&](const Ran& ran) {
                                  return ran.site == branch.site && ran.branch.branch == branch.branch;
                                });
                       });
  }

  bool ends_at(const HistoryOp& cond, TensorId tensor) {
    bool known = false;
    for (const Ran& ran : ran_) {
      if (ran.site != cond.site) continue;
      known = true;
      const std::uint32_t branch = ran.branch.branch;
      if (!takes_bit(history_, cond, ran.branch.takes, tensor)) {
        const std::uint32_t other =
            has_two_branches(cond) ? 1 - branch : history_.branch_that_took(cond.site, branch, tensor);
        found_ = UntakenBranch{cond.site, branch, other, tensor == source_ ? 0 : tensor};
      } else if (!history_.branch_took(cond.site, branch, tensor)) {
        return false;  // the branch hands it on, and no op shows what becomes of it
      }
    }
    return known;
  }

  const History& history_;
  TensorId source_;
  std::vector<Ran> ran_;
  std::vector<TensorId> open_;
  std::optional<UntakenBranch> found_;
};

}  // namespace

std::optional<UntakenBranch> untaken_in_graph(const History& history, TensorId source, TensorId since,
                                              bool traced) {
  const auto found = DeadEnds(history, source, since).find();
  return found || !traced ? found : TracedEnds(history, source, since).find();
}

}  // namespace tapescope
