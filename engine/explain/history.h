// The history of a program by its records: ops, tapes, watches, variables, questions.
//
// Order: tensor ids and stamps grow along a thread, those of different threads do not compare. Records of
// one thread must come in order; threads may be fed in turn. A tensor id that nothing here explains is from
// before the history, or was recorded by a tape whose nodes were not handed in.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/events/records/functions.h"
#include "engine/events/records/tensors.h"
#include "engine/events/records/values.h"
#include "engine/explain/history_parts.h"
#include "engine/explain/tensor_table.h"

namespace tapescope {

class History {
 public:
  History();

  // Records of one thread, in order.
  void add(std::uint32_t thread, std::span<const Record> records);
  // That `tape` holds a node for the op that made `output`: what a tape's own nodes know, records need not.
  void mark_recorded(TapeId tape, TensorId output);
  // Drops ops, host reads, tensors and questions from before `stamp`, an order stamp of any thread; keeps
  // variables, tapes that were not destroyed, and names of what is kept. Linear in what is kept.
  void forget_before(TensorId stamp);
  void clear();

  const std::vector<HistoryOp>& ops() const { return ops_; }
  std::span<const TensorId> inputs(const HistoryOp& op) const {
    return {inputs_.data() + op.first_input, op.inputs};
  }

  // The op that made a tensor; null for leaves and where no record names it.
  const HistoryOp* producer(TensorId tensor) const;
  std::uint32_t producer_index(TensorId tensor) const { return producer_.find(tensor); }  // kNoIndex if none
  // Indices of the ops that took it as an input, in order of arrival; one more at most than `limit`, from the
  // last.
  std::vector<std::uint32_t> consumers(TensorId tensor, std::size_t limit = SIZE_MAX) const;
  bool has_consumer(TensorId tensor) const { return last_use_.find(tensor) != kNoIndex; }

  // Type id of a tensor, or of a variable's value for a handle; kNoType when unknown.
  std::uint32_t type_of(TensorId tensor) const;
  // The name the program gave it; variables have one always. Empty for the others.
  std::string_view given_name(TensorId tensor) const;
  // Where it was made; 0 when unknown.
  SiteId site_of(TensorId tensor) const;

  const HistoryTape* tape(TapeId id) const;
  const std::map<TapeId, HistoryTape>& tapes() const { return tapes_; }
  const HistoryVariable* variable(TensorId handle) const;
  const HistoryCreate* create(TensorId tensor) const;
  // The fingerprint of a tensor from the host or of a number in an expression; 0 when unknown.
  std::uint16_t mark_of(TensorId tensor) const;
  const std::vector<HistoryAssign>& assigns() const { return assigns_; }
  const std::vector<HistoryRead>& host_reads() const { return reads_; }
  const std::vector<Question>& questions() const { return questions_; }
  const Question* question(std::uint64_t call) const;
  // Branches of conds that ran or were traced, in order of arrival; an inner one before the one it is in.
  const std::vector<HistoryBranch>& branches() const { return branches_; }
  // Whether it is the call of a function, whose graph's ops have their own records.
  bool is_call(const HistoryOp& op) const { return op.op == call_op_; }
  // The branch that ran of the cond in a graph whose node the op is; null for any other op.
  const NodeBranch* branch_of_node(const HistoryOp& op) const;
  // The op of a call's graph that made what the call returned; kNoIndex where no record names it.
  std::uint32_t inner_producer_index(TensorId tensor) const { return inner_producer_.find(tensor); }
  // The ops of the graph that the call ran, in order, as far as they are known: what ran right before it that
  // no tape was offered.
  std::span<const HistoryOp> ops_inside(const HistoryOp& call) const;
  // What the trace that the call ran or took in returns as result `place`; 0 when unknown.
  TensorId result_symbol(const HistoryOp& call, std::uint32_t place) const;
  // The variable whose value the tensor holds although no op read it; 0 for other tensors.
  TensorId variable_of_value(TensorId tensor) const;
  // What a symbol or handle stood for while a function was traced; null unless it was a parameter.
  const TracedParameter* parameter(TensorId symbol) const;
  // What stood for an input of that call in the trace it ran or took in.
  std::vector<TensorId> parameters_for(const HistoryOp& call, TensorId input) const;
  // Whether that branch of the cond at `site` was seen to take the tensor or handle.
  bool branch_took(SiteId site, std::uint32_t branch, TensorId tensor) const;
  // Another branch than `but` of the cond at `site` that was seen to take the tensor or handle; kNoIndex if
  // none was.
  std::uint32_t branch_that_took(SiteId site, std::uint32_t but, TensorId tensor) const;
  // Tensors that the program gave this name, in order.
  std::vector<TensorId> tensors_named(NameId name) const;
  // The last read of values on a thread at or before `stamp`; kNoIndex if there is none.
  std::uint32_t host_read_before(std::uint32_t thread, TensorId stamp) const;
  // The assignment whose value a read of the variable at `stamp` gave; kNoIndex if there is none.
  std::uint32_t assign_before(const HistoryVariable& variable, TensorId stamp) const;

