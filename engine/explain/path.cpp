// Depth first from the target; each op is settled after what it needs, so one pass finds the best way.
#include "engine/explain/path.h"

#include <algorithm>

#include "engine/core/names.h"

namespace tapescope {
namespace {

bool is_leaf(const History& history, TensorId tensor) { return history.producer_index(tensor) == kNoIndex; }

// An assignment that adds to the value keeps what was assigned before.
bool keeps_earlier_value(const History& history, const HistoryAssign& assign) {
  const HistoryOp* op = history.producer(assign.value);
  return op && name_text(op->silencer).starts_with("assign_");
}

}  // namespace

std::uint32_t PathSearch::edge_count(const Place& place) const {
  if (place.kind != PathStep::Kind::op) return 2;
  const HistoryOp& op = asked_.history.ops()[place.index];
  const std::size_t constants = weak_ ? asked_.history.traced_constants(op).size() : 0;
  return strong_edges(op) + static_cast<std::uint32_t>(constants);
}

PathSearch::Edge PathSearch::through_tensor(TensorId tensor, bool crossed) const {
  Edge edge;
  edge.tensor = tensor;
  if (tensor == asked_.source) {
    edge.to_source = true;
    return edge;
  }
  const std::uint32_t op = asked_.history.producer_index(tensor);
  if (op == kNoIndex) return edge;
  // What an optimizer assigned in an earlier pass depends on everything; that is no way anybody meant.
  if (crossed && asked_.history.ops()[op].flags & OpRecord::kBackward) return edge;
  edge.leads = true;
  edge.to = {PathStep::Kind::op, crossed, op};
  return edge;
}

// `thread` is the one whose op used the tensor.
bool PathSearch::host_values(std::uint32_t thread, TensorId tensor, Edge& edge) const {
  const History& history = asked_.history;
  const HistoryCreate* create = history.create(tensor);
  if (create) thread = create->thread;
  if (!create && history.variable(tensor)) return false;
  const std::uint32_t index = history.host_read_before(thread, tensor);
  if (index == kNoIndex) return false;
  const HistoryRead& read = history.host_reads()[index];
  if (history.step_at(thread, read.stamp) != history.step_at(thread, tensor)) return false;
  if (!create) {
    // A number that no record tells of: only right after the read is it likely the one that was read. The
    // expression's other operands may be variables, read in between.
    if (tensor - read.stamp > kNearby) return false;
    for (TensorId between = read.stamp; between < tensor; ++between) {
      const HistoryOp* op = history.producer(between);
      if (op && !(op->flags & OpRecord::kHandle)) return false;
    }
  }
  edge.leads = true;
  edge.to = {PathStep::Kind::host_read, true, index};
  edge.extra = create && create->mark != 0 && create->mark == read.mark ? 0 : 1;
  return true;
}

bool PathSearch::assigned_value(const HistoryOp& op, Edge& edge) const {
  const History& history = asked_.history;
  const TensorId handle = history.inputs(op)[0];
  const HistoryVariable* variable = history.variable(handle);
  if (!variable) return false;
  const std::uint32_t index = history.assign_before(*variable, op.output);
  if (index == kNoIndex) return false;
  const HistoryAssign& assign = history.assigns()[index];
  if (history.step_at(assign.thread, assign.stamp) != history.step_at(op.thread, op.output)) return false;
  edge.leads = true;
  edge.to = {PathStep::Kind::assign, true, index};
  return true;
}

PathSearch::Edge PathSearch::edge(const Place& place, std::uint32_t i) const {
  const History& history = asked_.history;
  switch (place.kind) {
    case PathStep::Kind::op: {
      const HistoryOp& op = history.ops()[place.index];
      if (i >= strong_edges(op)) {
        const TracedConstant& constant = history.traced_constants(op)[i - strong_edges(op)];
        // A tensor that the call takes as it is, a capture, is a way of its own.
        const auto inputs = history.inputs(op);
        if (!constant.number && std::find(inputs.begin(), inputs.end(), constant.tensor) != inputs.end())
          return {};
        Edge edge = through_tensor(constant.read, true);
        edge.extra = constant.certain ? 0 : 1;
        return edge;
      }
      if (i == op.inputs) {
        Edge edge;
        edge.tensor = history.inputs(op)[0];
        assigned_value(op, edge);
        return edge;
      }
      Edge edge = through_tensor(history.inputs(op)[i], place.crossed);
      if (weak_ && !edge.to_source && is_leaf(history, edge.tensor))
        host_values(op.thread, edge.tensor, edge);
      return edge;
    }
    case PathStep::Kind::host_read: {
      const HistoryRead& read = history.host_reads()[place.index];
      if (i == 0) return through_tensor(read.tensor, true);
      Edge edge;
      if (read.previous == kNoIndex) return edge;
      const HistoryRead& earlier = history.host_reads()[read.previous];
      if (history.step_at(read.thread, earlier.stamp) != history.step_at(read.thread, read.stamp))
        return edge;
      edge.leads = true;
      edge.to = {PathStep::Kind::host_read, true, read.previous};
      return edge;
    }
    case PathStep::Kind::assign: {
      const HistoryAssign& assign = history.assigns()[place.index];
      if (i == 0) return through_tensor(assign.value, true);
      Edge edge;
      if (assign.previous == kNoIndex || !keeps_earlier_value(history, assign)) return edge;
      edge.leads = true;
      edge.to = {PathStep::Kind::assign, true, assign.previous};
      return edge;
    }
  }
  return {};
}

Break PathSearch::cut_at(const Place& place, std::uint32_t i, const Edge& edge, bool live,
                         std::uint32_t& cut_op) const {
  const History& history = asked_.history;
  cut_op = place.index;
  if (place.kind == PathStep::Kind::host_read) {
    if (i == 0) return {Reason::host_round_trip, history.host_reads()[place.index].site};
    return {};
  }
  if (place.kind == PathStep::Kind::assign) {
    if (i == 0) return {Reason::state_update, history.assigns()[place.index].site};
    return {};
  }
  const HistoryOp& op = history.ops()[place.index];
  if (i >= strong_edges(op)) {
    const TracedConstant& constant = history.traced_constants(op)[i - strong_edges(op)];
    return {.reason = Reason::traced_constant, .site = constant.read_site, .tensor = constant.tensor};
  }
  if (i == op.inputs) return {};
  // The whole numbers among several outputs, such as the positions top_k gives.
  if (edge.leads && edge.to.kind == PathStep::Kind::op) {
    const HistoryOp& made = history.ops()[edge.to.index];
    if (made.outputs > 1 && edge.tensor != made.output &&
        is_known_type_without_gradient(history.type_of(edge.tensor)) &&
        !is_known_type_without_gradient(made.type)) {
      cut_op = edge.to.index;
      return {Reason::not_differentiable};
    }
  }
  return break_at_op(asked_, op, i, live);
}

std::uint32_t* PathSearch::slot(const Place& place) {
  switch (place.kind) {
    case PathStep::Kind::op: {
      auto& list = of_op_[place.crossed];
      if (list.empty()) list.assign(asked_.history.ops().size(), kNoIndex);
      return &list[place.index];
    }
    case PathStep::Kind::host_read: return &of_read_.try_emplace(place.index, kNoIndex).first->second;
    case PathStep::Kind::assign: return &of_assign_.try_emplace(place.index, kNoIndex).first->second;
  }
  return nullptr;
}

std::uint32_t PathSearch::visit(const Place& place) {
  std::uint32_t* known = slot(place);
  if (*known != kNoIndex) return *known;
  *known = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({});
  nodes_.back().place = place;
  return *known;
}

void PathSearch::settle(std::uint32_t index) {
  Node& node = nodes_[index];
  const std::uint32_t count = edge_count(node.place);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Edge along = edge(node.place, i);
    std::uint32_t cuts = 0, reach = 0, towards = kFromSource;
    Reason last = Reason::none;
    if (!along.to_source) {
      if (!along.leads) continue;
      towards = *slot(along.to);
      if (towards == kNoIndex || nodes_[towards].cuts == kNoIndex) continue;
      cuts = nodes_[towards].cuts;
      reach = nodes_[towards].reach;
      last = nodes_[towards].last;
    }
    PathStep step{node.place.kind, node.place.index, along.tensor, {}, 0};
    step.cut = cut_at(node.place, i, along, cuts == 0, step.cut_op);
    // Neighbours that break for the same reason are one break: a stretch computed before the block, say.
    const bool breaks = step.cut.reason != Reason::none && step.cut.reason != last;
    if (!breaks && cuts != 0) step.cut = {};
    if (cuts == 0 && !breaks) ++reach;
    cuts += (breaks ? 1 : 0) + along.extra;
    if (breaks) last = step.cut.reason;
    if (node.cuts != kNoIndex && (node.cuts < cuts || (node.cuts == cuts && node.reach <= reach))) continue;
    node.cuts = cuts;
    node.reach = reach;
    node.last = last;
    node.towards = towards;
    node.step = step;
  }
  order_.push_back(index);
}

