// Routing of records into steps, and the making of snapshots.
#include "viewer/store/store.h"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "engine/events/clock.h"
#include "engine/events/records/findings.h"
#include "engine/events/records/functions.h"
#include "engine/events/records/gradients.h"
#include "engine/events/records/graphs.h"
#include "engine/events/records/ops.h"
#include "engine/events/records/steps.h"
#include "engine/events/records/tapes.h"
#include "engine/events/records/tensors.h"
#include "engine/explain/retrace.h"
#include "viewer/store/alerts.h"
#include "viewer/store/explain_share.h"
#include "viewer/store/expressions.h"
#include "viewer/store/framework_findings.h"
#include "viewer/store/function_row.h"
#include "viewer/store/gradient_table.h"
#include "viewer/store/held_steps.h"
#include "viewer/store/kind_table.h"
#include "viewer/store/log_row.h"
#include "viewer/store/nonfinite.h"
#include "viewer/store/noted_records.h"
#include "viewer/store/rounds.h"
#include "viewer/store/rows.h"
#include "viewer/store/step_data.h"
#include "viewer/store/tape_holds.h"
#include "viewer/store/trace_records.h"
#include "viewer/store/traced_gradients.h"
#include "viewer/store/unmarked.h"
#include "viewer/store/zero_reason.h"

namespace tapescope {

namespace {
// Tensors made in the first steps are often kept for all; later ones are not worth remembering.
constexpr std::uint64_t kLearningSteps = 4;
// Records of traces that are kept for explanations; what is traced later is not.
constexpr std::size_t kTraceRecords = 1 << 16;

}  // namespace

struct Store::State {
  int program = 0;
  StoreOptions options;
  std::shared_ptr<Surroundings> surroundings = std::make_shared<Surroundings>();
  Segments prologue;  // before the first step
  Segments between;   // since the last step ended; of a program that marks none all it did
  std::size_t between_records = 0;
  bool any_step = false;  // that the program marked
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
  std::uint64_t events = 0, version = 0;
  Losses losses;
  bool dirty = false;
  std::vector<std::shared_ptr<const StepData>> valued;  // with values of tensors, not explained yet
  NonFiniteFindings nonfinite;
  ExplainShare explain_share;

  void add(std::uint32_t thread, std::span<const Record> records);
  void append(std::uint32_t thread, std::span<const Record> records);
  void append_between(std::uint32_t thread, std::span<const Record> records);
  void begin_step(std::uint32_t thread, const StepBeginRecord& record);
  void open_step(std::uint32_t thread, const StepBeginRecord& record);
  void end_step(const StepEndRecord& record);
  void begin_implied(std::uint32_t thread, const Record& record);
  void end_implied(const StepEndRecord& record);
  void forget_implied();
  void sum_up();
  void forget_from(std::uint64_t step);
  void note(std::uint32_t thread, const Record& record);
  void learn_traces(const StepData& data);
  void learn_variables(const StepData& data);
  std::vector<GradientRow> gradient_rows(const StepView& view, const StepData& data,
                                         const TracedGradients::Traces& traces, bool may_explain);
  std::shared_ptr<const StepView> view_of(HeldSteps::Held& entry);
  std::shared_ptr<const StepView> view_of_open();
  StepData unmarked() const;
  std::shared_ptr<Snapshot> make();
};

void Store::State::add(std::uint32_t thread, std::span<const Record> records) {
  events += records.size();
  dirty = true;
  if (surroundings->first_ticks() == 0) {
    if (const std::uint64_t ticks = first_ticks_in(records)) surroundings->set_first_ticks(ticks);
  }
  std::size_t begin = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Record& record = records[i];
    if (!is_noted(record.kind)) continue;
    if (record.is<StepBeginRecord>()) {
      append(thread, records.subspan(begin, i - begin));
      if (record.as<StepBeginRecord>().implied) begin_implied(thread, record);
      else begin_step(thread, record.as<StepBeginRecord>());
      begin = i + 1;
    } else if (record.is<StepEndRecord>()) {
      append(thread, records.subspan(begin, i - begin));
      if (open && open->home == thread && implied) end_implied(record.as<StepEndRecord>());
      else if (open && open->home == thread) end_step(record.as<StepEndRecord>());
      begin = i + 1;
    } else {
      note(thread, record);
    }
  }
  append(thread, records.subspan(begin));
}

