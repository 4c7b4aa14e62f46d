// Ways through the graphs of functions.
#include "engine/explain/calls.h"

#include <algorithm>
#include <array>

namespace tapescope {
namespace {

constexpr int kMostCalls = 32;              // inside of each other
constexpr std::size_t kMostSteps = 10'000;  // of one way: calls that call each other twice double it

bool is_traced(const History& history, std::uint32_t op) {
  return (history.ops()[op].flags & OpRecord::kTraced) != 0;
}

}  // namespace

const InsideCall& InsideCalls::of(const HistoryOp& call, std::uint32_t output, std::uint32_t slot, bool weak,
                                  int depth) {
  const auto [known, is_new] = known_.try_emplace({&call, output, slot, weak});
  if (is_new) known->second = look_up(call, output, slot, weak, depth);
  return known->second;
}

InsideCall InsideCalls::look_up(const HistoryOp& call, std::uint32_t output, std::uint32_t slot, bool weak,
                                int depth) {
  if (depth > kMostCalls || slot >= call.inputs) return {};
  const TensorId input = history_.inputs(call)[slot];
  PathSearch::Graph graph;
  graph.sources = history_.parameters_for(call, input);
  graph.sources.push_back(input);
  graph.ends.assign(history_.inputs(call).begin(), history_.inputs(call).end());
  graph.depth = depth;
  graph.insides = this;
  InsideCall found;
  const auto look = [&](std::uint32_t start, TensorId tensor, bool across) {
    graph.start = start;
    graph.output = static_cast<std::uint32_t>(tensor - history_.ops()[start].output);
    PathSearch search({history_, nullptr, 0, tensor, input}, across, graph);
    InsideCall one = way_of(search, across, depth);
    if (one.leads || !found.known) found = std::move(one);
  };
  const TensorId symbol = history_.result_symbol(call, output);
  if (symbol != 0) {
    found.known = true;
    found.leads = std::find(graph.sources.begin(), graph.sources.end(), symbol) != graph.sources.end();
    const std::uint32_t made = history_.producer_index(symbol);
    if (found.leads || made == kNoIndex || !is_traced(history_, made)) return found;
    look(made, symbol, false);
    if (!found.leads && weak) look(made, symbol, true);
    return found;
  }
  const std::uint32_t ran = history_.inner_producer_index(call.output + output);
  if (ran != kNoIndex) look(ran, call.output + output, false);
  return found;
}

// What the search of one graph found, with the ops of the calls in it in their places.
InsideCall InsideCalls::way_of(PathSearch& search, bool weak, int depth) {
  InsideCall found{.known = true};
  const std::vector<PathStep> steps = search.run();
  found.leads = !steps.empty();
  std::size_t end = steps.size();
  while (end > 0 && steps[end - 1].cut.reason == Reason::none) --end;
  if (end > 0) found.cut = steps[end - 1].cut;
  else end = steps.size();
  for (std::size_t i = 0; i < end; ++i) {
    found.steps.push_back(steps[i]);
    if (steps[i].kind != PathStep::Kind::op || !history_.is_call(history_.ops()[steps[i].index])) continue;
    const InsideCall& inner =
        of(history_.ops()[steps[i].index], steps[i].output, steps[i].slot, weak, depth + 1);
    if (found.steps.size() + inner.steps.size() <= kMostSteps)
      found.steps.insert(found.steps.end(), inner.steps.begin(), inner.steps.end());
  }
  return found;
}

namespace {

// Made by a backward op; what is added up at the end is the sum of what backward ops made.
bool is_gradient(const History& history, const HistoryOp* op) {
  if (!op) return false;
  if (op->flags & OpRecord::kBackward) return true;
  const HistoryOp* first =
      op_name_text(op->op) == "AddN" ? history.producer(history.inputs(*op)[0]) : nullptr;
  return first && first->flags & OpRecord::kBackward;
}

}  // namespace

bool returns_gradient(const History& history, const HistoryOp& call) {
  if (!history.is_call(call)) return false;
  for (std::uint32_t k = 0; k < call.outputs; ++k) {
    const TensorId symbol = history.result_symbol(call, k);
    const std::uint32_t ran = history.inner_producer_index(call.output + k);
    if (symbol != 0 ? is_gradient(history, history.producer(symbol))
                    : ran != kNoIndex && is_gradient(history, &history.ops()[ran]))
      return true;
  }
  return false;
}

bool only_ignored_by_functions(const History& history, TensorId tensor) {
  const std::vector<std::uint32_t> uses = history.consumers(tensor);
  return !uses.empty() && std::all_of(uses.begin(), uses.end(), [&](std::uint32_t use) {
    const HistoryOp& op = history.ops()[use];
    if (!history.is_call(op) || history.result_symbol(op, 0) == 0) return false;
    const std::vector<TensorId> symbols = history.parameters_for(op, tensor);
    return !symbols.empty() && std::none_of(symbols.begin(), symbols.end(), [&](TensorId symbol) {
      return symbol == tensor || history.has_consumer(symbol);
    });
  });
}

bool only_its_shape_was_taken(const History& history, TensorId tensor) {
  constexpr std::array<std::string_view, 6> kShapes{"ZerosLike", "OnesLike", "Shape",
                                                    "Size",      "Rank",     "VariableShape"};
  const auto takes_shape = [&](std::uint32_t use) {
    return std::ranges::find(kShapes, op_name_text(history.ops()[use].op)) != kShapes.end();
  };
  return std::ranges::all_of(history.consumers(tensor), [&](std::uint32_t use) {
    const HistoryOp& op = history.ops()[use];
    if (takes_shape(use)) return true;
    if (!(op.flags & OpRecord::kHandle) || op_name_text(op.op) != "ReadVariableOp") return false;
    const std::vector<std::uint32_t> readers = history.consumers(op.output);
    return !readers.empty() && std::ranges::all_of(readers, takes_shape);
  });
}

const UncalledRead* only_read_uncalled(const History& history, TensorId tensor) {
  const UncalledRead* read = history.uncalled_read(tensor);
  const auto uses = history.consumers(tensor);
  const bool elsewhere = std::ranges::any_of(uses, [&](std::uint32_t use) {
    const HistoryOp& op = history.ops()[use];
    // The op that makes the pipeline takes what its function reads.
    if (op_name_text(op.op).find("Dataset") != std::string_view::npos) return false;
    return (op.flags & (OpRecord::kTraced | OpRecord::kBackward | OpRecord::kSilenced)) == 0;
  });
  return elsewhere ? nullptr : read;
}

bool is_captured(const History& history, const HistoryOp& call, TensorId tensor) {
  return history.is_call(call) && call.trace != 0 && history.parameters_for(call, tensor).empty();
}

}  // namespace tapescope