// The op that made the target; where the target came from the host, what was read for it.
bool PathSearch::find_start(Place& place) const {
  const History& history = asked_.history;
  const std::uint32_t made = history.producer_index(asked_.target);
  if (made != kNoIndex) {
    place = {PathStep::Kind::op, false, made};
    return true;
  }
  Edge from_host;
  if (!weak_ || !history.create(asked_.target) || !host_values(0, asked_.target, from_host)) return false;
  place = from_host.to;
  return true;
}

std::vector<PathStep> PathSearch::run() {
  Place start;
  if (!find_start(start)) return {};
  std::vector<std::uint32_t> stack{visit(start)};
  while (!stack.empty()) {
    const std::uint32_t top = stack.back();
    const Place place = nodes_[top].place;
    const std::uint32_t i = nodes_[top].next_edge;
    if (i == edge_count(place)) {
      stack.pop_back();
      settle(top);
      continue;
    }
    ++nodes_[top].next_edge;
    const Edge along = edge(place, i);
    if (!along.leads) continue;
    const std::size_t before = nodes_.size();
    const std::uint32_t to = visit(along.to);
    if (nodes_.size() != before) stack.push_back(to);
  }
  std::vector<PathStep> steps;
  if (nodes_[0].cuts == kNoIndex) return steps;
  for (std::uint32_t at = 0; at != kFromSource; at = nodes_[at].towards) steps.push_back(nodes_[at].step);
  return steps;
}

bool PathSearch::passes(TensorId tensor) const {
  if (tensor == asked_.target) return true;
  if (of_op_[0].empty()) return false;
  const std::uint32_t made = asked_.history.producer_index(tensor);
  for (const std::uint32_t use : asked_.history.consumers(tensor)) {
    if (of_op_[0][use] != kNoIndex) return true;
  }
  return made != kNoIndex && of_op_[0][made] != kNoIndex &&
         asked_.history.ops()[made].output == asked_.target;
}

std::vector<std::uint32_t> PathSearch::visited() const {
  std::vector<std::uint32_t> ops;
  for (const std::uint32_t node : order_) {
    if (nodes_[node].place.kind == PathStep::Kind::op) ops.push_back(nodes_[node].place.index);
  }
  return ops;
}

}  // namespace tapescope
