// One training step as tables: what the graph, inspector, timeline, ops and memory panels draw.
//
// Immutable once made; shared by pointer between threads. Texts given as string_view live as long as the
// process.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/names.h"
#include "engine/core/type.h"
#include "engine/events/records/gradients.h"
#include "engine/events/records/ops.h"

namespace tapescope {

inline constexpr std::uint32_t kNoOp = 0xffffffffu;

enum class Direction : std::uint8_t {
  forward,   // ran while a tape was active
  backward,  // ran inside a backward step
  update,    // ran after the step's last backward pass with no tape active
  other,     // ran before it with no tape active
};
// "forward", "backward", "update", "other"
std::string_view name_of(Direction direction);

// One executed op.
struct OpRow {
  std::string_view op;            // op type, "MatMul"
  std::string name;               // readable and unique within the step: "dense_1/MatMul", "Add_2"
  std::string_view tensor_name;   // what the program called its output, or a read's variable; mostly empty
  std::string_view scope;         // "model/dense_1", empty at the root
  std::string_view location;      // "mnist_mlp.cpp:41"; a backward op has its forward op's
  std::string_view types;         // input shapes, "64×784 · 784×128"; "scalar" for rank 0
  std::string_view output_type;   // "64×128"
  std::string_view dtype;         // of the first output, "float32"
  std::string_view not_recorded;  // why no tape recorded it, in words; empty when one did or none was active
  OpNameId op_id = 0;
  ScopeId scope_id = 0;
  SiteId site = 0;
  Direction direction = Direction::forward;
  TapeAnswer answer =
      TapeAnswer::absent;  // the best answer of the active tapes: recorded, else the first one's
  std::uint8_t flags = 0;  // OpRecord's
  bool recorded = false;
  bool in_graph = false;     // it ran as a node of a function's graph
  bool elementwise = false;  // equal operands give equal results, element by element: op_rows.h
  std::uint32_t thread = 0;
  TensorId output = 0;  // first output; the others follow
  std::uint32_t outputs = 1;
  std::uint32_t first_input = 0;  // into StepView::inputs and producers
  std::uint32_t inputs = 0;
  const Type* type = nullptr;  // of the first output
  double start_us = 0;         // since the step began
  double duration_us = 0;
  double inside_us = 0;  // of a function's call: what the ops of its graph took, which have separate rows
  double flops = 0;      // 0 where the op's row has no cost
  double bytes = 0;      // read and written
  std::int64_t output_bytes = 0;
  std::int64_t saved_bytes = 0;         // what it keeps alive for its backward step and no op before it does
  std::int64_t shared_bytes = 0;        // what it keeps as well as an op before it
  std::uint32_t partner = kNoOp;        // backward op: the forward op it differentiates; else kNoOp
  std::uint32_t backward_step = kNoOp;  // into StepView::backward_steps: of a backward op the step it ran in,
                                        // of a forward op the (last) step that walked it
  std::uint32_t call = kNoOp;           // of what ran in a function's call that a tape holds: the call
  std::int32_t node = -1;               // a tape node: executed once the cursor is above this; else -1
};

// With what it called.
inline double whole_us(const OpRow& op) { return op.duration_us + op.inside_us; }
// Whether it is the call of a function, whose graph's ops have separate rows.
inline bool is_call(const OpRow& op) { return op.op == "PartitionedCall"; }

// One tape node walked backwards; in the order of the walk.
struct BackwardStep {
  std::uint32_t forward_op = kNoOp;     // kNoOp when it ran before this step or is not known
  std::uint32_t first_op = 0, ops = 0;  // the ops it ran, consecutive in StepView::ops
  TapeId tape = 0;
  std::uint32_t call = 0;  // which gradient call of the step, from 0
  double start_us = 0, duration_us = 0;
  std::int32_t node = -1;  // executed once the cursor is above this
};

// A gradient() call.
struct GradientCall {
  TapeId tape = 0;
  std::uint64_t id = 0;
  std::string_view location;
  std::string_view tape_made;  // where its tape was made, if it was entered in this step; else empty
  std::vector<TensorId> targets, sources;
  std::vector<NameId> target_names;
  double start_us = 0, duration_us = 0;  // of the walk; 0 when it did not come to one
  bool raised = false;
  bool persistent = false;  // of the tape
  bool inside = false;      // asked while the tape was recording
  bool traced = false;      // asked while a function was traced: the answers are nodes of its graph
};

// A gradient() call's answer for one source.
struct GradientAnswer {
  std::uint32_t call = 0;   // into StepView::calls
  std::uint32_t index = 0;  // which source of the call
  NameId name = 0;          // of the source, distinct among sources of one name (distinct_names.h)
  NameId given = 0;         // what the program calls it
  TensorId source = 0, gradient = 0;
  ResultKind kind = ResultKind::none;
  bool answered = true;  // false: the call raised, or has not come to an end
};

struct AssignRow {
  TensorId variable = 0, value = 0;
  std::string_view location;
  std::uint32_t after_op = 0;  // ops that had run before it
};

// A variable by its handle.
struct VariableRow {
  TensorId id = 0;
  std::string_view name;
  std::string_view location;   // where it was made
  const Type* type = nullptr;  // of its value
  bool trainable = true;
  bool asked = false;  // a gradient() call of the run asked for it; known of a snapshot's variables
};

// A buffer that this step made, or that it keeps though it was made outside: from which op to which it is
// held.
struct BufferLife {
  TensorId tensor = 0;
  std::int64_t bytes = 0;
  std::uint32_t from = 0, to = 0;  // op indices, both included
  std::uint32_t saved_by = kNoOp;  // the recorded op that keeps it for its backward step
  bool outside = false;            // a variable's or an input's: `from` is the op that began to keep it
  const Type* type = nullptr;      // where known
  NameId name = 0;                 // that the program gave it; 0 for none, and for a variable's
};

// What the program's own values were seen to hold: of a backward step, or of a forward op's outputs.
struct SeenValues {
  bool forward = false;
  std::uint32_t index = kNoOp;  // into StepView::ops or backward_steps
  std::uint16_t values = 0;     // gradients returned, or outputs
  std::uint16_t zero_operands = 0;
  ValueMasks results, cotangents;
};

// A tensor that the host made. Equal marks of one type are equal numbers of expressions, and equal tensors
// where one line made them.
struct HostTensor {
  TensorId tensor = 0;
  std::uint32_t type = 0;
  SiteId site = 0;  // 0 for a number in an expression
  std::uint16_t mark = 0;
};

// The program read a tensor's values for more than to print them.
struct HostRead {
  TensorId tensor = 0;
  TensorId stamp = 0;  // the next tensor of the thread
  SiteId site = 0;
  std::uint16_t mark = 0;  // as HostTensor's
};

class Surroundings;
struct StepView;

// A function's call that a viewer stepped into: its graph ran beside the call, op by op.
struct Expansion {
  NameId name = 0;  // of the function
  bool ended = false;
  NameId why = 0;                        // where it went no further than its last op
  std::uint32_t call = kNoOp;            // the op of the step that is the call itself, once it has run
  std::shared_ptr<const StepView> view;  // its ops, all nodes: op i is node i
};

struct TapeCounts {
  std::int64_t executed = 0;  // ops outside of backward passes: recorded + not_recorded
  std::int64_t recorded = 0;
  std::int64_t not_recorded = 0;
  std::int64_t backward_ops = 0;  // ops run inside backward steps
  std::int64_t saved_bytes = 0;   // the most that distinct buffers held for backward passes have at one time
  std::int64_t peak_bytes = 0;    // largest sum of buffers held at once
};

// Where a step begins in the view of a whole program that marks none.
struct StepStart {
  std::uint64_t step = 0;
  std::uint32_t op = 0, call = 0;  // the first ones
};

struct StepView {
  std::uint64_t step = 0;
  int program = 0;
  bool inside = false;                   // of an Expansion: what ran inside one call
  bool complete = false;                 // step_end was seen and it was not abandoned
  bool unmarked = false;                 // of a program that marks no steps: it may go on
  std::vector<OpRow> ops;                // in the order they ran, thread after thread
  std::vector<TensorId> inputs;          // of all ops, one after another
  std::vector<std::uint32_t> producers;  // parallel: the op of this step that made the input, or kNoOp
  std::vector<BackwardStep> backward_steps;
  std::vector<GradientCall> calls;
  std::vector<GradientAnswer> answers;  // in the order of calls and their sources
  std::vector<AssignRow> assigns;
  std::vector<TensorId> watched;       // by hand
  std::vector<HostTensor> host_made;   // in the order they were made, those whose values have a mark
  std::vector<HostRead> host_reads;    // in order
  std::vector<StepStart> starts;       // of the view of a whole program: its steps, which it did not mark
  std::vector<TensorId> lasting;       // operands of the step before, or made as there; by id
  std::vector<SeenValues> seen;        // in the order they were looked at; none where the program does not
  std::vector<VariableRow> variables;  // those this step touched, by first use
  std::vector<Expansion> expansions;   // in order; their ops are not among the step's
  std::vector<BufferLife> buffers;
  std::vector<std::int64_t> live_bytes;  // by op: bytes held while it ran
  std::uint32_t peak_op = kNoOp;
  std::int64_t forward_nodes = 0, nodes = 0;  // tape nodes: recorded forward, all
  double begin_us = 0;                        // since the first event of the run
  double step_us = 0, forward_us = 0, backward_us = 0, update_us = 0;
  TapeCounts counts;
  std::uint64_t lost_events = 0;
  std::shared_ptr<const Surroundings> surroundings;  // null where nothing is known besides the records