void Store::State::append(std::uint32_t thread, std::span<const Record> records) {
  if (records.empty()) return;
  // Streams are drained one after the other: a helper thread's records may be of a step before this one.
  const std::uint64_t ticks = open && open->home != thread ? first_ticks_in(records) : 0;
  if (open && (ticks == 0 || ticks >= open->begin)) {
    auto& into = open->home == thread ? open->segments.front().records : open->segments.of(thread);
    into.insert(into.end(), records.begin(), records.end());
    if (!implied) return;
  } else if (!implied && held.add_late(thread, records, first_ticks_in(records))) {
    return;
  }
  append_between(thread, records);
}

void Store::State::append_between(std::uint32_t thread, std::span<const Record> records) {
  if ((between_records + records.size()) * sizeof(Record) > options.outside_bytes) {
    if (!implied || steps.size() <= kLearningSteps) {
      losses.events += records.size();
      return;
    }
    const StepData all = unmarked();
    if (!nonfinite.decided() && has_nonfinite(all)) nonfinite.look(*make_step_view(all), all, nullptr);
    drop_middle(between, open ? open->home : thread);
    between_records = 0;
    for (const Segment& segment : between) between_records += segment.records.size();
  }
  auto& into = between.of(thread);
  into.insert(into.end(), records.begin(), records.end());
  between_records += records.size();
}

// A program that marks no steps begins one. Its records are shown step by step, and judged together: it may
// ask for what an earlier step made.
void Store::State::begin_implied(std::uint32_t thread, const Record& record) {
  const auto begin = record.as<StepBeginRecord>();
  if (any_step) return;
  if (open) end_implied({.step = open->step, .ticks = begin.ticks});
  if (!steps.empty() && steps.back().step >= begin.step) forget_from(begin.step);
  implied = true;
  append_between(thread, std::span(&record, 1));
  open_step(thread, begin);
}

void Store::State::end_implied(const StepEndRecord& record) {
  open->end = record.ticks;
  open->complete = record.abandoned == 0;
  if (open->complete) {
    sum_up();
    held.add(std::move(open), false, options.held_steps, options.held_bytes);
  }
  open.reset();
  open_view.reset();
}

// The program marks its steps after all.
void Store::State::forget_implied() {
  implied = false;
  open.reset();
  open_view.reset();
  held.clear();
  steps = {};
  kinds.clear();
}

void Store::State::begin_step(std::uint32_t thread, const StepBeginRecord& record) {
  if (implied) forget_implied();
  if (open) {  // its end was lost, or the program went on without one
    open->end = record.ticks;
    end_step({.abandoned = 1, .step = open->step, .ticks = record.ticks});
  }
  const bool seen = !steps.empty() && steps.back().step >= record.step;
  if (trace_new) {
    StepData outside;
    outside.complete = true;
    outside.home = thread;
    outside.segments = between;
    outside.surroundings = surroundings;
    learn_traces(outside);
  }
  // What ops made before the first steps is often kept for all, as what the host made.
  if (steps.size() < kLearningSteps) {
    for (const Segment& segment : between) {
      for (const Record& outside : segment.records) {
        const bool relevant =
            outside.is<OpRecord>() || outside.is<OutputRecord>() || outside.is<TensorNameRecord>();
        if (relevant) surroundings->learn(outside);
      }
    }
  }
  if (!any_step) {
    prologue = std::move(between);
    between.clear();
    any_step = true;
  }
  traced.take_called();  // of calls outside of steps
  open_step(thread, record);
  open->before = std::move(between);
  between.clear();
  between_records = 0;
  if (seen) forget_from(record.step);
}

void Store::State::open_step(std::uint32_t thread, const StepBeginRecord& record) {
  open = std::make_shared<StepData>();
  open->step = record.step;
  open->program = program;
  open->begin = record.ticks;
  open->home = thread;
  open->surroundings = surroundings;
  if (!held.empty()) open->former = held.last().data;
  open->segments.push_back({thread, {}});
  open_view.reset();
}

void Store::State::end_step(const StepEndRecord& record) {
  open->end = record.ticks;
  open->abandoned = record.abandoned != 0;
  if (trace_new) learn_traces(*open);
  else if (variable_new) learn_variables(*open);
  variable_new = false;
  if (open->abandoned) {
    // Kept as the current step until something else begins; never among the complete ones.
    open_view = make_step_view(*open);
    open_view_records = open->records();
    open.reset();
    return;
  }
  open->complete = true;
  if (!nonfinite.decided() && has_nonfinite(*open))
    nonfinite.look(*make_step_view(*open), *open, any_step ? &prologue : nullptr);
  called = traced.take_called();
  const bool has_values = saw_values(*open);
  if (has_values) {
    valued.push_back(open);
    gradients.learn_traced_zeros(*open, any_step ? &prologue : nullptr);
  }
  sum_up();
  held.add(std::move(open), has_values, options.held_steps, options.held_bytes);
  open.reset();
  open_view.reset();
}

