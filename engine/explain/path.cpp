// Depth first from the target; each op is settled after what it needs, so one pass finds the best way.
#include "engine/explain/path.h"

#include <algorithm>
#include <tuple>

#include "engine/core/names.h"
#include "engine/core/type.h"
#include "engine/explain/calls.h"

namespace tapescope {
namespace {

bool is_leaf(const History& history, TensorId tensor) { return history.producer_index(tensor) == kNoIndex; }

// An assignment that adds to the value keeps what was assigned before.
bool keeps_earlier_value(const History& history, const HistoryAssign& assign) {
  const HistoryOp* op = history.producer(assign.value);
  return op && name_text(op->silencer).starts_with("assign_");
}

constexpr std::uint32_t kEarlierReads = 256;

bool is_unwatched(Reason reason) {
  return reason == Reason::not_watched || reason == Reason::not_trainable ||
         reason == Reason::watch_disabled || reason == Reason::other_tape || reason == Reason::other_thread;
}

std::int64_t count_of(const History& history, TensorId tensor) {
  const std::uint32_t id = history.type_of(tensor);
  const Type* type = id == kNoType ? nullptr : type_with_id(id);
  return type ? type->shape.numel() : -1;
}

// Whether what was read up to that read is enough for the tensor's elements, read whole or one by one.
bool may_hold(const History& history, std::uint32_t read, TensorId tensor) {
  const std::int64_t wanted = count_of(history, tensor);
  if (wanted < 0) return true;
  std::int64_t got = 0;
  for (std::uint32_t looked = 0; read != kNoIndex && looked < kEarlierReads; ++looked) {
    const std::int64_t here = count_of(history, history.host_reads()[read].tensor);
    if (here < 0 || here == wanted) return true;
    if (++got >= wanted) return true;
    read = history.host_reads()[read].previous;
  }
  return false;
}

}  // namespace

PathSearch::PathSearch(const Asked& asked, bool weak) : asked_(asked), weak_(weak) {}
PathSearch::PathSearch(const Asked& asked, bool weak, Graph graph)
    : asked_(asked), weak_(weak), in_graph_(true), graph_(std::move(graph)) {}
PathSearch::~PathSearch() = default;

bool PathSearch::is_source(TensorId tensor) const {
  if (!in_graph_) return tensor == asked_.source;
  return std::find(graph_.sources.begin(), graph_.sources.end(), tensor) != graph_.sources.end();
}

PathSearch::Place PathSearch::place_of(std::uint32_t op, TensorId output, bool crossed) const {
  const HistoryOp& made = asked_.history.ops()[op];
  const bool several = made.outputs > 1 && asked_.history.is_call(made) && output >= made.output;
  return {.kind = PathStep::Kind::op,
          .crossed = crossed,
          .index = op,
          .output = several ? static_cast<std::uint32_t>(output - made.output) : 0};
}

const InsideCall* PathSearch::inside(const Place& place, std::uint32_t i) {
  if (place.kind != PathStep::Kind::op) return nullptr;
  const HistoryOp& op = asked_.history.ops()[place.index];
  if (i >= op.inputs || !asked_.history.is_call(op)) return nullptr;
  if (!graph_.insides) {
    insides_ = std::make_unique<InsideCalls>(asked_.history);
    graph_.insides = insides_.get();
  }
  return &graph_.insides->of(op, place.output, i, weak_, graph_.depth + 1);
}

std::uint32_t PathSearch::edge_count(const Place& place) const {
  if (place.kind != PathStep::Kind::op) return 2;
  const HistoryOp& op = asked_.history.ops()[place.index];
  const std::size_t constants = weak_ ? asked_.history.traced_constants(op).size() : 0;
  return strong_edges(op) + static_cast<std::uint32_t>(constants);
}

PathSearch::Edge PathSearch::through_tensor(TensorId tensor, bool crossed, bool values) const {
  Edge edge;
  edge.tensor = tensor;
  // What was taken from a variable without a read, by peek(), stands for it where the host is on the way.
  if (is_source(tensor) || (values && is_source(asked_.history.variable_of_value(tensor)))) {
    edge.to_source = true;
    return edge;
  }
  if (in_graph_ && std::find(graph_.ends.begin(), graph_.ends.end(), tensor) != graph_.ends.end())
    return edge;
  const std::uint32_t op = asked_.history.producer_index(tensor);
  if (op == kNoIndex) return edge;
  // What an optimizer assigned in an earlier pass depends on everything; that is no way anybody meant.
  if (crossed && asked_.history.ops()[op].flags & OpRecord::kBackward) return edge;
  edge.leads = true;
  edge.to = place_of(op, tensor, crossed);
  return edge;
}

// `thread` is the one whose op used the tensor.
bool PathSearch::host_values(std::uint32_t thread, TensorId tensor, Edge& edge) const {
  const History& history = asked_.history;
  const HistoryCreate* create = history.create(tensor);
  if (create) thread = create->thread;
  if (!create && history.variable(tensor)) return false;
  std::uint32_t index = history.host_read_before(thread, tensor);
  while (index != kNoIndex && history.host_reads()[index].in_trace)
    index = history.host_reads()[index].previous;
  if (index == kNoIndex) return false;
  const std::uint32_t step = history.step_at(thread, tensor);
  const auto in_step = [&](std::uint32_t read) {
    return read != kNoIndex && history.step_at(thread, history.host_reads()[read].stamp) == step;
  };
  if (!in_step(index)) return false;
  const std::uint16_t mark = history.mark_of(tensor);
  // The same values came back.
  std::uint32_t same = mark == 0 ? kNoIndex : index, looked = 0;
  const bool truth = is_single_truth(history, tensor);
  const auto is_same = [&](const HistoryRead& read) {
    return read.mark == mark && is_single_truth(history, read.tensor) == truth;  // True and 1 have one mark
  };
  while (in_step(same) && !is_same(history.host_reads()[same])) {
    same = ++looked == kEarlierReads ? kNoIndex : history.host_reads()[same].previous;
  }
  const bool certain = in_step(same);
  if (certain) index = same;
  const HistoryRead& read = history.host_reads()[index];
  if (!certain && !create) {
    // Only right after the read a number is likely the one that was read. The expression's other operands may
    // be variables, read in between.
    if (tensor - read.stamp > kNearby) return false;
    for (TensorId between = read.stamp; between < tensor; ++between) {
      const HistoryOp* op = history.producer(between);
      if (op && !(op->flags & OpRecord::kHandle)) return false;
    }
  }
  if (!certain && create && !may_hold(history, index, tensor)) return false;
  edge.leads = true;
  edge.to = {.kind = PathStep::Kind::host_read, .crossed = true, .guess = !certain, .index = index};
  edge.extra = certain ? 0 : 1;
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
  edge.to = {.kind = PathStep::Kind::assign, .crossed = true, .index = index};
  return true;
}

PathSearch::Edge PathSearch::edge(const Place& place, std::uint32_t i) const {
  const History& history = asked_.history;
  switch (place.kind) {
    case PathStep::Kind::op: {
      const HistoryOp& op = history.ops()[place.index];
      if (i >= strong_edges(op)) {
        const TracedConstant& constant = history.traced_constants(op)[i - strong_edges(op)];
        // A tensor that the call takes as it is, a capture, is a separate way.
        const auto inputs = history.inputs(op);
        if (!constant.number && std::find(inputs.begin(), inputs.end(), constant.tensor) != inputs.end())
          return {};
        Edge edge = through_tensor(constant.read, true, true);
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
      if (weak_ && !in_graph_ && !edge.to_source && is_leaf(history, edge.tensor))
        host_values(op.thread, edge.tensor, edge);
      return edge;
    }
    case PathStep::Kind::host_read: {
      const HistoryRead& read = history.host_reads()[place.index];
      if (i == 0 && place.guess && is_single_truth(history, read.tensor)) return {};
      if (i == 0) return through_tensor(read.tensor, true, !place.guess);
      Edge edge;
      if (read.previous == kNoIndex || !place.guess) return edge;
      const HistoryRead& earlier = history.host_reads()[read.previous];
      if (history.step_at(read.thread, earlier.stamp) != history.step_at(read.thread, read.stamp))
        return edge;
      edge.leads = true;
      edge.to = {.kind = PathStep::Kind::host_read, .crossed = true, .guess = true, .index = read.previous};
      return edge;
    }
    case PathStep::Kind::assign: {
      const HistoryAssign& assign = history.assigns()[place.index];
      if (i == 0) return through_tensor(assign.value, true);
      Edge edge;
      if (assign.previous == kNoIndex || !keeps_earlier_value(history, assign)) return edge;
      edge.leads = true;
      edge.to = {.kind = PathStep::Kind::assign, .crossed = true, .index = assign.previous};
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
  return in_graph_ ? break_of_op(asked_.history, op, i) : break_at_op(asked_, op, i, live);
}

std::uint32_t* PathSearch::slot(const Place& place) {
  switch (place.kind) {
    case PathStep::Kind::op: {
      if (place.output != 0) {
        return &of_later_result_.try_emplace({place.index, place.output, place.crossed}, kNoIndex)
                    .first->second;
      }
      auto& list = of_op_[place.crossed];
      if (list.empty()) list.assign(asked_.history.ops().size(), kNoIndex);
      return &list[place.index];
    }
    case PathStep::Kind::host_read:
      return &of_read_.try_emplace(2 * place.index + place.guess, kNoIndex).first->second;
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
    TensorId use = 0;
    if (!along.to_source) {
      if (!along.leads) continue;
      towards = *slot(along.to);
      if (towards == kNoIndex || nodes_[towards].cuts == kNoIndex) continue;
      cuts = nodes_[towards].cuts;
      reach = nodes_[towards].reach;
      last = nodes_[towards].last;
      use = nodes_[towards].use;
    }
    const InsideCall* call = inside(node.place, i);
    if (call && call->known && !call->leads) continue;
    PathStep step{.kind = node.place.kind,
                  .index = node.place.index,
                  .output = node.place.output,
                  .slot = i,
                  .input = along.tensor};
    step.cut = cut_at(node.place, i, along, cuts == 0, step.cut_op);
    if (along.to_source && unwatched_ && node.place.kind == PathStep::Kind::op)
      use = asked_.history.ops()[node.place.index].output;
    if (call && call->cut.reason != Reason::none) {
      step.cut = call->cut;
      step.inside = true;
    }
    // Neighbours that break for the same reason are one break: a stretch computed before the block, say.
    const bool breaks = step.cut.reason != Reason::none && step.cut.reason != last;
    if (!breaks && cuts != 0) step.cut = {}, step.inside = false;
    if (cuts == 0 && !breaks) ++reach;
    cuts += (breaks ? 1 : 0) + along.extra;
    if (breaks) last = step.cut.reason;
    // Of uses that the tape does not follow the first one: the source is to be watched before it. Where
    // nothing but the end of the block breaks, the op that the tape's part goes on to: without it nothing
    // else helps.
    const bool after = cuts == 1 && last == Reason::outside_tape_after && node.last == last;
    // A program that stops one way on purpose wants to know of the other one.
    const auto rank = [&](std::uint32_t breaks, Reason at, TensorId first, std::uint32_t edges) {
      return std::tuple(breaks, breaks == 1 && at == Reason::stop_gradient, first,
                        after ? kNoIndex - edges : edges);
    };
    if (node.cuts != kNoIndex &&
        rank(node.cuts, node.last, node.use, node.reach) <= rank(cuts, last, use, reach))
      continue;
    node.cuts = cuts;
    node.use = use;
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
  if (in_graph_) {
    place = {.kind = PathStep::Kind::op, .index = graph_.start, .output = graph_.output};
    if (!history.is_call(history.ops()[graph_.start])) place.output = 0;
    return true;
  }
  const std::uint32_t made = history.producer_index(asked_.target);
  if (made != kNoIndex) {
    place = place_of(made, asked_.target, false);
    return true;
  }
  Edge from_host;
  if (!weak_ || !history.create(asked_.target) || !host_values(0, asked_.target, from_host)) return false;
  place = from_host.to;
  return true;
}

std::vector<PathStep> PathSearch::run() {
  unwatched_ = !in_graph_ && is_unwatched(break_at_source(asked_).reason);
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

bool PathSearch::reaches(std::uint32_t op) const {
  if (!of_op_[0].empty() && of_op_[0][op] != kNoIndex) return true;
  return std::any_of(of_later_result_.begin(), of_later_result_.end(), [&](const auto& known) {
    return std::get<0>(known.first) == op && !std::get<2>(known.first);
  });
}

bool PathSearch::passes(TensorId tensor) const {
  if (tensor == asked_.target) return true;
  for (const std::uint32_t use : asked_.history.consumers(tensor)) {
    if (reaches(use)) return true;
  }
  const std::uint32_t made = asked_.history.producer_index(tensor);
  return made != kNoIndex && reaches(made) && asked_.history.ops()[made].output == asked_.target;
}

std::vector<std::uint32_t> PathSearch::visited() const {
  std::vector<std::uint32_t> ops;
  for (const std::uint32_t node : order_) {
    if (nodes_[node].place.kind == PathStep::Kind::op) ops.push_back(nodes_[node].place.index);
  }
  return ops;
}

}  // namespace tapescope
