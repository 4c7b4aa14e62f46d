// A traced graph that can be called: eagerly, inside a trace, and under tapes, where one call is one record.
//
// Under a tape the graph's forward variant runs: the same nodes, with the values its gradient needs as
// further results, which the tape saves. The gradient is its own graph, traced once for each set of
// results that a cotangent arrives for and of inputs that want one; it is called like any other, so that
// outer tapes record the call and higher derivatives follow. TensorFlow's names: __inference_f_1,
// __forward_f_1, __backward_f_1.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/graph/call_row.h"
#include "engine/graph/executor.h"
#include "engine/graph/input_set.h"
#include "engine/graph/looks.h"
#include "engine/graph/loop_notes.h"
#include "engine/graph/optimize_records.h"
#include "engine/graph/trace.h"

namespace tapescope {

class GraphFunction : public std::enable_shared_from_this<GraphFunction> {
 public:
  // What runs is the graph as `optimize` leaves it; gradients are those of the graph as it was traced.
  // `saved`: how many of the last results are there for backward alone. `owner` is named in the records about
  // optimizing.
  GraphFunction(TracedGraph traced, const OptimizeOptions& options, std::size_t saved = 0,
                GraphOwner owner = {});

  // One parameter for each of the graph's but the closures, of its type; `results` are as many as the
  // graph's. Tapes and accumulators that follow a parameter or a capture record the call; inside a trace its
  // nodes are added. Returns how many nodes ran: 0 inside a trace.
  std::size_t call(std::span<const Tensor> parameters, std::span<Tensor> results, const Location& location);

  const Graph& graph() const { return *traced_.graph; }
  const TracedGraph& traced() const { return traced_; }
  std::size_t saved() const { return saved_; }
  bool holds_tape() const { return holds_tape_; }  // gradients are asked for inside
  bool updates() const { return updates_; }        // variables are assigned to
  const CallRow& row() const { return row_; }
  // Before the first call.
  void set_owner(GraphOwner owner) { owner_ = owner; }
  GraphOwner owner() const { return owner_; }
  // Runs without any record: parameters, closures included, to all results. Returns how many nodes there
  // were.
  std::size_t run(std::span<const Tensor> parameters, std::span<Tensor> results);

  // What would record a call: nothing; one tape, once; or several, a persistent one or an accumulator, so
  // that gradients of its gradient may be asked for as well (TensorFlow's first-order and higher-order
  // pairs).
  enum class Order : std::uint8_t { none, first, higher };
  // The variant whose calls are recorded, which keeps what gradients of the inputs that are `wanted` read:
  // parameters, then captures; all of them where it is not said. Made at the first such call.
  GraphFunction& forward(Order order, const InputSet& wanted);
  GraphFunction& forward(Order order);
  // What the tapes and accumulators of the thread would do with a call on these inputs. Tapes are notified of
  // the trainable variables among them.
  struct Recorders {
    Order order;
    InputSet followed;  // inputs that any tape follows; all where an accumulator is open
  };
  static Recorders recorders(OpInputs inputs, const Location& location);
  // Of a forward variant: computes the cotangents of its inputs. For the row's vjp.
  void backward(VjpContext& context);

  struct Backward {
    std::shared_ptr<GraphFunction> function;  // absent where no cotangent reaches any input
    std::vector<std::uint32_t> saved;  // results of the forward variant that it takes, before the cotangents
    std::vector<std::uint32_t> cotangents;  // results whose cotangents it takes
    std::vector<std::uint32_t> inputs;      // whose cotangents it gives, in order
    std::vector<const Type*> rows;          // of those: see GradientGraph
  };
  // Of a forward variant: its gradient where those of its results are `given` a cotangent and those of its
  // inputs, its captures included, are `wanted` one. Made once.
  const Backward& backward_for(const InputSet& given, const InputSet& wanted);

 private:
  TracedGraph traced_;
  std::size_t saved_;
  bool holds_tape_, updates_;
  CallRow row_;
  OptimizeOptions options_;
  GraphOwner owner_;
  std::once_flag made_;
  std::unique_ptr<Executable> executable_;  // made at the first run
  std::once_flag looking_made_;
  std::unique_ptr<Executable> looking_;  // with looks; made at the first run that is looked at
  EarlyReads early_reads_;
  LoopNotes loops_;            // of the graph that ran first
  std::vector<Tensor> fixed_;  // closures and captures: what every call takes after its parameters
  struct Forward {
    Order order;
    InputSet wanted;
    std::shared_ptr<GraphFunction> function;
  };
  struct KnownBackward {
    InputSet given, wanted;
    std::unique_ptr<const Backward> backward;  // its address stays
  };
  // Few each: as many as there are ways in which the program asks for gradients.
  std::vector<Forward> forwards_;
  std::vector<KnownBackward> backwards_;
};

}  // namespace tapescope