  std::span<const TensorId> inputs_of(const OpRow& op) const {
    return {inputs.data() + op.first_input, op.inputs};
  }
  std::span<const std::uint32_t> producers_of(const OpRow& op) const {
    return {producers.data() + op.first_input, op.inputs};
  }
  // The line of the op and those of the functions that led to it, the innermost first. The line alone where
  // the program records no callers.
  std::vector<SiteId> way_to(const OpRow& op) const;
  // The step that the op, or the gradient call, belongs to.
  std::uint64_t step_of_op(std::uint32_t op) const;
  std::uint64_t step_of_call(std::uint32_t call) const;
  // Whether what was noted of that step may be of this view.
  bool holds(std::uint64_t number) const { return !starts.empty() || step == number; }
  // Once the rows are final: makes the look-ups below quick. They are right without it.
  void index();
  // The op whose first or later output that tensor is; kNoOp when none of this step.
  std::uint32_t op_of_tensor(TensorId tensor) const;
  // The tape node with that number; kNoOp beyond. `backward` gets the step where it is one.
  std::uint32_t op_at_node(std::int64_t node, std::uint32_t* backward_step = nullptr) const;
  // Whether the op is the read of a variable, drawn as that: other ops take handles as well, of iterators or
  // of optional values.
  bool reads_variable(const OpRow& op) const {
    return (op.flags & OpRecord::kHandle) != 0 && op.inputs == 1 &&
           (op.op == "ReadVariableOp" || variable(inputs[op.first_input]) != nullptr);
  }
  // The variable with that handle; null when the step did not touch it.
  const VariableRow* variable(TensorId handle) const;

 private:
  std::uint32_t op_making(TensorId tensor, std::uint32_t op) const;

  std::vector<std::uint32_t> by_output_;  // ops that have outputs, by their first one's id
  std::vector<std::uint32_t> by_handle_;  // variables, by id
  std::vector<std::uint32_t> op_at_;      // by tape node: the forward op, kNoOp for a backward one
  std::vector<std::uint32_t> walk_at_;    // by tape node: the backward step, kNoOp for a forward one
  bool indexed_ = false;
};

// The number of an op as the cursor counts: tape nodes executed once it has run, from 1. 0 for what is no
// node.
std::int64_t number_of_op(const StepView& view, std::uint32_t op);
// "op 21"; the name of what is no node.
std::string text_of_op(const StepView& view, std::uint32_t op);

}  // namespace tapescope
