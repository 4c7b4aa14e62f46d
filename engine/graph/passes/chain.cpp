// Chains of elementwise nodes and their programs.
#include "engine/graph/passes/chain.h"

#include <algorithm>
#include <utility>

#include "engine/kernels/machine_code.h"
#include "engine/ops/rows.h"

namespace tapescope {
namespace {

using kernels::BinaryOp;
using kernels::TileProgram;
using kernels::UnaryOp;
using Access = TileProgram::Access;
using Code = TileProgram::Code;
using Kernel = void (*)(KernelContext&);

// The kernel identifies which function a row computes, so that no second list of ops has to agree with the
// table.
template <std::size_t... kOps>
int unary_function(Kernel kernel, std::index_sequence<kOps...>) {
  int found = -1;
  ((kernel == static_cast<Kernel>(rows::unary_kernel<static_cast<UnaryOp>(kOps)>)
        ? (found = static_cast<int>(kOps), 0)
        : 0),
   ...);
  return found;
}
template <std::size_t... kOps>
int binary_function(Kernel kernel, std::index_sequence<kOps...>) {
  int found = -1;
  ((kernel == static_cast<Kernel>(rows::binary_kernel<static_cast<BinaryOp>(kOps)>)
        ? (found = static_cast<int>(kOps), 0)
        : 0),
   ...);
  return found;
}

// Programs hold so many expanded rows and columns.
constexpr int kMaxExpanded = 4;

}  // namespace

std::vector<TileProgram::Step> element_steps(const Graph& graph, const GraphNode& node) {
  if (!is_pure(node) || node.outputs != 1 || !node.op->kernel || node.inputs == 0) return {};
  const Type& out = *graph.value(node.first_output).type;
  const auto in_type = [&](std::size_t i) -> const Type& { return *graph.value(graph.inputs(node)[i]).type; };
  if (out.numel == 0) return {};
  TileProgram::Step step{};
  step.from = in_type(0).dtype;
  step.to = out.dtype;
  step.param = node.attrs.f[0];
  std::vector<TileProgram::Step> steps;
  if (const int function = unary_function(node.op->kernel, std::make_index_sequence<kernels::kUnaryCount>());
      function >= 0) {
    step.code = Code::unary;
    step.function = static_cast<std::uint8_t>(function);
    steps = {step};
  } else if (const int two =
                 binary_function(node.op->kernel, std::make_index_sequence<kernels::kBinaryCount>());
             two >= 0) {
    step.code = Code::binary;
    step.function = static_cast<std::uint8_t>(two);
    steps = {step};
  } else if (node.op->name == "BiasAdd" || node.op->name == "AddN") {
    step.code = Code::binary;
    step.function = static_cast<std::uint8_t>(BinaryOp::add);
    steps.assign(std::max<std::uint32_t>(node.inputs, 2) - 1, step);
    if (node.inputs < 2) return {};
  } else if (node.op->name == "SelectV2") {
    step.code = Code::select;
    step.from = out.dtype;
    steps = {step};
  } else if (node.op->name == "Cast") {
    step.code = Code::convert;
    steps = {step};
  }
  if (!steps.empty() && !tile_supports(step)) return {};
  return steps;
}

ValueUsers::ValueUsers(const Graph& graph) : first_(graph.values().size() + 1, 0) {
  const auto nodes = graph.nodes();
  const std::vector<std::uint32_t> uses = use_counts(graph);
  for (std::size_t value = 0; value < uses.size(); ++value) first_[value + 1] = first_[value] + uses[value];
  users_.resize(first_.back());
  std::vector<std::size_t> next = first_;
  for (NodeIndex n = 0; n < nodes.size(); ++n) {
    for (const ValueIndex input : graph.inputs(nodes[n])) users_[next[input]++] = n;
  }
  for (const ValueIndex result : graph.results) users_[next[result]++] = static_cast<NodeIndex>(nodes.size());
}

std::size_t ValueUsers::count_until(ValueIndex value, NodeIndex last) const {
  const auto users = of(value);
  return static_cast<std::size_t>(std::ranges::upper_bound(users, last) - users.begin());
}

// Of one shape with the root and, unless it becomes machine code, as it forward or backward.
bool Chain::takes(NodeIndex node) const {
  const GraphNode &candidate = graph_.nodes()[node], &root = graph_.nodes()[root_];
  const int may_differ = target_ == ChainTarget::machine_code ? GraphNode::kBackward : 0;
  return ((candidate.flags ^ root.flags) & ~may_differ) == 0 &&
         graph_.value(candidate.first_output).type->shape == graph_.value(root.first_output).type->shape &&
         !element_steps(graph_, candidate).empty();
}

void Chain::find_inputs() {
  inputs_.clear();
  for (const NodeIndex member : members_) {
    for (const ValueIndex input : graph_.inputs(graph_.nodes()[member])) {
      const GraphValue& value = graph_.value(input);
      if (value.kind == ValueKind::output && std::ranges::binary_search(members_, value.source)) continue;
      if (std::ranges::find(inputs_, input) == inputs_.end()) inputs_.push_back(input);
    }
  }
}

bool Chain::is_kept(NodeIndex member) const {
  const ValueIndex value = graph_.nodes()[member].first_output;
  return member == root_ || users_.count_until(value, root_) < users_.count(value);
}

Chain::Chain(const Graph& graph, NodeIndex root, const ValueUsers& users, const std::vector<bool>& taken,
             ChainResults give, ChainTarget target)
    : graph_(graph), users_(users), root_(root), target_(target) {
  // A gradient reads many values of its forward pass before it has taken that in, so that what is too large
  // on the way may fit in the end.
  if (target == ChainTarget::machine_code) {
    grow(taken, give, [&] { return members_.size() <= TileProgram::kMaxSteps; });
    if (program()) return;
  }
  // Too many inputs, registers or results: this one stays outside, others may come in.
  grow(taken, give, [&] {
    find_inputs();
    return program().has_value();
  });
}

template <class Fits>
void Chain::grow(const std::vector<bool>& taken, ChainResults give, Fits fits) {
  members_ = kept_ = {root_};
  std::vector<std::pair<NodeIndex, std::uint32_t>> inside;  // producers, and how often members use them
  std::vector<NodeIndex> refused;
  const auto count_uses = [&](NodeIndex member) {
    for (const ValueIndex input : graph_.inputs(graph_.nodes()[member])) {
      const GraphValue& value = graph_.value(input);
      if (value.kind != ValueKind::output) continue;
      const auto known = std::ranges::find(inside, value.source, &std::pair<NodeIndex, std::uint32_t>::first);
      if (known != inside.end()) ++known->second;
      else inside.push_back({value.source, 1});
    }
  };
  count_uses(root_);
  for (bool grew = true; grew;) {
    grew = false;
    for (std::size_t k = 0; k < inside.size(); ++k) {
      const auto [node, used] = inside[k];
      if (taken[node] || std::ranges::binary_search(members_, node) ||
          std::ranges::find(refused, node) != refused.end())
        continue;
      if (used != users_.count_until(graph_.nodes()[node].first_output, root_) || !takes(node)) continue;
      const bool kept = is_kept(node);
      if (kept && give == ChainResults::root_alone) continue;
      members_.insert(std::ranges::upper_bound(members_, node), node);
      if (kept) kept_.insert(std::ranges::upper_bound(kept_, node), node);
      if (!fits()) {
        std::erase(members_, node);
        std::erase(kept_, node);
        refused.push_back(node);
        continue;
      }
      count_uses(node);
      grew = true;
    }
  }
  find_inputs();
}

Chain Chain::best(const Graph& graph, NodeIndex root, const ValueUsers& users, const std::vector<bool>& taken,
                  ChainResults give, bool compiled) {
  const Chain interpreted(graph, root, users, taken, give);
  if (!compiled) return interpreted;
  const Chain code(graph, root, users, taken, give, ChainTarget::machine_code);
  const bool larger = code.members().size() >= interpreted.members().size() && code.program();
  return larger ? code : interpreted;
}

std::optional<Access> Chain::access(const Type& type, std::int64_t& row) const {
  const Type& whole = *graph_.value(graph_.nodes()[root_].first_output).type;
  if (type.numel == whole.numel) return Access::whole;
  if (type.numel == 1) return Access::scalar;
  const int rank = whole.shape.rank(), missing = rank - type.shape.rank();
  const auto size = [&](int i) { return i < missing ? 1 : type.shape[i - missing]; };
  // From the front: dimensions of size 1, then those of the whole (a row), or the other way round (a column).
  int i = 0;
  while (i < rank && size(i) == 1 && whole.shape[i] != 1) ++i;
  bool is_row = i > 0, is_column = true;
  std::int64_t own = 1;
  for (int k = i; k < rank; ++k) is_row = is_row && size(k) == whole.shape[k];
  int c = 0;
  for (; c < rank && size(c) == whole.shape[c]; ++c) own *= size(c);
  for (int k = c; k < rank; ++k) is_column = is_column && size(k) == 1;
  is_column = is_column && own == type.numel;
  if (!is_row && !is_column) return std::nullopt;
  const std::int64_t period = is_row ? type.numel : whole.numel / type.numel;
  if (row != 0 && row != period) return std::nullopt;
  row = period;
  return is_row ? Access::row : Access::column;
}

std::optional<FusedChain> Chain::program() const {
  if (inputs_.size() > TileProgram::kMaxInputs || kept_.size() > TileProgram::kMaxResults)
    return std::nullopt;
  FusedChain chain;
  TileProgram& program = chain.program;
  for (const NodeIndex member : kept_) {
    chain.types.push_back(graph_.value(graph_.nodes()[member].first_output).type);
    program.results.push_back(chain.types.back()->dtype);
  }
  program.count = chain.types.back()->numel;
  std::int64_t row = 0;
  int expanded = 0;
  for (const ValueIndex input : inputs_) {
    const Type& type = *graph_.value(input).type;
    const auto how = access(type, row);
    if (!how) return std::nullopt;
    expanded += *how == Access::row || *how == Access::column;
    program.inputs.push_back({type.dtype, *how});
  }
  if (expanded > kMaxExpanded) return std::nullopt;
  program.row = row == 0 ? 1 : row;

  // Registers: a value holds one from the step that makes it to its last use. Results lie in their own
  // memory.
  bool busy[TileProgram::kMaxRegisters] = {};
  const int registers =
      target_ == ChainTarget::machine_code ? TileProgram::kMaxRegisters : TileProgram::kCachedRegisters;
  std::vector<std::pair<ValueIndex, int>> held;  // where values are that steps made
  const auto release = [&](int place) {
    if (place < TileProgram::kFirstResult) busy[place - TileProgram::kFirstRegister] = false;
  };
  const auto uses_after = [&](std::size_t member, ValueIndex value) {
    for (std::size_t k = member + 1; k < members_.size(); ++k) {
      if (std::ranges::find(graph_.inputs(graph_.nodes()[members_[k]]), value) !=
          graph_.inputs(graph_.nodes()[members_[k]]).end())
        return true;
    }
    return false;
  };
  const auto operand_of = [&](ValueIndex value) -> std::uint8_t {
    for (const auto& [known, place] : held) {
      if (known == value) return static_cast<std::uint8_t>(place);
    }
    return static_cast<std::uint8_t>(std::ranges::find(inputs_, value) - inputs_.begin());
  };
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const GraphNode& node = graph_.nodes()[members_[m]];
    const auto inputs = graph_.inputs(node);
    std::vector<TileProgram::Step> steps = element_steps(graph_, node);
    const auto as_result = std::ranges::find(kept_, members_[m]);
    const int result = as_result == kept_.end()
                           ? -1
                           : static_cast<int>(TileProgram::kFirstResult + (as_result - kept_.begin()));
    // Its own register, never an operand's: elements of another size would overtake one another. Sums of
    // many are collected in one, since a result may share the memory of an input that is not read yet.
    int collecting = result;
    if (result < 0 || steps.size() > 1) {
      const auto free = std::find(busy, busy + registers, false) - busy;
      if (free == registers) return std::nullopt;
      busy[free] = true;
      collecting = static_cast<int>(TileProgram::kFirstRegister + free);
    }
    const int target = result < 0 ? collecting : result;
    for (std::size_t s = 0; s < steps.size(); ++s) {
      TileProgram::Step& step = steps[s];
      if (step.code == Code::binary) {
        step.operand[0] = s == 0 ? operand_of(inputs[0]) : static_cast<std::uint8_t>(collecting);
        step.operand[1] = operand_of(inputs[s + 1]);
      } else {
        for (std::size_t k = 0; k < inputs.size(); ++k) step.operand[k] = operand_of(inputs[k]);
      }
      step.target = static_cast<std::uint8_t>(s + 1 == steps.size() ? target : collecting);
      program.steps.push_back(step);
    }
    if (collecting != target) release(collecting);
    for (const ValueIndex input : inputs) {
      const auto it = std::ranges::find(held, input, &std::pair<ValueIndex, int>::first);
      if (it == held.end() || uses_after(m, input)) continue;
      release(it->second);
      held.erase(it);
    }
    held.push_back({node.first_output, target});
    chain.members.push_back(node.op->name);
    std::vector<const Type*> in;
    for (const ValueIndex input : inputs) in.push_back(graph_.value(input).type);
    const Type* out = graph_.value(node.first_output).type;
    if (node.op->cost) chain.flops += node.op->cost(in, {&out, 1}, node.attrs).flops;
  }
  if (program.steps.size() > TileProgram::kMaxSteps) return std::nullopt;
  if (target_ == ChainTarget::machine_code && !kernels::has_machine_code(program)) return std::nullopt;
  return chain;
}

std::vector<ValueIndex> Chain::results() const {
  std::vector<ValueIndex> values;
  for (const NodeIndex member : kept_) values.push_back(graph_.nodes()[member].first_output);
  return values;
}

Parts Chain::parts() const {
  Parts parts(graph_, inputs_);
  for (const NodeIndex member : members_) parts.add(graph_.nodes()[member]);
  return parts;
}

std::string Chain::text() const {
  std::string text;
  for (const NodeIndex member : members_)
    text += (text.empty() ? "" : ", ") + std::string(graph_.nodes()[member].op->name);
  return text;
}

ValueIndex add_fused(Rebuild& rebuild, const OpDef& op, FusedChain program, const Chain& chain,
                     const GraphNode& old) {
  auto held = std::make_shared<const FusedChain>(std::move(program));
  const ValueIndex fused =
      rebuild.add(op, rebuild.at(chain.inputs()), with_chain({}, *held), old, held->types);
  rebuild.hold(std::move(held));
  for (const NodeIndex member : chain.members()) rebuild.stands_for(member, fused);
  return fused;
}

}  // namespace tapescope