// Counts the open step, which is over.
void Store::State::sum_up() {
  StepSummary summary;
  summary.step = open->step;
  if (open->begin > surroundings->first_ticks()) {
    summary.begin_us = microseconds(open->begin - surroundings->first_ticks());
  }
  kinds.count(*open, summary);
  steps.push_back(summary);
  steps.bound(options.summaries);
}

// What was traced counts for all steps to come: the answers of tapes inside, and for explanations what the
// traces did.
void Store::State::learn_traces(const StepData& data) {
  trace_new = false;
  if (traced.has_new()) {
    const auto view = make_step_view(data);
    std::unordered_map<std::uint64_t, std::vector<GradientRow>> by_call;
    for (GradientRow& row : gradients.rows(*view, data, &prologue, true)) {
      const GradientCall& call = view->calls[row.call];
      if (call.traced) by_call[call.id].push_back(std::move(row));
    }
    for (auto& [call, rows] : by_call) traced.remember(call, std::move(rows));
    traced.close();
  }
  if (!any_step) return;  // all of it becomes the prologue
  for (const Segment& segment : data.segments) {
    const std::vector<Record> kept = lasting_trace_records(segment.records);
    if (trace_records + kept.size() > kTraceRecords) break;
    trace_records += kept.size();
    auto& into = prologue.of(segment.thread);
    into.insert(into.end(), kept.begin(), kept.end());
  }
}

// Variables that a step makes, or meets first, are there in all steps to come.
void Store::State::learn_variables(const StepData& data) {
  if (!any_step) return;  // all of it becomes the prologue
  for (const Segment& segment : data.segments) {
    for (const Record& record : segment.records) {
      if (!record.is<VariableRecord>() && !record.is<TrainableRecord>()) continue;
      if (++trace_records > kTraceRecords) return;
      prologue.of(segment.thread).push_back(record);
    }
  }
}

// Rows of what the step asked, and of what the functions it called asked when they were traced.
std::vector<GradientRow> Store::State::gradient_rows(const StepView& view, const StepData& data,
                                                     const TracedGradients::Traces& traces,
                                                     bool may_explain) {
  // What made zeros in a step whose values are known made those of later steps.
  gradients.learn_zeros(valued, any_step ? &prologue : nullptr);
  std::vector<GradientRow> rows = gradients.rows(view, data, any_step ? &prologue : nullptr, may_explain);
  std::set<std::uint64_t> known;
  for (const GradientCall& call : view.calls) known.insert(call.id);
  for (GradientRow& row : traced.rows(traces, known)) {
    gradients.renew(row, view);
    rows.push_back(std::move(row));
  }
  if (!any_step) gradients.learn_traced_zeros(data, nullptr);
  gradients.explain_traced_zeros(rows, view, data, any_step ? &prologue : nullptr);
  GradientTable::sort(rows);
  return rows;
}

void Store::State::forget_from(std::uint64_t step) {
  std::size_t keep = steps.size();
  while (keep > 0 && steps[keep - 1].step >= step) --keep;
  steps.truncate(keep);
  // The replayed step's former run stays to be seen until it is complete again.
  held.forget_after(step);
  kinds.forget_from(step);
  gradients.forget_from(step);
  nonfinite.forget_from(step);
  forget_points_from(metrics, step);
  forget_replicas_from(replicas, step);
  tapes.forget_from(step);
}

