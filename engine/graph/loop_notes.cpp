// Measures members and watches what becomes of their machine code.
#include "engine/graph/loop_notes.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "engine/gate/state.h"
#include "engine/graph/flow_node.h"
#include "engine/graph/fused.h"

namespace tapescope {
namespace {

using State = kernels::CompiledTiles::State;

State state_of(const FusedChain& chain) {
  return chain.program.compiled ? chain.program.compiled->state() : State::refused;
}

LoopCode code_of(State state) {
  switch (state) {
    case State::interpreted:
    case State::waiting: return LoopCode::waiting;
    case State::compiled: return LoopCode::machine_code;
    case State::refused:
    case State::missing: break;
  }
  return LoopCode::interpreter;
}

bool may_come(State state) { return code_of(state) == LoopCode::waiting; }

std::string why_interpreted(const FusedChain& chain, State state, bool compiled) {
  if (!compiled) return "the function is not compiled";
  if (!chain.program.compiled)
    return fmt::format("no machine code for {}", kernels::obstacle_to_machine_code(chain.program));
  switch (state) {
    case State::interpreted: return "it is made when the loop runs a second time";
    case State::waiting: return "it is being made";
    case State::missing: return "LLVM 19 is not installed";
    default: return "LLVM could not make it";
  }
}

// Of the time of all members, by member: each step alone. A reduction at the end folds what is computed, and
// counts as one pass over the elements.
std::vector<double> shares(const FusedChain& chain) {
  const std::vector<double> steps = kernels::measure_steps(chain.program);
  std::vector<double> found;
  std::size_t next = 0;
  double total = 0;
  for (const GraphNode& member : chain.parts->nodes()) {
    double time = 0;
    const std::size_t own = member.op->name == "AddN" ? member.inputs - 1 : 1;
    if (next >= steps.size() && !found.empty()) time = *std::ranges::min_element(steps);
    for (std::size_t s = 0; s < own && next < steps.size(); ++s) time += steps[next++];
    found.push_back(time);
    total += time;
  }
  for (double& share : found) share = total > 0 ? share / total : 0;
  return found;
}

}  // namespace

void LoopNotes::add_loops(const Graph& graph) {
  ThreadState& ts = state();
  const NameId name = intern_name(graph_->name());
  for (const GraphNode& node : graph.nodes()) {
    if (const FlowRow* flow = flow_row_of(*node.op)) {
      for (const FlowBody& body : flow->node->bodies()) add_loops(*body.graph);
    }
    if (node.op != &kFusedElementwise && node.op != &kFusedReduction) continue;
    const FusedChain& chain = fused_chain(node.attrs);
    const auto loop = static_cast<std::uint16_t>(loops_.size());
    loops_.push_back({&chain, loop, state_of(chain)});
    ts.writer.write(FusedLoopRecord{.loop = loop,
                                    .graph = name,
                                    .function = owner_.function,
                                    .trace = owner_.trace,
                                    .op = node.op->id,
                                    .site = intern_site(node.location, node.scope)});
    const std::vector<double> share = shares(chain);
    const auto members = chain.parts->nodes();
    for (std::size_t m = 0; m < members.size(); ++m) {
      ts.writer.write(LoopMemberRecord{.loop = loop,
                                       .graph = name,
                                       .function = owner_.function,
                                       .trace = owner_.trace,
                                       .op = members[m].op->id,
                                       .site = intern_site(members[m].location, members[m].scope),
                                       .share = static_cast<float>(share[m])});
    }
    write_code(loops_.back());
  }
}

void LoopNotes::write_code(const Watched& watched) const {
  LoopCodeRecord record{.code = code_of(watched.state),
                        .loop = watched.loop,
                        .graph = intern_name(graph_->name()),
                        .function = owner_.function,
                        .trace = owner_.trace};
  if (record.code == LoopCode::machine_code) {
    const kernels::CompiledTiles& tiles = *watched.chain->program.compiled;
    const kernels::MachineCode& code = *tiles.made();
    record.bytes = static_cast<std::uint32_t>(code.code_bytes);
    record.microseconds = tiles.was_there() ? 0 : static_cast<float>(code.milliseconds * 1000);
  } else {
    record.why = intern_name(why_interpreted(*watched.chain, watched.state, compiled_));
  }
  state().writer.write(record);
}

void LoopNotes::begin(std::shared_ptr<const Graph> graph, bool compiled, GraphOwner owner) {
  const bool listens = state().listen.load(std::memory_order_relaxed) & kListenEvents;
  if (owner.function == 0 || !listens) return;
  const std::lock_guard lock(mutex_);
  if (graph_) return;
  graph_ = std::move(graph);
  compiled_ = compiled;
  owner_ = owner;
  add_loops(*graph_);
  waiting_ = std::ranges::any_of(loops_, [](const Watched& w) { return may_come(w.state); });
}

void LoopNotes::update() {
  if (!waiting_.load(std::memory_order_relaxed)) return;
  if ((state().listen.load(std::memory_order_relaxed) & kListenEvents) == 0) return;
  const std::lock_guard lock(mutex_);
  bool waiting = false;
  for (Watched& watched : loops_) {
    if (!may_come(watched.state)) continue;
    const State state = state_of(*watched.chain);
    waiting |= may_come(state);
    if (std::exchange(watched.state, state) != state) write_code(watched);
  }
  waiting_ = waiting;
}

}  // namespace tapescope
