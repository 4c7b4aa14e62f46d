// Leaves, mirrors, scopes and edges of a step.
#include "viewer/model/graph_model.h"

#include <algorithm>
#include <functional>
#include <span>

#include <fmt/format.h>

#include "viewer/model/compare.h"
#include "viewer/model/mirrors.h"
#include "viewer/model/repeats.h"
#include "viewer/store/step_texts.h"

namespace tapescope::ui {
namespace {

using layout::kNone;

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t z = a * 0x9e3779b97f4a7c15u + b + 0x632be59bd9b4e019u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  return z ^ (z >> 31);
}
std::uint64_t hash_of(std::string_view text) { return std::hash<std::string_view>()(text); }

// Ops that ran while no tape was active belong to the picture only where the program's path passes them:
// a test on held-out data does not, the op that computed a source before the block does.
std::vector<std::uint8_t> ops_on_paths(const StepView& view) {
  const std::size_t n = view.ops.size();
  std::vector<std::uint8_t> keep(n, view.inside ? 1 : 0);
  if (view.inside) return keep;
  for (std::size_t i = 0; i < n; ++i) {
    const OpRow& op = view.ops[i];
    if (op.call != kNoOp) continue;  // its call stands for it
    // Of what ran in a function that no tape holds that is drawn which leads to a gradient.
    keep[i] = op.direction != Direction::other && !(op.direction == Direction::forward && op.in_graph);
    if (op.direction != Direction::update || !op.in_graph) continue;
    // Of a function's update what gradients go through; the rest is counts of steps and the like.
    const auto producers = view.producers_of(op);
    keep[i] = std::any_of(producers.begin(), producers.end(), [&](std::uint32_t producer) {
      return producer < i && keep[producer] && view.ops[producer].direction != Direction::forward;
    });
  }
  for (std::size_t i = n; i-- > 0;) {
    if (!keep[i] || (view.ops[i].direction == Direction::update && view.ops[i].in_graph)) continue;
    for (const std::uint32_t producer : view.producers_of(view.ops[i])) {
      if (producer != kNoOp && producer < i && view.ops[producer].call == kNoOp) keep[producer] = 1;
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    // A call that no tape holds is drawn as the ops that it ran, of one that a tape holds these are not.
    if (keep[i] || is_call(view.ops[i]) || view.ops[i].call != kNoOp) continue;
    for (const std::uint32_t producer : view.producers_of(view.ops[i])) {
      const bool forward =
          producer != kNoOp && keep[producer] && view.ops[producer].direction != Direction::update;
      if (forward && view.ops[producer].direction != Direction::backward) keep[i] = 1;
    }
  }
  // A program without any tape is shown whole.
  if (std::find(keep.begin(), keep.end(), 1) == keep.end())
    std::fill(keep.begin(), keep.end(), std::uint8_t{1});
  return keep;
}

// By op: a backward op depends on it.
std::vector<std::uint8_t> ops_below_gradients(const StepView& view) {
  std::vector<std::uint8_t> below(view.ops.size(), 0);
  for (std::size_t i = view.ops.size(); i-- > 0;) {
    if (!below[i] && view.ops[i].direction != Direction::backward) continue;
    for (const std::uint32_t producer : view.producers_of(view.ops[i])) {
      if (producer < i) below[producer] = 1;
    }
  }
  return below;
}

class Builder {
 public:
  Builder(const StepView& a, const StepView* b) : views_{&a, b} {}

  GraphModel build() {
    for (int p = 0; p < 2; ++p) {
      if (views_[p] == nullptr) continue;
      keep_[p] = ops_on_paths(*views_[p]);
      mirrors_[p] = function_mirrors(*views_[p]);
      below_gradients_[p] = ops_below_gradients(*views_[p]);
      mirrored_[p].assign(views_[p]->ops.size(), 0);
      for (const std::uint32_t forward : mirrors_[p]) {
        if (forward != kNoOp) mirrored_[p][forward] = 1;
      }
      node_of(p).assign(views_[p]->ops.size(), kNone);
      find_sources(p);
    }
    std::vector<AlignedOp> order;
    if (views_[1] != nullptr) {
      order = align(*views_[0], *views_[1]).ops;
    } else {
      for (std::uint32_t i = 0; i < views_[0]->ops.size(); ++i) order.push_back({i, kNoOp});
    }
    model_.graph.ops.reserve(order.size() + 8);
    model_.nodes.reserve(order.size() + 8);
    for (const AlignedOp& match : order) add(match);
    if (views_[1] == nullptr) fold_repeats();
    for (int p = 0; p < 2; ++p) {
      for (const auto& [id, name] : loose_[p]) add_source(id, name, p);
      for (std::uint32_t i = 0; i < node_of(p).size(); ++i) node_of(p)[i] = node_standing_for(p, i);
    }
    return std::move(model_);
  }

 private:
  std::vector<std::uint32_t>& node_of(int p) { return p == 0 ? model_.node_of_a : model_.node_of_b; }

  // Its own, or that of the call that it ran in.
  std::uint32_t node_standing_for(int p, std::uint32_t op) {
    const std::uint32_t call = views_[p]->ops[op].call;
    return node_of(p)[op] == kNone && call != kNoOp ? node_of(p)[call] : node_of(p)[op];
  }

  // Sources the program asked about: those made by an op of the step, or read by one, are nodes by that; the
  // others get a separate leaf.
  void find_sources(int p) {
    const StepView& view = *views_[p];
    for (const GradientAnswer& answer : view.answers) wanted_.insert({answer.source, answer.name});
    asked_ = asked_ || !view.answers.empty();
    for (const GradientAnswer& answer : view.answers) {
      if (answer.source == 0) continue;
      loose_[p].emplace(answer.source, answer.name ? std::string(name_text(answer.name))
                                                   : fmt::format("tensor:{}", answer.source));
    }
    if (loose_[p].empty()) return;
    for (std::uint32_t i = 0; i < view.ops.size(); ++i) {
      const OpRow& row = view.ops[i];
      if (!keep_[p][i]) continue;
      for (std::uint32_t k = 0; k < std::max(row.outputs, 1u); ++k) loose_[p].erase(row.output + k);
      // Only a read before any backward pass is the leaf; an update's is not.
      if (view.reads_variable(row) && row.direction != Direction::update) {
        loose_[p].erase(view.inputs[row.first_input]);
      }
    }
  }

  void add_source(TensorId id, const std::string& name, int p) {
    if (model_.leaves.contains(id)) return;
    if (const auto twin = source_by_name_.find(name); p == 1 && twin != source_by_name_.end()) {
      model_.leaves[id] = twin->second;
      return;
    }
    const auto node = static_cast<std::uint32_t>(model_.nodes.size());
    layout::Op op;
    op.key = mix(hash_of(name), 0x50c3);
    op.leaf_variable = true;
    op.wants_gradient = views_[1] == nullptr;
    model_.graph.ops.push_back(op);
    model_.nodes.push_back({kNoOp, kNoOp, name, id});
    model_.leaves[id] = node;
    source_by_name_[name] = node;
  }

  std::uint32_t layout_scope(ScopeId scope) {
    if (scope == 0) return kNone;
    if (const auto known = scopes_.find(scope); known != scopes_.end()) return known->second;
    const std::uint32_t parent = layout_scope(scope_parent(scope));
    const auto index = static_cast<std::uint32_t>(model_.graph.scopes.size());
    const std::string_view name = name_text(scope_name(scope));
    std::string stem;
    for (const char letter : name) {
      if (letter < '0' || letter > '9') stem += letter;
    }
    model_.graph.scopes.push_back({parent, scope_key(scope), hash_of(stem) | 1, 0});
    model_.scope_names.emplace_back(name);
    scopes_[scope] = index;
    return index;
  }

  void add(const AlignedOp& match) {
    const bool draw_a = match.a != kNoOp && keep_[0][match.a], draw_b = match.b != kNoOp && keep_[1][match.b];
    if (!draw_a && !draw_b) return;
    const int p = draw_a ? 0 : 1;
    const StepView& view = *views_[p];
    const OpRow& row = view.ops[p == 0 ? match.a : match.b];
    for (int q = 0; q < 2; ++q) {
      const std::uint32_t i = q == 0 ? match.a : match.b;
      if (i != kNoOp && !loose_[q].empty()) add_loose_inputs(q, views_[q]->ops[i]);
    }
    const auto node = static_cast<std::uint32_t>(model_.nodes.size());
    layout::Op op;
    op.scope = layout_scope(row.scope_id);
    op.type = row.op_id;
    op.dir = row.direction == Direction::backward       ? layout::Op::Backward
             : is_update(p, p == 0 ? match.a : match.b) ? layout::Op::Update
                                                        : layout::Op::Forward;
    const std::uint32_t of = row.partner != kNoOp ? row.partner : mirrors_[p][p == 0 ? match.a : match.b];
    if (op.dir == layout::Op::Backward && of != kNoOp) op.partner = node_of(p)[of];
    if (op.partner == node) op.partner = kNone;
    op.recorded = may_be_walked(0, match.a) || may_be_walked(1, match.b);
    const bool reads = view.reads_variable(row);
    op.leaf_variable = op.dir == layout::Op::Forward && (reads || row.inputs == 0);
    // Two graphs side by side have no room for a column of gradients.
    if (op.leaf_variable && reads && views_[1] == nullptr)
      op.wants_gradient = wants_gradient(view, view.inputs[row.first_input]);
    std::uint64_t key = op.partner != kNone
                            ? mix(model_.graph.ops[op.partner].key, row.op_id)
                            : mix(mix(row.scope_id, row.op_id), hash_of(reads ? row.tensor_name : ""));
    key = mix(key, static_cast<std::uint64_t>(op.dir));
    op.key = mix(key, ordinals_[key]++);
    if (op.scope != kNone) model_.graph.scopes[op.scope].weight += row.duration_us;
    model_.graph.ops.push_back(op);
    model_.nodes.push_back({draw_a ? match.a : kNoOp, draw_b ? match.b : kNoOp, {}, 0});
    if (draw_a) node_of(0)[match.a] = node;
    if (draw_b) node_of(1)[match.b] = node;

    const std::size_t first = model_.graph.edges.size();
    if (draw_a && !reads) connect(0, views_[0]->ops[match.a], node, first);
    if (draw_b && !reads) connect(1, views_[1]->ops[match.b], node, first);
    if (op.leaf_variable && reads) model_.leaves[view.inputs[row.first_input]] = node;
  }

  // What repeats without a scope, time steps or layers, becomes a series of scopes: one for each
  // copy.
  void fold_repeats() {
    constexpr std::uint32_t kTimes = 8, kOps = 40, kLongest = 4096;  // less is read as it is
    const StepView& view = *views_[0];
    std::vector<std::uint32_t> forward;  // nodes
    std::vector<std::uint64_t> alike;
    for (std::uint32_t node = 0; node < model_.nodes.size(); ++node) {
      const std::uint32_t op = model_.nodes[node].a;
      if (op == kNoOp || model_.graph.ops[node].dir != layout::Op::Forward) continue;
      // A variable is one leaf for all that read it.
      if (model_.graph.ops[node].leaf_variable && view.ops[op].inputs == 1) continue;
      forward.push_back(node);
      alike.push_back(mix(mix(view.ops[op].op_id, view.ops[op].site), hash_of(view.ops[op].types)));
    }
    for (const Repeat& repeat : find_repeats(alike, kTimes, kOps, kLongest)) {
      if (in_series(std::span(forward).subspan(repeat.first, repeat.period * std::size_t{repeat.times})))
        continue;
      const std::uint32_t parent = common_scope(std::span(forward).subspan(repeat.first, repeat.period));
      std::uint64_t body = parent == kNone ? 0 : model_.graph.scopes[parent].key;
      for (std::uint32_t i = 0; i < repeat.period; ++i) body = mix(body, alike[repeat.first + i]);
      for (std::uint32_t copy = 0; copy < repeat.times; ++copy) {
        const auto scope = static_cast<std::uint32_t>(model_.graph.scopes.size());
        model_.graph.scopes.push_back({parent, mix(body, copy), body | 1, 0});
        model_.scope_names.push_back(fmt::format("{} of {}", copy + 1, repeat.times));
        for (std::uint32_t i = 0; i < repeat.period; ++i) {
          const std::uint32_t node = forward[repeat.first + copy * repeat.period + i];
          model_.graph.ops[node].scope = scope;
          model_.graph.scopes[scope].weight += view.ops[model_.nodes[node].a].duration_us;
        }
      }
    }
  }

  // Whether the program's own scopes make a series of these already: they differ in digits alone.
  bool in_series(std::span<const std::uint32_t> nodes) const {
    const auto& ops = model_.graph.ops;
    const std::uint32_t first = ops[nodes.front()].scope, last = ops[nodes.back()].scope;
    return first != last && first != kNone && last != kNone &&
           model_.graph.scopes[first].stem == model_.graph.scopes[last].stem;
  }

  // The innermost scope around all of these nodes; kNone at the root.
  std::uint32_t common_scope(std::span<const std::uint32_t> nodes) const {
    const auto& scopes = model_.graph.scopes;
    std::uint32_t common = model_.graph.ops[nodes.front()].scope;
    for (const std::uint32_t node : nodes) {
      std::uint32_t other = model_.graph.ops[node].scope;
      // A parent has a smaller index than its children.
      while (common != other && common != kNone && other != kNone)
        (common > other ? common : other) = scopes[std::max(common, other)].parent;
      if (common != other) return kNone;
    }
    return common;
  }

  // A function may hold the update as well, without a record of it: what is computed from gradients and
  // leads to none.
  bool is_update(int p, std::uint32_t op) {
    const OpRow& row = views_[p]->ops[op];
    if (row.direction == Direction::update) return true;
    if (row.recorded || below_gradients_[p][op]) return false;
    const auto producers = views_[p]->producers_of(row);
    return std::any_of(producers.begin(), producers.end(), [&](std::uint32_t producer) {
      const std::uint32_t node = producer != kNoOp ? node_of(p)[producer] : kNone;
      return node != kNone && model_.graph.ops[node].dir != layout::Op::Forward;
    });
  }

  // Whether a backward op belongs to it, or may come to: a tape holds it, or one without a record has
  // walked it.
  bool may_be_walked(int p, std::uint32_t op) const {
    if (op == kNoOp) return false;
    const OpRow& row = views_[p]->ops[op];
    return row.recorded || row.backward_step != kNoOp || mirrored_[p][op] != 0;
  }

  void add_loose_inputs(int p, const OpRow& row) {
    std::string_view shapes = row.types;
    for (const TensorId input : views_[p]->inputs_of(row)) {
      const std::string_view shape = shapes.substr(0, shapes.find(kBetweenShapes));
      shapes.remove_prefix(std::min(shapes.size(), shape.size() + kBetweenShapes.size()));
      const auto found = loose_[p].find(input);
      if (found == loose_[p].end()) continue;
      add_source(input, found->second, p);
      if (!shape.starts_with(kMoreShapes)) model_.nodes[model_.leaves[input]].source_shape = shape;
      loose_[p].erase(found);
    }
  }

  void connect(int p, const OpRow& row, std::uint32_t node, std::size_t first) {
    const StepView& view = *views_[p];
    for (std::uint32_t slot = 0; slot < row.inputs; ++slot) {
      const std::uint32_t producer = view.producers[row.first_input + slot];
      std::uint32_t from = producer != kNoOp ? node_standing_for(p, producer) : kNone;
      if (from == kNone) {
        // Updates take the variable's handle: they belong to its leaf.
        const auto leaf = model_.leaves.find(view.inputs[row.first_input + slot]);
        if (leaf != model_.leaves.end()) from = leaf->second;
      }
      if (from == kNone || from >= node) continue;
      const auto begin = model_.graph.edges.begin() + static_cast<std::ptrdiff_t>(first);
      const auto same = [&](const layout::Edge& edge) { return edge.from == from && edge.slot == slot; };
      if (std::any_of(begin, model_.graph.edges.end(), same)) continue;
      model_.graph.edges.push_back({from, node, static_cast<std::uint8_t>(std::min(slot, 255u))});
    }
  }

  bool wants_gradient(const StepView& view, TensorId handle) const {
    if (asked_) return wanted_.contains(handle);
    const VariableRow* variable = view.variable(handle);
    return variable != nullptr && variable->trainable;
  }

  const StepView* views_[2];
  std::vector<std::uint8_t> keep_[2];
  std::vector<std::uint32_t> mirrors_[2];  // by backward op of a function: the forward op it stands beside
  std::vector<std::uint8_t> mirrored_[2];  // by forward op: there is one
  std::vector<std::uint8_t> below_gradients_[2];
  GraphModel model_;
  std::unordered_map<TensorId, std::string> loose_[2];
  std::unordered_map<TensorId, NameId> wanted_;
  bool asked_ = false;
  std::unordered_map<std::string, std::uint32_t> source_by_name_;
  std::unordered_map<ScopeId, std::uint32_t> scopes_;
  std::unordered_map<std::uint64_t, std::uint64_t> ordinals_;
};

}  // namespace

std::uint64_t scope_key(ScopeId scope) { return mix(hash_of(scope_path(scope)), 0x5c09e); }

GraphModel build_graph(const StepView& a, const StepView* b) { return Builder(a, b).build(); }

}  // namespace tapescope::ui
