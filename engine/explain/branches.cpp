// What conds took, and which of their branches a target came through.
#include "engine/explain/branches.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/core/type.h"
#include "engine/explain/breaks.h"

namespace tapescope {
namespace {

bool is_inside(const HistoryBranch& branch, const HistoryOp& op) {
  return op.thread == branch.thread && op.output >= branch.begin && op.output < branch.end;
}

}  // namespace

const NodeBranch* History::branch_of_node(const HistoryOp& op) const {
  const auto known = branch_of_node_.find(op.output);
  return known == branch_of_node_.end() ? nullptr : &known->second;
}

bool History::branch_took(SiteId site, std::uint32_t branch, TensorId tensor) const {
  if (const auto known = branch_variables_.find({site, branch});
      known != branch_variables_.end() && known->second.contains(tensor))
    return true;
  const std::vector<std::uint32_t> uses = consumers(tensor);
  return std::any_of(branches_.begin(), branches_.end(), [&](const HistoryBranch& known) {
    return known.site == site && known.branch == branch &&
           std::any_of(uses.begin(), uses.end(),
                       [&](std::uint32_t use) { return is_inside(known, ops_[use]); });
  });
}

std::uint32_t History::branch_that_took(SiteId site, std::uint32_t but, TensorId tensor) const {
  for (const auto& [branch, variables] : branch_variables_) {
    if (branch.first == site && branch.second != but && variables.contains(tensor)) return branch.second;
  }
  const std::vector<std::uint32_t> uses = consumers(tensor);
  for (const HistoryBranch& known : branches_) {
    if (known.site != site || known.branch == but) continue;
    if (std::any_of(uses.begin(), uses.end(), [&](std::uint32_t use) { return is_inside(known, ops_[use]); }))
      return known.branch;
  }
  return kNoIndex;
}

// What is left of a branch is which variables it read: they live on, and may be asked for when the other
// branch ran.
void History::forget_branches_before(TensorId stamp) {
  const auto gone = std::stable_partition(branches_.begin(), branches_.end(),
                                          [&](const HistoryBranch& branch) { return branch.end > stamp; });
  if (gone == branches_.end()) return;
  std::vector<const HistoryOp*> reads;
  for (const HistoryOp& op : ops_) {
    if (op.flags & OpRecord::kHandle) reads.push_back(&op);
  }
  std::sort(reads.begin(), reads.end(),
            [](const HistoryOp* a, const HistoryOp* b) { return a->output < b->output; });
  for (auto branch = gone; branch != branches_.end(); ++branch) {
    const auto first = std::partition_point(
        reads.begin(), reads.end(), [&](const HistoryOp* read) { return read->output < branch->begin; });
    for (auto read = first; read != reads.end() && (*read)->output < branch->end; ++read) {
      if (is_inside(*branch, **read))
        branch_variables_[{branch->site, branch->branch}].insert(inputs(**read)[0]);
    }
  }
  branches_.erase(gone, branches_.end());
}

std::optional<UntakenBranch> untaken_branch(const Asked& asked, const PathSearch& search) {
  const History& history = asked.history;
  if (history.branches().empty()) return std::nullopt;
  const std::vector<std::uint32_t> visited = search.visited();
  for (auto ran = history.branches().rbegin(); ran != history.branches().rend(); ++ran) {
    if (ran->traced) continue;
    // A branch that hands on what it is given has no op that the target could come through.
    const bool on_the_way = ran->begin == ran->end
                                ? ran->end <= asked.target
                                : std::any_of(visited.begin(), visited.end(), [&](std::uint32_t op) {
                                    return is_inside(*ran, history.ops()[op]);
                                  });
    if (!on_the_way) continue;
    const std::uint32_t other = history.branch_that_took(ran->site, ran->branch, asked.source);
    if (other != kNoIndex) return UntakenBranch{ran->site, ran->branch, other};
  }
  return std::nullopt;
}

namespace {

// The line that asked had an answer for the source before.
bool was_answered(const Asked& asked) {
  const std::vector<Question>& questions = asked.history.questions();
  return std::any_of(questions.begin(), questions.end(), [&](const Question& question) {
    return std::any_of(question.sources.begin(), question.sources.end(), [&](const auto& source) {
      return source.id == asked.source && source.answered && source.result == ResultKind::value;
    });
  });
}

// Of the recording that was asked.
TensorId first_of_recording(const Asked& asked) {
  TensorId first = 0;
  if (!asked.tape) return first;
  for (const HistoryTape::OnThread& on : asked.tape->threads) {
    for (const TapeEvent& event : on.events) {
      if (event.kind == TapeEnterRecord::kKind && event.stamp <= asked.target)
        first = std::max(first, event.stamp);
    }
  }
  return first;
}

// TensorFlow's switch_case reads its index for the host once it has bounded it: where(i < 0 | i >= n, n - 1,
// i).
bool is_index_of_branches(const History& history, TensorId tensor) {
  const HistoryOp* bounded = history.producer(tensor);
  if (!bounded || bounded->inputs != 3 || !op_name_text(bounded->op).starts_with("Select")) return false;
  const std::uint32_t type = history.type_of(tensor);
  const Type* known = type == kNoType ? nullptr : type_with_id(type);
  if (!known || is_floating(known->dtype) || known->shape.rank() != 0) return false;
  const HistoryOp* either = history.producer(history.inputs(*bounded)[0]);
  return either && op_name_text(either->op) == "LogicalOr";
}

}  // namespace

Choice choice_on_the_way(const Asked& asked, const PathSearch& search) {
  const History& history = asked.history;
  const bool unused = !history.has_consumer(asked.source);
  const std::vector<std::uint32_t> visited = search.visited();
  for (auto ran = history.branches().rbegin(); unused && ran != history.branches().rend(); ++ran) {
    const bool inside = std::any_of(visited.begin(), visited.end(),
                                    [&](std::uint32_t op) { return is_inside(*ran, history.ops()[op]); });
    if (inside && !ran->traced) return {ran->site, true};
  }
  const bool used_before = !unused && was_answered(asked);
  if (!unused && !used_before) return {};
  const TensorId first = first_of_recording(asked);
  for (auto read = history.host_reads().rbegin(); read != history.host_reads().rend(); ++read) {
    if (read->stamp > asked.target || read->stamp < first) continue;
    // The line `if (loss < best) printf(...)` writes out and chooses.
    if (is_truth_value(history, read->tensor) || is_index_of_branches(history, read->tensor))
      return {read->site, false};
    if (read->printed || !used_before) continue;
    const std::uint32_t made = history.producer_index(read->tensor);
    if (std::find(visited.begin(), visited.end(), made) != visited.end()) return {read->site, false};
  }
  return {};
}

bool is_used_in_recording(const Asked& asked) {
  const History& history = asked.history;
  const TensorId first = first_of_recording(asked);
  return std::ranges::any_of(history.consumers(asked.source), [&](std::uint32_t use) {
    return history.ops()[use].output >= first && history.ops()[use].output <= asked.target;
  });
}

std::string branch_text(std::uint32_t branch) {
  if (branch == kNoIndex) return "another branch";
  return branch == 0   ? "the first branch"
         : branch == 1 ? "the second branch"
                       : fmt::format("branch {}", branch);
}

}  // namespace tapescope
