// Makes the pictures of what a store holds.
#include <algorithm>
#include <chrono>
#include <functional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "engine/explain/python_words.h"
#include "engine/explain/words.h"
#include "viewer/store/alerts.h"
#include "viewer/store/expressions.h"
#include "viewer/store/place_in.h"
#include "viewer/store/rounds.h"
#include "viewer/store/store_state.h"
#include "viewer/store/tape_text.h"
#include "viewer/store/zero_reason.h"

namespace tapescope {

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
  // A plain tensor of an earlier step, in whose place the first use of it in this one stands.
  for (GradientRow& row : rows) {
    if (row.reason != "not_watched" || row.edge.output == row.source_id || !is_python(row.location)) continue;
    const auto made = surroundings->find(row.source_id);
    if (!made || made->variable || made->site == 0) continue;
    row.location = row.edge.location = place_text(made->site);
    row.edge.output = row.source_id;
  }
  GradientTable::sort(rows);
  return rows;
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
  all.complete = all.unmarked = true;
  all.home = between.front().thread;
  all.segments = between;
  all.surroundings = surroundings;
  return all;
}

namespace {

// Adds rows of variables that earlier steps alone asked for, as the members of an ensemble that are trained
// one after another: of those whose last gradient had a value.
void add_earlier(const GradientTable& table, std::vector<GradientRow>& rows) {
  constexpr std::size_t kMost = 64;
  std::set<std::string, std::less<>> known;
  for (const GradientRow& row : rows) known.insert(row.source);
  std::vector<std::pair<TensorId, const NormHistory*>> earlier;
  for (const auto& [source, history] : table.sources()) {
    const bool is_value = history.last.nans + history.last.infinities == 0 && history.last.norm > 0;
    if (is_value && history.lasting && !history.points.empty() && !history.none_since && history.name != 0)
      earlier.emplace_back(source, &history);
  }
  // Of several of one name, as the same model made again, the one that was asked for last.
  std::ranges::sort(earlier, std::greater{}, [](const auto& entry) { return entry.second->asked; });
  for (const auto& [source, asked] : earlier) {
    const NormHistory& history = *asked;
    const TensorStats& last = history.last;
    if (known.size() >= kMost) break;
    if (!known.emplace(name_text(history.name)).second) continue;
    GradientRow& row = rows.emplace_back();
    row.source = row.name = name_text(history.name);
    row.source_id = source;
    row.call = kNoOp;
    row.step = history.points.back().step;
    row.has_stats = true;
    row.norm = last.norm;
    row.zero_share = last.count ? static_cast<double>(last.zeros) / static_cast<double>(last.count) : 0;
    row.min = last.min, row.max = last.max, row.mean = last.mean;
    for (const auto& point : history.points) row.norms.push_back(point.norm);
    row.health.assign(history.points.begin(), history.points.end());
  }
}

// What is said of a run as a whole.
void copy_judgement(const Snapshot& from, Snapshot& to) {
  to.rounds = from.rounds;
  to.rounds_before = from.rounds_before;
  to.variables = from.variables;
  to.functions = from.functions;
  to.judged = from.judged;
  to.advice = from.advice;
  to.tapes = from.tapes;
  to.gradients = from.gradients;
  to.sources = from.sources;
  to.alerts = from.alerts;
}

// Places of the whole become those of the step that is shown.
void place_in_shown(Snapshot& snapshot, const std::shared_ptr<const StepView>& whole) {
  if (const auto view = snapshot.shown(); whole && view && view != whole)
    place_in(*view, *whole, snapshot.gradients, snapshot.alerts);
}

}  // namespace

std::shared_ptr<Snapshot> Store::State::make(bool exact) {
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
  // All of a long run takes long to judge: while it goes on that has a share of the time.
  const auto began = std::chrono::steady_clock::now();
  const bool judges = !may_lag() || exact || judging_share.allows(judging_seconds);
  judged_now = judges && may_lag();
  if (judges && !any_step && !between.empty()) {
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
  if (!judges) {
    copy_judgement(*judged, *snapshot);
    place_in_shown(*snapshot, judged_whole);
    dirty = true;
    return snapshot;
  }
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
  none_places.put_into(snapshot->gradients, snapshot->sources, *surroundings);
  if (!nonfinite.decided() && asked && (may_explain || !nonfinite.only_skipped()) &&
      has_nonfinite(asked_data->segments))
    nonfinite.look(*asked, *asked_data, any_step ? &prologue : nullptr);
  if (nonfinite.recovered(gradients)) leave_skipped_out(snapshot->gradients, nonfinite.skipped_gradients());
  if (whole && asked == whole.get()) leave_one_of_each(snapshot->gradients);
  findings.answer(snapshot->gradients);
  if (snapshot->judged) GradientTable::sort(snapshot->gradients);
  std::vector<TapesOfLine> places = tapes.places();
  for (TapesOfLine& place : places)
    place.location = name_text(intern_name(tape_made_at(snapshot->sources.get(), place.location)));
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
  const bool is_of_python = asked && !asked->calls.empty() && is_python(asked->calls.front().location);
  if (any_step && is_of_python && !snapshot->judged) add_earlier(gradients, snapshot->gradients);
  const std::shared_ptr<const StepView> placed_in = whole ? whole : snapshot->shown();
  findings.alert(snapshot->alerts, placed_in.get());
  judged_whole = whole;
  judged = nullptr;
  if (whole) {
    auto said = std::make_shared<Snapshot>();
    copy_judgement(*snapshot, *said);
    judged = std::move(said);
  }
  place_in_shown(*snapshot, whole);
  judging_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return snapshot;
}

}  // namespace tapescope
