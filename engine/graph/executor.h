// Runs a graph: the kernels of eager ops on tensors that are made once and pointed at planned buffers.
//
// Nodes run one after another, in the order they were traced, so that what has an effect keeps its place; the
// kernels divide large work among threads themselves. Nothing is allocated from the system in the steady
// state.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "engine/graph/graph.h"
#include "engine/graph/memory_plan.h"

namespace tapescope {

struct ExecutorOptions {
  // Off: every value gets its own tensor, as in eager execution. The same happens while the debugger
  // holds the thread, so that what it shows stays as it is.
  bool plan = true;
  // While a session holds the step's tensors, values stay apart to be held as well, unless the graph's own
  // looks (looks.h) see what is wrong.
  bool looks = false;
};

// The ids of a run's results: new and consecutive, as of an op's outputs, or, while a session listens, those
// by which the records of the nodes name them, for a reader inside the same node.
enum class ResultIds : std::uint8_t { consecutive, of_nodes };

class Executable {
 public:
  explicit Executable(std::shared_ptr<const Graph> graph, ExecutorOptions options = {});
  ~Executable();
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;

  // Parameters are those of the graph, in order and of exactly its types; `results` has room for all of the
  // graph's results. These are new tensors that later runs leave alone (what stands for something else, such
  // as a variable's handle, is passed through). No tape, accumulator or interceptor of the thread sees the
  // nodes. While a session listens, each node leaves the record an eager op leaves, its site that of the
  // trace; the debugger's gate is offered each node. May be called from several threads at once and from
  // within itself. Throws Error where a parameter does not fit and where a kernel refuses its input.
  void run(std::span<const Tensor> parameters, std::span<Tensor> results,
           ResultIds ids = ResultIds::consecutive);

  const Graph& graph() const { return *graph_; }
  const MemoryPlan& plan() const { return plan_; }

 private:
  struct Result {
    ValueIndex value;
    ValueIndex root;
    bool direct;  // the tensor of this run itself is handed out; else a view of it
  };
  struct State;
  class Turn;

  std::unique_ptr<State> make_state() const;
  void run_planned(State& state, std::span<const Tensor> parameters, std::span<Tensor> results,
                   bool recorded);
  void run_apart(std::span<const Tensor> parameters, std::span<Tensor> results, bool recorded);
  void check(std::span<const Tensor> parameters, std::span<Tensor> results) const;
  // The results of values that lie in these tensors, with their ids.
  void hand_out(std::span<const Tensor> parameters, std::span<const Tensor> tensors,
                std::span<Tensor> results) const;

  const std::shared_ptr<const Graph> graph_;
  const ExecutorOptions options_;
  const MemoryPlan plan_;
  std::vector<SiteId> sites_;  // by node
  std::vector<Result> results_;
  std::vector<std::uint32_t> first_death_;  // by node, into deaths_; one more at the end
  std::vector<ValueIndex> deaths_;          // values that nothing needs after the node
  std::mutex mutex_;
  std::vector<std::unique_ptr<State>> idle_;  // one for each thread that ran at the same time
};

}  // namespace tapescope
