// The cell rules: a leaf stands beside its first reader, a backward op beside the op it differentiates, an
// update beside its variable; whatever else reads a leaf or a hub sees it through a portal.
#include "viewer/model/layout_cells.h"

#include <algorithm>

namespace tapescope::layout::detail {

// A gradient passes few ops unchanged in a row; a longer way is drawn as a separate wire.
constexpr size_t kPassSearch = 48;

void Cells::reserve(size_t ops, size_t edge_count) {
  cell_of.reserve(ops), slot_of.reserve(ops), role.reserve(ops);
  cells.reserve(ops / 2), stamp_.reserve(ops / 2);
  edges.reserve(std::min(edge_count, ops * 2));
}

void Cells::add(const Graph& graph, uint32_t index, std::span<const uint32_t> inputs) {
  cell_of.push_back(kNone), slot_of.push_back(kNone), role.push_back(Role::Waiting);
  switch (graph.ops[index].dir) {
    case Op::Forward: return add_forward(graph, index, inputs);
    case Op::Backward: return add_backward(graph, index, inputs);
    case Op::Update: return add_update(graph, index, inputs);
  }
}

void Cells::join(uint32_t index, uint32_t into, Role as, uint32_t in_slot) {
  cell_of[index] = into, role[index] = as, slot_of[index] = in_slot;
}

uint32_t Cells::new_cell(uint64_t key, uint32_t head, uint32_t group, Op::Dir dir) {
  Cell cell;
  cell.key = key, cell.head = head, cell.group = group, cell.dir = dir;
  cells.push_back(cell);
  stamp_.emplace_back();
  return uint32_t(cells.size() - 1);
}

uint32_t Cells::own_or_group_cell(const Graph& graph, uint32_t index) {
  const Op& op = graph.ops[index];
  const uint32_t group = groups.of(op.scope);
  if (group == kNone) {
    const uint32_t cell = new_cell(op.key, index, kNone, op.dir);
    cells[cell].forward_only = op.dir == Op::Forward && !op.recorded;
    return cell;
  }
  if (group_cell_.size() <= group) group_cell_.resize(group + 1, kNone);
  if (group_cell_[group] == kNone)
    group_cell_[group] = new_cell(groups.list[group].key, index, group, op.dir);
  Cell& cell = cells[group_cell_[group]];
  if (op.dir == Op::Forward) cell.dir = Op::Forward;
  return group_cell_[group];
}

void Cells::place_leaf(const Graph& graph, uint32_t leaf) {
  if (groups.of(graph.ops[leaf].scope) == kNone) own_leaf_cell(graph, leaf);
  else join(leaf, own_or_group_cell(graph, leaf), Role::Head);
}

uint32_t Cells::own_leaf_cell(const Graph& graph, uint32_t leaf) {
  const uint32_t cell = new_cell(leaf_cell_key(graph.ops[leaf].key), leaf, kNone, Op::Forward);
  cells[cell].leaf_only = cells[cell].forward_only = true;
  join(leaf, cell, Role::Leaf, add_slot(cell, leaf, false));
  return cell;
}

uint32_t Cells::add_slot(uint32_t cell, uint32_t op, bool portal) {
  const uint32_t index = uint32_t(slots.size());
  Slot slot;
  slot.op = op, slot.cell = cell, slot.portal = portal;
  slots.push_back(slot);
  Cell& c = cells[cell];
  (c.first_slot == kNone ? c.first_slot : slots[c.last_slot].next) = index;
  c.last_slot = index;
  ++c.slot_count;
  return index;
}

void Cells::add_portal(uint32_t cell, uint32_t op) {
  if (cells[cell].group != kNone && !portals_.emplace(uint64_t(cell) << 32 | op, op).second) return;
  // An op that reads the same leaf in two slots shows it once.
  if (const uint32_t last = cells[cell].last_slot; last != kNone && slots[last].op == op) return;
  add_slot(cell, op, true);
}

uint32_t Cells::find_edge(uint32_t from, uint32_t to) const {
  if (cells[from].group != kNone || cells[to].group != kNone) {
    const auto at = group_edges_.find(uint64_t(from) << 32 | to);
    return at == group_edges_.end() ? kNone : at->second;
  }
  for (uint32_t e = cells[to].first_in, n = 0; e != kNone && n < kPassSearch; e = edges[e].next_in, ++n)
    if (edges[e].from == from) return e;
  return kNone;
}

uint32_t Cells::connect(uint32_t from, uint32_t to, bool crossing) {
  if (from == to) return kNone;
  const bool grouped = cells[from].group != kNone || cells[to].group != kNone;
  const uint32_t known = grouped ? find_edge(from, to) : stamp_[from].to == to ? stamp_[from].edge : kNone;
  if (known != kNone) {
    ++edges[known].count;
    return known;
  }
  const uint32_t index = uint32_t(edges.size());
  CellEdge edge;
  edge.from = from, edge.to = to, edge.crossing = crossing, edge.against = from > to;
  edge.next_out = cells[from].first_out;
  cells[from].first_out = index;
  ++cells[from].out_count;
  Cell& target = cells[to];
  (target.first_in == kNone ? target.first_in : edges[target.last_in].next_in) = index;
  target.last_in = index;
  ++target.in_count;
  edges.push_back(edge);
  stamp_[from] = {to, index};
  if (grouped) group_edges_.emplace(uint64_t(from) << 32 | to, index);
  return index;
}

void Cells::add_forward(const Graph& graph, uint32_t index, std::span<const uint32_t> inputs) {
  const Op& op = graph.ops[index];
  if (op.leaf_variable && inputs.empty()) {
    if (!apart_.empty() && apart_.contains(leaf_cell_key(op.key))) own_leaf_cell(graph, index);
    return;
  }
  // A collapsed scope that holds nothing but leaves so far gets its cell before the first outside that reads
  // one; had each scope its cell with its first leaf, all of them would stand in the first row of a live
  // tape.
  const uint32_t group = groups.of(op.scope);
  for (uint32_t input : inputs)
    if (const uint32_t other = groups.of(graph.ops[input].scope);
        role[input] == Role::Waiting && other != kNone && other != group)
      place_leaf(graph, input);
  const uint32_t cell = own_or_group_cell(graph, index);
  join(index, cell, Role::Head);
  uint32_t wires = 0;
  for (uint32_t input : inputs) {
    if (role[input] == Role::Waiting && group != kNone && groups.of(graph.ops[input].scope) == group) {
      join(input, cell, Role::Head);
    } else if (role[input] == Role::Waiting) {
      join(input, cell, Role::Leaf, add_slot(cell, input, false));
    } else if (role[input] == Role::Leaf) {
      if (cell_of[input] != cell) add_portal(cell, input);
    } else {
      const size_t before = edges.size();
      const uint32_t edge = connect(cell_of[input], cell, role[input] != Role::Head);
      if (edge == kNone || edges.size() == before) continue;
      // Many terms of one op (a sum over time steps) and a source that stands in many places would hide the
      // rest.
      if (++wires > hub_targets_ || cells[edges[edge].from].out_count > hub_targets_) {
        edges[edge].portal = true;
        add_portal(cell, input);
      }
    }
  }
}

void Cells::add_backward(const Graph& graph, uint32_t index, std::span<const uint32_t> inputs) {
  const uint32_t partner = graph.ops[index].partner;
  if (partner < index && role[partner] == Role::Waiting) place_leaf(graph, partner);
  if (partner < index && !(role[partner] == Role::Head && cells[cell_of[partner]].forward_only)) {
    const bool of_leaf = role[partner] == Role::Leaf || role[partner] == Role::Grad;
    join(index, cell_of[partner], of_leaf ? Role::Grad : Role::Back, of_leaf ? slot_of[partner] : kNone);
  } else {
    join(index, own_or_group_cell(graph, index), Role::Back);
  }
  const uint32_t cell = cell_of[index];
  bool begins = true;
  for (uint32_t input : inputs) {
    if (role[input] != Role::Back && role[input] != Role::Grad) continue;
    begins = false;
    if (role[index] == Role::Back && role[input] == Role::Back) flow_back(cell_of[input], cell);
  }
  if (begins && role[index] == Role::Back) cells[cell].seed = true;
}

void Cells::add_update(const Graph& graph, uint32_t index, std::span<const uint32_t> inputs) {
  uint32_t variable = kNone, other = kNone;
  for (uint32_t input : inputs) {
    if (role[input] == Role::Leaf &&
        (variable == kNone || (graph.ops[input].wants_gradient && !graph.ops[variable].wants_gradient)))
      variable = input;
    if (role[input] != Role::Waiting && role[input] != Role::Leaf && other == kNone) other = input;
  }
  if (variable != kNone) return join(index, cell_of[variable], Role::Grad, slot_of[variable]);
  if (other == kNone) return join(index, own_or_group_cell(graph, index), Role::Back);
  if (role[other] == Role::Grad) return join(index, cell_of[other], Role::Grad, slot_of[other]);
  // An optimizer's own arithmetic on a gradient (a moment, a norm) belongs to the variable whose gradient it
  // is.
  for (uint32_t s = cells[cell_of[other]].first_slot; s != kNone; s = slots[s].next)
    if (!slots[s].portal && graph.ops[slots[s].op].wants_gradient)
      return join(index, slots[s].cell, Role::Grad, s);
  join(index, cells[cell_of[other]].forward_only ? own_or_group_cell(graph, index) : cell_of[other],
       Role::Back);
}

void Cells::flow_back(uint32_t from, uint32_t to) {
  if (from == to) return;
  if (const uint32_t edge = find_edge(to, from); edge != kNone) {
    if (!edges[edge].backward) edges[edge].backward = true, fresh_backward.push_back(edge);
  } else if (flows_.insert(uint64_t(from) << 32 | to).second && !find_pass(from, to)) {
    strays.push_back({from, to});
  }
}

// The gradient went from one cell to another that feeds it only through others: those pass it on unchanged.
bool Cells::find_pass(uint32_t from, uint32_t to) {
  visits_.clear();
  visits_.push_back({from, kNone, kNone});
  for (uint32_t at = 0; at < visits_.size(); ++at) {
    const uint32_t here = visits_[at].cell;
    for (uint32_t e = cells[here].first_in; e != kNone; e = edges[e].next_in) {
      const uint32_t above = edges[e].from;
      if (above == to) {
        for (uint32_t edge = e, v = at; edge != kNone; edge = visits_[v].edge, v = visits_[v].parent) {
          if (!edges[edge].backward) edges[edge].backward = true, fresh_backward.push_back(edge);
          if (visits_[v].parent == kNone) break;
        }
        return true;
      }
      if (above < to || edges[e].against || cells[above].forward_only || visits_.size() >= kPassSearch)
        continue;
      visits_.push_back({above, e, at});
    }
  }
  return false;
}

void Cells::place_leaves(const Graph& graph) {
  for (uint32_t op = 0; op < role.size(); ++op) place_unread(graph, op);
}

void Cells::place_unread(const Graph& graph, uint32_t op) {
  if (role[op] == Role::Waiting) place_leaf(graph, op);
}

void Cells::cut_hubs(const std::vector<uint8_t>& narrow) {
  for (CellEdge& edge : edges) {
    if (edge.portal || cells[edge.from].out_count <= hub_targets_) continue;
    if (edge.to < narrow.size() && narrow[edge.to]) continue;
    edge.portal = true;
    add_portal(edge.to, cells[edge.from].head);
  }
}

}  // namespace tapescope::layout::detail