  // The last event of the tape on a thread at or before `stamp`; null before the first one.
  const TapeEvent* tape_event(const HistoryTape& tape, std::uint32_t thread, TensorId stamp) const;
  // How the tape answered the op; nothing when the records do not say.
  std::optional<TapeAnswer> answer(const HistoryOp& op, TapeId tape) const;
  // A tape other than `tape` that recorded the op; 0 if none did.
  TapeId recorded_by_other(const HistoryOp& op, TapeId tape) const;
  const std::vector<std::vector<TapeId>>& tape_sets() const { return tape_sets_; }

  // The thread whose block of ids holds this one; 0 when no record says.
  std::uint32_t thread_of(TensorId tensor) const;
  // The number of training steps that had begun on the thread at `stamp`.
  std::uint32_t step_at(std::uint32_t thread, TensorId stamp) const;
  // What the host put into the graph of an op's trace; empty for an op that called no traced function.
  std::span<const TracedConstant> traced_constants(const HistoryOp& op) const;
  // The name of the function of a trace; empty when unknown.
  std::string_view traced_function(std::uint64_t trace) const;
  // Who reads the tensor in a function that was traced and that the program does not call itself, as a map of
  // tf.data: the library runs it, where no tape is. Null where there is none.
  const UncalledRead* uncalled_read(TensorId tensor) const;
  // What the tensor was seen to hold; null where it was not looked at.
  const TensorValuesRecord* values(TensorId tensor) const;
  bool knows_values() const { return !values_.empty(); }
  bool knows_steps() const { return !step_results_.empty(); }  // what some of them returned
  // What the backward step of the op with that first output was seen to take and return in that gradient
  // call; null where it was not looked at.
  const StepResultRecord* step_result(std::uint64_t call, TensorId output) const;
  // Where the program's text uses a source that no op read, in a function of which an op ran; null where it
  // does not, or where that is not known.
  const UntakenRecord* untaken(TensorId source) const;
  // Records that were dropped on the way.
  std::uint64_t lost() const { return lost_; }

 private:
  struct Thread {
    std::vector<TapeId> active;  // in the order they became so
    std::uint32_t tapes = 0;     // index of that set
    std::vector<NameId> silencers;
    TensorId backward_of = 0;
    struct Walk {
      std::uint32_t question = kNoIndex;
      TensorId outer_backward_of = 0;
    };
    std::vector<Walk> walks;            // that are open: a gradient by hand may ask within one
    TensorId stamp = 0;                 // the latest one seen
    std::uint32_t open_op = kNoIndex;   // operands and outputs that follow are its
    std::uint32_t question = kNoIndex;  // targets, sources and results that follow are its
    std::vector<std::uint32_t> reads;
    std::vector<TensorId> step_starts;
    std::vector<std::pair<TensorId, std::uint16_t>>
        numbers;                           // the last ones made in expressions, with their marks
    std::vector<TracedConstant> baked;     // into traces that are open
    std::uint64_t called = 0;              // trace whose call runs; its op comes last
    std::uint64_t taken_in = 0;            // trace whose call in another trace comes next
    std::optional<NodeBranch> branch_ran;  // of the cond in a graph whose op comes next
    std::vector<std::pair<TensorId, std::uint16_t>>
        parameters;  // of traces that are open, and how deep they are
    struct Result {
      TensorId symbol = 0;
      std::uint32_t place = 0;
      std::uint16_t depth = 0;
    };
    std::vector<Result> results;  // likewise
    TensorId traced_to = 0;       // last op of the traces that are known

    // Whose walk the steps and their ops are of.
    std::uint32_t walked() const { return walks.empty() ? question : walks.back().question; }
  };
  struct Use {
    std::uint32_t op, previous;
  };

