// Turns a step's records into rows, thread by thread; what needs all rows at once is done afterwards.
#pragma once
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/events/records/gradients.h"
#include "engine/events/records/ops.h"
#include "engine/events/step_phases.h"
#include "viewer/store/id_index.h"
#include "viewer/store/step_data.h"
#include "viewer/store/step_texts.h"
#include "viewer/store/surroundings.h"

namespace tapescope {

class StepParser {
 public:
  // `around`: whose step the ops are an expansion of; other types and names than theirs are looked up there.
  StepParser(const StepData& data, StepView& view, const StepParser* around = nullptr)
      : data_(data), view_(view), around_(around) {}
  void run();

 private:
  struct Walk {  // a backward pass that is open on the thread
    std::uint32_t call = kNoOp;
    std::uint32_t step = kNoOp;  // of StepView::backward_steps; kNoOp before its first
    std::uint64_t begin = 0;
  };
  struct Pending {  // a backward step whose forward op is looked up once all ops are known
    std::uint32_t step = 0;
    TensorId output = 0;
  };

  void segment(const Segment& segment, bool home);
  void op(const OpRecord& read, std::uint32_t thread, bool home);
  void count_outputs(OpRow& row, std::uint32_t stated);
  void operands(const OperandsRecord& read);
  void backward_step(const BackwardStepRecord& record, bool home);
  void backward_end(const BackwardEndRecord& record, bool home);
  void close_step(Walk& walk, std::uint64_t ticks);
  // A function's call has come to its end, whose ops are those from `first` on; whether its graph holds a
  // gradient.
  void end_call(std::uint32_t first, bool holds_gradient);
  void ask(const GradientAskRecord& record);
  void target(const TargetRecord& record);
  void source(const SourceRecord& record);
  void result(const ResultRecord& record);
  std::uint32_t put_together(std::uint32_t first, bool home);
  void seen(const StepResultRecord& record);
  GradientCall* asked();
  std::uint32_t call_with_id(std::uint64_t id);
  void touch_variable(TensorId handle);

  void expand(const Record& record, std::uint32_t thread);
  void expansions();
  void number_inner_ops();

  void link();      // producers, partners, types
  void describe();  // texts, costs
  void directions();
  void directions_in_graphs();
  void times();
  void memory();  // lifetimes of buffers, saved bytes, the curve of live bytes and its peak
  const Type* type_of(TensorId tensor) const;
  NameId name_given(TensorId tensor) const;
  const Type* type_unseen(const OpRow& row) const;
  double since_begin(std::uint64_t ticks) const;

  const StepData& data_;
  StepView& view_;
  const StepParser* around_;
  std::vector<StepData> expanded_;  // parallel to StepView::expansions
  Surroundings local_;
  TextCache texts_;
  IdIndex<std::uint32_t> producer_{kNoOp};
  std::unordered_map<TensorId, std::uint32_t> later_outputs_;  // types of outputs but the first
  std::unordered_map<TensorId, NameId> names_;
  std::unordered_map<TensorId, OpNameId> traced_;  // by the first output of ops that became nodes of a graph
  std::vector<Walk> walks_;
  std::vector<std::string_view> silencers_;
  struct TapeNow {
    bool persistent = false, recording = false;
    SiteId site = 0;  // where it was made; in older recordings where it was entered
  };
  std::unordered_map<TapeId, TapeNow> tapes_;  // those of the step
  std::vector<Pending> pending_;
  std::vector<std::pair<std::uint32_t, TensorId>> seen_forward_;  // into StepView::seen, and the op's output
  std::vector<std::uint32_t>
      last_backward_;  // by thread segment: ops up to here ran before its last pass ended
  std::vector<std::uint32_t> segment_end_;
  std::unordered_map<TensorId, std::uint32_t> variables_;
  std::unordered_map<std::uint64_t, std::uint32_t> calls_;
  std::uint32_t current_op_ = kNoOp;  // the op whose operands may follow
  std::uint32_t stated_outputs_ = 0;  // of that op
  std::size_t inner_outputs_ = 0;     // of all inner ops, but the first of each
  std::uint32_t open_steps_ = 0;      // backward steps that are open on the thread
  std::int32_t nodes_ = 0;
  StepPhases phases_;                       // of the step's own thread
  bool graph_gradients_ = false;            // a function ran that holds its gradient
  std::vector<std::uint32_t> whole_steps_;  // ops that called one: no part of the update
  std::vector<std::pair<std::uint32_t, std::uint32_t>>
      taped_calls_;  // ops from, to, that ran in calls on a tape: all forward
  std::uint64_t last_ticks_ = 0;
};

}  // namespace tapescope
