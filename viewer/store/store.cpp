// Routing of records into steps.
#include "viewer/store/store.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "engine/events/clock.h"
#include "engine/events/records/callers.h"
#include "engine/events/records/digests.h"
#include "engine/events/records/findings.h"
#include "engine/events/records/functions.h"
#include "engine/events/records/gradients.h"
#include "engine/events/records/graphs.h"
#include "engine/events/records/ops.h"
#include "engine/events/records/steps.h"
#include "engine/events/records/tapes.h"
#include "engine/events/records/tensors.h"
#include "viewer/store/helper_threads.h"
#include "viewer/store/noted_records.h"
#include "viewer/store/store_state.h"
#include "viewer/store/trace_records.h"
#include "viewer/store/unmarked.h"

namespace tapescope {

namespace {
// Tensors made in the first steps are often kept for all; later ones are not worth remembering.
constexpr std::uint64_t kLearningSteps = 4;
constexpr std::size_t kMaxMadeSources = 256;  // each look reads the records of two steps
// Records of traces that are kept for explanations; what is traced later is not.
constexpr std::size_t kTraceRecords = 1 << 16;

}  // namespace

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
  while (!records.empty()) {
    const std::size_t taken = append_first(thread, records);
    records = records.subspan(taken);
  }
}

// Those at the beginning that belong to one step, or outside of all; how many they are.
std::size_t Store::State::append_first(std::uint32_t thread, std::span<const Record> records) {
  const bool own = open ? open->home == thread : held.empty() || held.last().data->home == thread;
  const std::uint64_t ticks = own ? 0 : first_ticks_in(records);
  if (open && (ticks == 0 || ticks >= open->begin)) {
    auto& into = own ? open->segments.front().records : open->segments.of(thread);
    into.insert(into.end(), records.begin(), records.end());
    if (implied) append_between(thread, records);
    return records.size();
  }
  std::size_t taken = records.size();
  if (ticks != 0) {
    const std::size_t late = held.add_late(thread, records, ticks);
    if (late != 0 && !implied) return late;
    const std::uint64_t next = held.begin_after(ticks);
    taken = late != 0 ? late : written_until(records, (open ? std::min(next, open->begin) : next) - 1);
  }
  append_between(thread, records.first(taken));
  return taken;
}

void Store::State::append_between(std::uint32_t thread, std::span<const Record> records) {
  if ((between_records + records.size()) * sizeof(Record) > options.outside_bytes) {
    if (!implied || steps.size() <= kLearningSteps) {
      losses.events += records.size();
      return;
    }
    if (!nonfinite.decided() && has_nonfinite(between)) {
      const StepData all = unmarked();
      nonfinite.look(*make_step_view(all), all, nullptr);
    }
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
  drop_later(open->segments, open->home, record.ticks);  // the next step's
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
  traced.take_called();  // of calls outside of steps
  open_step(thread, record);
  drop_later(between, thread, record.ticks - 1);
  if (!any_step) {
    prologue = std::move(between);
    between.clear();
    any_step = true;
  }
  open->before = std::move(between);
  between.clear();
  between_records = 0;
  if (seen) forget_from(record.step);
}

void Store::State::open_step(std::uint32_t thread, const StepBeginRecord& record) {
  // What an attached program noted before is of a step whose beginning did not come.
  if (steps.empty() && record.step > 1) replicas.clear();
  knows_step = true;
  open = std::make_shared<StepData>();
  open->step = record.step;
  open->program = program;
  open->begin = record.ticks;
  open->home = thread;
  open->surroundings = surroundings;
  if (!held.empty()) open->former = held.last().data;
  open->segments.push_back({thread, {}});
  copy_later(between, thread, record.ticks - 1, open->segments);
  open_view.reset();
}

// A loop that got None may keep the source for all steps to come: this is the last chance to learn its line.
void Store::State::learn_making(TensorId source) {
  if (made_sources == kMaxMadeSources || surroundings->find(source)) return;
  ++made_sources;
  const auto look = [&](const Segments& segments) {
    for (const Segment& segment : segments) {
      for (const Record& record : segment.records) {
        if (!record.is<OpRecord>() || record.as<OpRecord>().output != source) continue;
        surroundings->learn(record);
        return true;
      }
    }
    return false;
  };
  const std::shared_ptr<const StepData> former = open->former.lock();
  if (!look(open->before) && !look(open->segments) && former && !look(former->segments)) look(former->before);
}

void Store::State::end_step(const StepEndRecord& record) {
  open->end = record.ticks;
  open->abandoned = record.abandoned != 0;
  between_records += copy_later(open->segments, open->home, record.ticks, between);
  drop_later(open->segments, open->home, record.ticks);
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
  if (!nonfinite.decided() && has_nonfinite(open->segments))
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
  if (open->without_ops()) count_left_out(*open);
  StepSummary summary;
  summary.step = open->step;
  if (open->begin > surroundings->first_ticks()) {
    summary.begin_us = microseconds(open->begin - surroundings->first_ticks());
  }
  kinds.count(*open, summary);
  steps.push_back(summary);
  steps.bound(options.summaries);
}

// Records that a digest stands for, and not those that it was made of.
void Store::State::count_left_out(const StepData& step) {
  for (const Record& record : step.segments.front().records) {
    if (record.is<StepTimesRecord>()) events += record.as<StepTimesRecord>().left_out;
    if (is_kind<StepTimesRecord>(record.kind) || is_kind<StepCountsRecord>(record.kind) ||
        is_kind<CallTimesRecord>(record.kind))
      --events;
  }
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
    case CallersRecord::kKind:
    case EarlierTensorRecord::kKind: surroundings->learn(record); break;
    case CreateRecord::kKind:
    case TensorNameRecord::kKind:
      if (!open || open->step < kLearningSteps) surroundings->learn(record);
      break;
    case ReplicaRecord::kKind:
      if (knows_step) add_replica(replicas, record.as<ReplicaRecord>(), step, options.summaries);
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
    case LostRecord::kKind:
      losses.add(record.as<LostRecord>());
      if (!record.as<LostRecord>().thinned && open && open->home == thread) knows_step = false;
      break;
    case TapeEnterRecord::kKind: tapes.entered(record.as<TapeEnterRecord>(), step); break;
    case TapeRecord::kReset: tapes.reset(record.as<TapeRecord>().tape); break;
    case TapeRecord::kDestroyed: tapes.destroyed(record.as<TapeRecord>().tape); break;
    case ResultRecord::kKind: {
      const auto& result = record.as<ResultRecord>();
      const bool none = result.result == ResultKind::none;
      if (open) gradients.learn_result(result.source, none, step);
      if (open && none) learn_making(result.source);
      break;
    }
    case SourceRecord::kKind: {
      const TensorId source = record.as<SourceRecord>().tensor;
      const auto made = surroundings->find(source);
      gradients.learn_source(source, made && made->variable);
      break;
    }
    default: functions.add(thread, record); break;
  }
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

void Store::publish(bool exact) {
  state_->dirty = false;
  std::shared_ptr<const Snapshot> made = state_->make(exact);
  std::lock_guard lock(mutex_);
  published_.swap(made);
}

double Store::seconds_judging() const { return state_->judged_now ? state_->judging_seconds : 0; }

std::shared_ptr<const Snapshot> Store::snapshot() const {
  std::lock_guard lock(mutex_);
  return published_;
}

}  // namespace tapescope