void Store::State::note(std::uint32_t thread, const Record& record) {
  const std::uint64_t step = open ? open->step : steps.empty() ? 0 : steps.back().step;
  switch (record.kind) {
    case VariableRecord::kKind:
    case TrainableRecord::kKind:
      surroundings->learn(record);
      variable_new = true;
      break;
    case EarlierTensorRecord::kKind: surroundings->learn(record); break;
    case CreateRecord::kKind:
    case TensorNameRecord::kKind:
      if (!open || open->step < kLearningSteps) surroundings->learn(record);
      break;
    case ReplicaRecord::kKind:
      add_replica(replicas, record.as<ReplicaRecord>(), step, options.summaries);
      break;
    case ScalarRecord::kKind: add_point(metrics, record.as<ScalarRecord>(), options.summaries); break;
    case MessageRecord::kKind:
    case BatchFallbackRecord::kKind:
      if (log.size() < options.log_lines) log.push_back(log_row(record, step));
      break;
    case GradientAskRecord::kKind:
      tapes.asked(record.as<GradientAskRecord>().tape);
      traced.add(thread, record);
      break;
    case FunctionCallRecord::kKind:
      traced.add(thread, record);
      trace_new |=
          (record.as<FunctionCallRecord>().flags & FunctionCallRecord::kTraced) != 0 || traced.has_new();
      functions.add(thread, record);
      break;
    case FindingRecord::kKind:
    case FindingFiguresRecord::kKind:
    case FindingStepRecord::kKind: findings.add(record, step); break;
    case LostRecord::kKind: losses.add(record.as<LostRecord>()); break;
    case TapeEnterRecord::kKind: tapes.entered(record.as<TapeEnterRecord>(), step); break;
    case TapeRecord::kReset: tapes.reset(record.as<TapeRecord>().tape); break;
    case TapeRecord::kDestroyed: tapes.destroyed(record.as<TapeRecord>().tape); break;
    case SourceRecord::kKind: {
      const TensorId source = record.as<SourceRecord>().tensor;
      const auto made = surroundings->find(source);
      gradients.learn_source(source, made && made->variable);
      break;
    }
    default: functions.add(thread, record); break;
  }
}

std::shared_ptr<const StepView> Store::State::view_of(HeldSteps::Held& entry) {
  if (!entry.view) {
    for (const VariableRow& variable : held.view_of(entry)->variables) {
      if (known_variables.emplace(variable.id, true).second) variables.push_back(variable);
    }
    // Sizes are known only for steps that were looked at.
    for (std::size_t i = steps.size(); i-- > 0 && steps[i].step >= entry.view->step;) {
      if (steps[i].step != entry.view->step) continue;
      StepSummary summary = steps[i];
      summary.counts = entry.view->counts;
      steps.set(i, summary);
    }
  }
  return entry.view;
}

std::shared_ptr<const StepView> Store::State::view_of_open() {
  if (open && !(implied && held.empty())) {
    const std::size_t records = open->records();
    if (!open_view || records != open_view_records) {
      open_view = make_step_view(*open);
      open_view_records = records;
    }
  }
  return open_view;  // an abandoned one where none is open, or none
}

// Of a program without steps: everything so far is one.
StepData Store::State::unmarked() const {
  StepData all;
  all.program = program;
  all.begin = surroundings->first_ticks();
  all.complete = true;
  all.home = between.front().thread;
  all.segments = between;
  all.surroundings = surroundings;
  return all;
}

