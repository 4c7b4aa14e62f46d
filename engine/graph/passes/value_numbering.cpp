// Equal nodes become one: by op, attributes and inputs; reads of a variable, between two effects.
#include <algorithm>
#include <string>
#include <unordered_map>

#include "engine/graph/rewrite.h"
#include "engine/ops/variable_read.h"

namespace tapescope {
namespace {

// Of equal constants up to this size one is kept; scalars are what programs repeat.
constexpr std::int64_t kLargestCompared = 4096;

template <class T>
void append(std::string& key, const T* values, std::size_t count) {
  key.append(reinterpret_cast<const char*>(values), count * sizeof(T));
}

// Whether b, a gives the bits that a, b gives: the extremes keep the first of two zeros.
bool commutes(const OpDef& op) {
  return (op.flags & OpDef::kCommutative) && op.name != "Maximum" && op.name != "Minimum";
}

std::string key_of(const GraphNode& node, std::vector<ValueIndex> inputs, std::uint32_t epoch) {
  std::string key;
  if (commutes(*node.op)) std::sort(inputs.begin(), inputs.end());
  append(key, &node.op, 1);
  append(key, &epoch, 1);
  append(key, inputs.data(), inputs.size());
  append(key, reinterpret_cast<const char*>(&node.attrs), node.attrs.bytes());
  return key;
}

}  // namespace

void number_values(Graph& graph, PassContext& context) {
  Rebuild rebuild(graph);
  std::unordered_map<std::string, ValueIndex> constants;
  const auto values = graph.values();
  for (ValueIndex value = 0; value < values.size(); ++value) {
    if (values[value].kind != ValueKind::constant || values[value].type->bytes > kLargestCompared) continue;
    const Tensor& constant = graph.constants()[values[value].source];
    std::string key;
    append(key, &values[value].type, 1);
    append(key, static_cast<const char*>(constant.raw()), static_cast<std::size_t>(constant.bytes()));
    const auto [known, first] = constants.emplace(std::move(key), value);
    if (!first) rebuild.replace(value, rebuild.at(known->second));
  }
  std::unordered_map<std::string, ValueIndex> known;  // a node's first output
  std::uint32_t epoch = 1;                            // effects so far; the pure are equal at all times
  for (NodeIndex n = 0; n < graph.nodes().size(); ++n) {
    const GraphNode& node = graph.nodes()[n];
    const bool read = node.op == &kReadVariable;
    if (has_effect(node) && !(node.op->flags & OpDef::kRandom)) ++epoch;
    if (!read && !is_pure(node)) {
      rebuild.copy(n);
      continue;
    }
    std::vector<ValueIndex> inputs = rebuild.at(graph.inputs(node));
    std::string key = key_of(node, inputs, read ? epoch : 0);
    const auto found = known.find(key);
    if (found == known.end()) {
      rebuild.copy(n);
      known.emplace(std::move(key), rebuild.at(node.first_output));
      continue;
    }
    context.note(read ? "merge_reads" : "merge_equal", RewriteKind::bit_exact, node,
                 describe(rebuild.to(), *node.op, inputs), describe(rebuild.to(), found->second));
    for (std::uint32_t i = 0; i < node.outputs; ++i)
      rebuild.replace(node.first_output + i, found->second + i);
  }
  graph = rebuild.finish();
}

}  // namespace tapescope