  void add_op(std::uint32_t id, Thread& thread, const OpRecord& record);
  void add_operands(std::uint32_t id, Thread& thread, const OperandsRecord& record);
  void add_output(Thread& thread, const OutputRecord& record);
  void add_create(std::uint32_t id, Thread& thread, const CreateRecord& record);
  void add_read(std::uint32_t id, Thread& thread, const HostReadRecord& record);
  void add_branch(std::uint32_t id, const BranchRecord& record);
  void add_parameter(Thread& thread, const TraceParameterRecord& record);
  void add_variable(std::uint32_t id, const VariableRecord& record);
  void add_trainable(std::uint32_t id, const TrainableRecord& record);
  void add_assign(std::uint32_t id, const AssignRecord& record);
  void add_tape_enter(std::uint32_t id, Thread& thread, const TapeEnterRecord& record);
  void add_tape_event(std::uint32_t id, Thread& thread, const TapeRecord& record);
  void add_tape_phase(std::uint32_t id, Thread& thread, HistoryTape& tape, TapeEvent event);
  std::vector<TapeEvent>& events_on(HistoryTape& tape, std::uint32_t thread);
  void add_watch(std::uint32_t id, const WatchRecord& record);
  void add_question(std::uint32_t id, Thread& thread, const GradientAskRecord& record);
  void add_graph_question(Thread& thread, const GraphAskRecord& record);
  void add_result(Thread& thread, const ResultRecord& record);
  void add_step_result(const Thread& thread, const StepResultRecord& record);
  void begin_walk(Thread& thread);
  void end_walk(Thread& thread);
  void add_backward_step(Thread& thread, const BackwardStepRecord& record);
  void add_function_call(Thread& thread, const FunctionCallRecord& record);
  void note_uncalled(Thread& thread, std::uint64_t trace, bool called);
  void find_baked(std::uint32_t id, Thread& thread, const HistoryOp& op, std::uint32_t from);
  bool only_symbols_between(TensorId read, TensorId number) const;
  void forget_branches_before(TensorId stamp);
  void index_op(std::uint32_t index);
  void link_inputs(std::uint32_t index, std::uint32_t from);
  void own_block(TensorId id, std::uint32_t thread);
  std::uint32_t set_of(const std::vector<TapeId>& tapes);
  // The thread made, or would make, tensor `made`; its next id is `next`.
  void note_made(std::uint32_t id, Thread& thread, TensorId made, TensorId next);

  std::vector<HistoryOp> ops_;
  std::vector<TensorId> inputs_;
  std::vector<Use> uses_;
  TensorTable producer_, inner_producer_, last_use_;
  std::unordered_map<TensorId, std::uint32_t> other_types_;  // of outputs but the first
  std::unordered_map<TensorId, HistoryCreate> creates_;
  std::unordered_map<TensorId, std::uint16_t> number_marks_;
  std::unordered_map<TensorId, NameId> names_;
  std::unordered_map<TensorId, HistoryVariable> variables_;
  std::map<TapeId, HistoryTape> tapes_;
  std::vector<HistoryAssign> assigns_;
  std::vector<HistoryRead> reads_;
  std::vector<HistoryBranch> branches_;
  std::unordered_map<TensorId, NodeBranch> branch_of_node_;  // by the node's first output
  std::unordered_map<TensorId, TracedParameter> parameters_;
  std::unordered_map<TensorId, UncalledRead> uncalled_reads_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, TensorId> results_;  // by key of the trace and place
  std::unordered_map<TensorId, TensorId> value_of_;                      // value to handle
  std::map<std::pair<SiteId, std::uint32_t>, std::set<TensorId>>
      branch_variables_;  // of branches that were forgotten
  std::vector<Question> questions_;
  std::map<std::uint32_t, Thread> threads_;
  std::map<std::uint64_t, std::vector<TracedConstant>> traces_;  // by trace_key()
  std::unordered_map<std::uint32_t, NameId> functions_;
  std::multimap<TensorId, UntakenRecord> untaken_;
  std::unordered_map<TensorId, TensorValuesRecord> values_;
  std::map<std::pair<std::uint64_t, TensorId>, StepResultRecord> step_results_;  // by call and output
  OpNameId call_op_, assign_op_;
  std::unordered_map<std::uint64_t, std::uint32_t> block_owners_;
  std::vector<std::vector<TapeId>> tape_sets_;
  std::map<std::vector<TapeId>, std::uint32_t> set_index_;
  std::uint32_t arrivals_ = 0;
  std::uint64_t lost_ = 0;
};

}  // namespace tapescope
