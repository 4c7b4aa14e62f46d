// Lifetimes, then one walk that hands out the best fitting hole and takes back what dies.
#include "engine/graph/memory_plan.h"

#include <algorithm>

#include "engine/core/pool.h"
#include "engine/graph/fused.h"

namespace tapescope {
namespace {

std::int64_t rounded(std::int64_t bytes) {
  constexpr auto kUnit = static_cast<std::int64_t>(kBlockAlignment);
  return (bytes + kUnit - 1) / kUnit * kUnit;
}

// The unused parts of the slab, by offset; neighbours are joined.
class Holes {
 public:
  std::int64_t take(std::int64_t bytes) {
    if (bytes == 0) return 0;
    auto best = holes_.end();
    for (auto hole = holes_.begin(); hole != holes_.end(); ++hole) {
      if (hole->bytes >= bytes && (best == holes_.end() || hole->bytes < best->bytes)) best = hole;
    }
    if (best == holes_.end()) {
      // The slab grows, by what the hole at its end lacks if there is one.
      std::int64_t offset = end_;
      if (!holes_.empty() && holes_.back().offset + holes_.back().bytes == end_) {
        offset = holes_.back().offset;
        holes_.pop_back();
      }
      end_ = offset + bytes;
      return offset;
    }
    const std::int64_t offset = best->offset;
    best->offset += bytes;
    best->bytes -= bytes;
    if (best->bytes == 0) holes_.erase(best);
    return offset;
  }

  void give(std::int64_t offset, std::int64_t bytes) {
    if (bytes == 0) return;
    auto next = std::lower_bound(holes_.begin(), holes_.end(), offset,
                                 [](const Hole& hole, std::int64_t at) { return hole.offset < at; });
    if (next != holes_.begin() && (next - 1)->offset + (next - 1)->bytes == offset) {
      --next;
      next->bytes += bytes;
    } else {
      next = holes_.insert(next, {offset, bytes});
    }
    const auto after = next + 1;
    if (after != holes_.end() && next->offset + next->bytes == after->offset) {
      next->bytes += after->bytes;
      holes_.erase(after);
    }
  }

  std::int64_t end() const { return end_; }

 private:
  struct Hole {
    std::int64_t offset, bytes;
  };
  std::vector<Hole> holes_;
  std::int64_t end_ = 0;
};

// Whether the kernel reads an element of input i, of the output's layout, before it writes that element.
bool reads_first(const GraphNode& node, std::uint32_t i, std::uint32_t output) {
  const OpDef& op = *node.op;
  if (&op == &kFusedElementwise)
    return fused_chain(node.attrs).program.reads_first(static_cast<int>(i), static_cast<int>(output));
  if (node.outputs != 1 || !op.kernel || (op.flags & OpDef::kMakesOutputs)) return false;
  // AddN writes the sum of its first two and comes back for the others.
  if (op.name == "AddN") return i < 2;
  return op.batch == BatchRule::elementwise || (op.name == "BiasAdd" && i == 0);
}

}  // namespace

MemoryPlan plan_memory(const Graph& graph) {
  MemoryPlan plan;
  plan.values.resize(graph.values().size());
  const auto root_of = [&](ValueIndex value) -> ValuePlan& { return plan.values[plan.values[value].root]; };
  for (ValueIndex value = 0; value < plan.values.size(); ++value) {
    if (graph.value(value).kind != ValueKind::output) plan.values[value].root = value;
  }
  const auto nodes = graph.nodes();
  for (NodeIndex n = 0; n < nodes.size(); ++n) {
    const GraphNode& node = nodes[n];
    for (std::uint32_t i = 0; i < node.outputs; ++i) {
      ValuePlan& value = plan.values[node.first_output + i];
      value.first = value.last = n;
      value.root = node.first_output + i;
      if (node.op->flags & OpDef::kView) value.root = plan.values[graph.inputs(node)[0]].root;
      else value.storage = node.op->flags & OpDef::kMakesOutputs ? Storage::made : Storage::planned;
    }
    for (const ValueIndex input : graph.inputs(node)) root_of(input).last = n;
  }
  for (const ValueIndex result : graph.results) {
    ValuePlan& root = root_of(result);
    if (root.storage == Storage::planned) root.storage = Storage::fresh;
    root.last = kNoIndex;
  }

  Holes holes;
  const auto bytes_of = [&](ValueIndex value) { return rounded(graph.value(value).type->bytes); };
  std::vector<bool> gone(plan.values.size(), false);  // its buffer was given back or taken over
  const auto ends_at = [&](ValueIndex root, NodeIndex n) {
    return plan.values[root].storage == Storage::planned && plan.values[root].last == n && !gone[root];
  };
  for (NodeIndex n = 0; n < nodes.size(); ++n) {
    const GraphNode& node = nodes[n];
    const auto inputs = graph.inputs(node);
    if (!(node.op->flags & OpDef::kView)) {
      for (ValueIndex out = node.first_output; out < node.first_output + node.outputs; ++out) {
        ValuePlan& value = plan.values[out];
        if (value.storage != Storage::planned) continue;
        plan.separate_bytes += bytes_of(out);
        const Type* type = graph.value(out).type;
        for (std::uint32_t i = 0; i < inputs.size() && value.reuses == kNoIndex; ++i) {
          const ValueIndex root = plan.values[inputs[i]].root;
          if (!ends_at(root, n) || graph.value(root).type->bytes != type->bytes) continue;
          // Whatever else the node reads of that memory, too. Not what broadcasts: the kernel would come back
          // to it.
          bool may = true;
          for (std::uint32_t k = 0; k < inputs.size(); ++k) {
            if (plan.values[inputs[k]].root != root) continue;
            const Type* given = graph.value(inputs[k]).type;
            may = may && given->numel == type->numel && given->bytes == type->bytes &&
                  reads_first(node, k, out - node.first_output);
          }
          if (!may) continue;
          value.reuses = root;
          value.offset = plan.values[root].offset;
          gone[root] = true;
        }
        if (value.reuses == kNoIndex) value.offset = holes.take(bytes_of(out));
      }
    }
    const auto release = [&](ValueIndex root) {
      if (!ends_at(root, n)) return;
      gone[root] = true;
      holes.give(plan.values[root].offset, bytes_of(root));
    };
    for (const ValueIndex input : inputs) release(plan.values[input].root);
    for (ValueIndex out = node.first_output; out < node.first_output + node.outputs; ++out)
      release(plan.values[out].root);
  }
  plan.slab_bytes = holes.end();
  for (ValuePlan& value : plan.values) value.storage = plan.values[value.root].storage;
  return plan;
}

}  // namespace tapescope