std::shared_ptr<Snapshot> Store::State::make() {
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->version = ++version;
  snapshot->program = program;
  snapshot->step_base = any_step ? surroundings->step_base() : 1;
  snapshot->first_ticks = surroundings->first_ticks();
  snapshot->events = events;
  snapshot->lost_events = losses.events;
  snapshot->thinned = losses.thinned;
  snapshot->idle = open == nullptr || implied;
  if (!held.empty()) snapshot->complete = view_of(held.last());
  snapshot->current = view_of_open();
  StepData all;  // of a program that marks no steps
  std::shared_ptr<const StepView> whole;
  if (!any_step && !between.empty()) {
    all = unmarked();
    whole = make_step_view(all);
    LastRounds rounds = last_rounds(all);
    snapshot->rounds = std::move(rounds.last);
    snapshot->rounds_before = std::move(rounds.before);
    if (!snapshot->complete) snapshot->complete = snapshot->current = whole;
  }
  if (!snapshot->current) snapshot->current = snapshot->complete;

  snapshot->recent = held.last_views(options.recent_steps, options.recent_ops);
  for (HeldSteps::Held& entry : held.all()) {
    snapshot->held.push_back(entry.data);
    entry.shared = true;
  }
  snapshot->steps = steps;
  snapshot->metrics = metrics;
  snapshot->replicas = replicas;
  snapshot->log = log;
  snapshot->op_kinds = kinds.rows(snapshot->complete.get());
  snapshot->variables = variables;
  if (whole) snapshot->variables = whole->variables;
  for (VariableRow& variable : snapshot->variables)
    variable.asked = gradients.sources().contains(variable.id);
  for (const FunctionAccount& account : functions.accounts())
    snapshot->functions.push_back(function_row(account));
  findings.add_functions(snapshot->functions);
  snapshot->judged = !findings.empty();
  snapshot->advice = findings.advice();
  std::ranges::sort(snapshot->functions, std::greater{}, &FunctionRow::trace_us);
  snapshot->tapes = tapes.alive();

  // The newest step that asked for gradients: the one that runs, else the last complete one.
  gradients.add_stats({});
  const bool may_explain = explain_share.allows(gradients.explain_seconds());
  const StepView* asked = nullptr;
  const StepData* asked_data = nullptr;
  const TracedGradients::Traces* traces = &traced.called();
  if (snapshot->current && open && !implied &&
      std::ranges::any_of(snapshot->current->answers, &GradientAnswer::answered)) {
    asked = snapshot->current.get();
    asked_data = open.get();
  } else if (any_step && !held.empty()) {
    asked = snapshot->complete.get();
    asked_data = held.last().data.get();
    traces = &called;
  } else if (whole) {
    asked = whole.get();
    asked_data = &all;
  }
  if (asked) snapshot->gradients = gradient_rows(*asked, *asked_data, *traces, may_explain);
  snapshot->sources = sources.of(*snapshot, options.source_paths);
  name_by_expressions(snapshot->sources.get(), snapshot->gradients);
  if (!nonfinite.decided() && asked && (may_explain || !nonfinite.only_skipped()) &&
      has_nonfinite(*asked_data))
    nonfinite.look(*asked, *asked_data, any_step ? &prologue : nullptr);
  if (nonfinite.recovered(gradients)) leave_skipped_out(snapshot->gradients, nonfinite.skipped_gradients());
  if (whole && asked == whole.get()) leave_one_of_each(snapshot->gradients);
  findings.answer(snapshot->gradients);
  if (snapshot->judged) GradientTable::sort(snapshot->gradients);
  const std::vector<TapesOfLine> places = tapes.places();
  snapshot->alerts = make_alerts({.view = asked,
                                  .gradients = snapshot->gradients,
                                  .skipped_sources = nonfinite.skipped_sources(gradients),
                                  .table = &gradients,
                                  .metrics = snapshot->metrics,
                                  .tapes = places,
                                  .functions = snapshot->functions,
                                  .thresholds = options.thresholds,
                                  .step_base = snapshot->step_base});
  if (asked && !asked->seen.empty()) {
    for (const ZeroProof& proof : prove_zeros(*asked, seen_nodes(*asked), snapshot->gradients)) {
      apply_proof(*asked, proof, snapshot->gradients);
    }
  }
  if (const NonFiniteOrigin* const shown = nonfinite.shown(gradients)) {
    apply_origin(*shown, snapshot->alerts, snapshot->step_base);
    // A later step has the same ops: its own is shown.
    const auto view = snapshot->shown();
    const StepView* judged = whole ? whole.get() : view.get();
    if (judged && !snapshot->alerts.empty() && snapshot->alerts.front().node == shown->node)
      snapshot->alerts.front().op_index = op_of(*shown, *judged);
  }
  findings.alert(snapshot->alerts);
  if (const auto view = snapshot->shown(); whole && view && view != whole)
    place_in(*view, *whole, snapshot->gradients, snapshot->alerts);
  return snapshot;
}

Store::Store(int program, StoreOptions options)
    : state_(std::make_unique<State>()), published_(std::make_shared<Snapshot>()) {
  state_->program = program;
  state_->options = options;
  state_->version = options.first_version;
  state_->surroundings->set_step_base(options.step_base);
}
Store::~Store() = default;

void Store::add(std::uint32_t thread, std::span<const Record> records) { state_->add(thread, records); }

void Store::add_stats(std::span<const StatsEntry> entries) {
  state_->gradients.add_stats(entries);
  state_->dirty |= !entries.empty();
}

void Store::set_thresholds(const AlertThresholds& thresholds) {
  if (thresholds == state_->options.thresholds) return;
  state_->options.thresholds = thresholds;
  state_->dirty = true;
}

void Store::set_step_base(std::uint64_t base) { state_->dirty |= state_->surroundings->set_step_base(base); }

void Store::clear() {
  auto empty = std::make_unique<State>();
  empty->program = state_->program;
  empty->options = std::move(state_->options);
  empty->version = state_->version;
  empty->surroundings->set_step_base(state_->surroundings->step_base());
  state_ = std::move(empty);
  publish();
}

bool Store::dirty() const { return state_->dirty; }

void Store::publish() {
  state_->dirty = false;
  std::shared_ptr<const Snapshot> made = state_->make();
  std::lock_guard lock(mutex_);
  published_.swap(made);
}

std::shared_ptr<const Snapshot> Store::snapshot() const {
  std::lock_guard lock(mutex_);
  return published_;
}

}  // namespace tapescope
