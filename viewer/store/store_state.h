// What a store holds between records and pictures. Only store.cpp, which takes records in, and
// store_snapshot.cpp, which makes the pictures, see it.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "viewer/store/framework_findings.h"
#include "viewer/store/function_row.h"
#include "viewer/store/gradient_table.h"
#include "viewer/store/held_steps.h"
#include "viewer/store/kind_table.h"
#include "viewer/store/log_row.h"
#include "viewer/store/none_places.h"
#include "viewer/store/nonfinite.h"
#include "viewer/store/rows.h"
#include "viewer/store/step_data.h"
#include "viewer/store/store.h"
#include "viewer/store/tape_holds.h"
#include "viewer/store/time_share.h"
#include "viewer/store/traced_gradients.h"

namespace tapescope {

struct Store::State {
  int program = 0;
  StoreOptions options;
  std::shared_ptr<Surroundings> surroundings = std::make_shared<Surroundings>();
  Segments prologue;  // before the first step
  Segments between;   // since the last step ended; of a program that marks none all it did
  std::size_t between_records = 0;
  bool any_step = false;   // that the program marked
  bool knows_step = true;  // false from a loss until a step begins: what comes may be of a later one
  bool implied = false;  // the steps are those that the engine saw begin; their records are in `between`, too
  std::shared_ptr<StepData> open;
  std::shared_ptr<const StepView> open_view;
  std::size_t open_view_records = 0;
  HeldSteps held;

  KindTable kinds;
  GradientTable gradients;
  Sources sources;
  Series<StepSummary> steps;
  std::vector<MetricSeries> metrics;
  std::vector<ReplicaSeries> replicas;
  Series<LogRow> log;
  FunctionLog functions;
  FrameworkFindings findings;
  TracedGradients traced;
  TracedGradients::Traces called;  // traces that the last complete step ran
  bool trace_new = false;          // a function was traced since the last step ended
  bool variable_new = false;       // a variable was made, or met first
  std::size_t trace_records = 0;   // in the prologue, of traces and variables
  TapeHolds tapes;
  std::vector<VariableRow> variables;
  std::unordered_map<TensorId, bool> known_variables;
  NonePlaces none_places;
  std::size_t made_sources = 0;  // of which learn_making() looked for the op
  std::uint64_t events = 0, version = 0;
  Losses losses;
  bool dirty = false;
  std::vector<std::shared_ptr<const StepData>> valued;  // with values of tensors, not explained yet
  NonFiniteFindings nonfinite;
  TimeShare explain_share{20};
  // Of a program that marks no steps: all of it when it was judged last, and what was said then.
  std::shared_ptr<const StepView> judged_whole;
  std::shared_ptr<const Snapshot> judged;  // its places are those in the whole
  TimeShare judging_share{6};
  double judging_seconds = 0;  // what that took
  bool judged_now = false;     // by the last snapshot

  void add(std::uint32_t thread, std::span<const Record> records);
  void append(std::uint32_t thread, std::span<const Record> records);
  std::size_t append_first(std::uint32_t thread, std::span<const Record> records);
  void append_between(std::uint32_t thread, std::span<const Record> records);
  void begin_step(std::uint32_t thread, const StepBeginRecord& record);
  void open_step(std::uint32_t thread, const StepBeginRecord& record);
  void end_step(const StepEndRecord& record);
  void learn_making(TensorId source);
  void begin_implied(std::uint32_t thread, const Record& record);
  void end_implied(const StepEndRecord& record);
  void forget_implied();
  void sum_up();
  void count_left_out(const StepData& step);
  void forget_from(std::uint64_t step);
  void note(std::uint32_t thread, const Record& record);
  void learn_traces(const StepData& data);
  void learn_variables(const StepData& data);
  std::vector<GradientRow> gradient_rows(const StepView& view, const StepData& data,
                                         const TracedGradients::Traces& traces, bool may_explain);
  std::shared_ptr<const StepView> view_of(HeldSteps::Held& entry);
  std::shared_ptr<const StepView> view_of_open();
  StepData unmarked() const;
  // `exact`: it is not to lag behind what was written.
  std::shared_ptr<Snapshot> make(bool exact);
  bool may_lag() const { return !any_step && !held.empty() && judged != nullptr; }
};

}  // namespace tapescope
