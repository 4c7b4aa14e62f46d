// The first in the order of execution: forward ops, then the steps of the way back.
#include "viewer/store/nonfinite.h"

#include <algorithm>
#include <bit>
#include <span>

#include <fmt/format.h>

#include "engine/explain/history.h"
#include "engine/explain/nonfinite.h"
#include "engine/explain/skipped.h"
#include "viewer/store/surroundings.h"

namespace tapescope {

std::string remedy_of(const NonFiniteOrigin& origin) {
  std::string fix(nonfinite_guard(origin.op_type, origin.backward, origin.value));
  if (origin.dtype == "float16" && origin.value != "nan") {
    const std::string wider =
        "it leaves float16's range (65504): compute it in float32, or scale its input down";
    fix = fix.empty() || origin.op_type != "Exp" ? wider : fix + "; or compute it in float32";
  } else if (!origin.backward && origin.value != "nan") {
    if (fix.empty()) return std::string(nonfinite_remedy_of_overflow());
    // Steps before it were finite: something grew.
    if (origin.step > 0) fix += nonfinite_growth(origin.op_type);
  }
  return fix.empty() ? std::string(nonfinite_remedy_of_any()) : fix;
}

namespace {

std::string value_of(const ValueMasks& masks) { return masks.nan ? "nan" : "inf"; }

// Of a function of the program that does nothing but convert what it is given, the line that calls it: there
// is the number that the type cannot hold. Empty for any other.
std::string conversion_called_at(const StepView& view, const OpRow& op) {
  if (op.op != "Cast") return {};
  const CallSite own = site_with_id(op.site);
  const auto does_more = [&](const OpRow& other) {
    if (other.op == "Cast" || other.op == "ReadVariableOp" || other.direction == Direction::backward)
      return false;
    const CallSite site = site_with_id(other.site);
    return site.function == own.function && site.file == own.file;
  };
  const std::vector<SiteId> way = view.way_to(op);
  if (way.size() < 2 || own.function.starts_with('<') || std::ranges::any_of(view.ops, does_more)) return {};
  return location_text(site_with_id(way[1]));
}

// The same of an op in a function's graph, whose ops are none of the view's.
std::string conversion_called_at(const StepView& view, const History& history, TensorId output) {
  const HistoryOp* op = history.producer(output);
  if (op == nullptr || op_name_text(op->op) != "Cast" || !view.surroundings) return {};
  const CallSite own = site_with_id(op->site);
  const auto does_more = [&](const HistoryOp& other) {
    const std::string_view name = op_name_text(other.op);
    if (name == "Cast" || name == "ReadVariableOp" || other.backward_of != 0) return false;
    const CallSite site = site_with_id(other.site);
    return site.function == own.function && site.file == own.file;
  };
  const std::vector<SiteId> callers = view.surroundings->callers(own.file, own.line, output);
  const bool helper = !own.function.starts_with('<') && std::ranges::none_of(history.ops(), does_more);
  return callers.empty() || !helper ? std::string() : location_text(site_with_id(callers.front()));
}

NonFiniteOrigin origin_at(const StepView& view, std::uint32_t op, const ValueMasks& results) {
  NonFiniteOrigin origin;
  origin.step = view.step_of_op(op);
  origin.value = value_of(results);
  if (op == kNoOp) return origin;
  origin.node = view.ops[op].node;
  origin.op = view.ops[op].name;
  origin.op_type = view.ops[op].op;
  const std::string called = conversion_called_at(view, view.ops[op]);
  origin.location = called.empty() ? std::string(view.ops[op].location) : called;
  origin.dtype = view.ops[op].dtype;
  return origin;
}

// The op that has the input.
std::uint32_t reader_of(const StepView& view, std::vector<TensorId>::const_iterator input) {
  const auto at = static_cast<std::uint32_t>(input - view.inputs.begin());
  const auto next = std::ranges::upper_bound(view.ops, at, {}, &OpRow::first_input);
  return static_cast<std::uint32_t>(next - view.ops.begin()) - 1;
}

History history_of(const StepData& data, const std::vector<Segment>* prologue) {
  History history;
  for (const auto* segments :
       std::initializer_list<const std::vector<Segment>*>{prologue, &data.before, &data.segments}) {
    if (!segments) continue;
    for (const Segment& segment : *segments) history.add(segment.thread, segment.records);
  }
  return history;
}

std::vector<SkippedCall> note_skipped(const History& history, NonFiniteLook& look) {
  std::vector<SkippedCall> calls = skipped_calls(history);
  for (const SkippedCall& call : calls) {
    look.skipped_gradients.insert(look.skipped_gradients.end(), call.gradients.begin(), call.gradients.end());
    look.skipped_sources.insert(look.skipped_sources.end(), call.sources.begin(), call.sources.end());
    look.skipped_wrong.insert(look.skipped_wrong.end(), call.wrong.begin(), call.wrong.end());
    look.recovered |= call.recovered;
  }
  return calls;
}

NonFiniteLook explained_origin(const StepView& view, const StepData& data,
                               const std::vector<Segment>* prologue) {
  const History history = history_of(data, prologue);
  NonFiniteLook look;
  note_skipped(history, look);
  const auto found = find_nonfinite(history);
  if (!found) return look;
  NonFiniteOrigin& origin = look.origin.emplace();
  origin.skipped = found->skipped;
  origin.step = view.step;
  origin.backward = found->backward;
  origin.value = found->value;
  origin.op = found->op;
  origin.op_type = found->op_type;
  origin.location = found->location;
  origin.what = found->what;
  // Without steps of the program's own its questions are counted.
  if (!prologue) origin.when = fmt::format("noticed by gradient call {}", found->call);
  origin.fix = found->fix;
  origin.reached = found->reached;
  const std::uint32_t op = found->data ? kNoOp : view.op_of_tensor(found->output);
  const auto reader = std::ranges::find(view.inputs, found->output);
  origin.step = view.step_of_op(op == kNoOp && reader != view.inputs.end() ? reader_of(view, reader) : op);
  if (!found->backward) {
    const std::string called = conversion_called_at(view, history, found->output);
    if (!called.empty()) origin.location = called;
  }
  if (op == kNoOp) return look;
  origin.op = view.ops[op].name;
  origin.dtype = view.ops[op].dtype;
  const std::uint32_t step = view.ops[op].backward_step;
  origin.node = found->backward && step != kNoOp ? view.backward_steps[step].node : view.ops[op].node;
  return look;
}

}  // namespace

bool has_nonfinite(const Segments& segments) {
  return std::ranges::any_of(segments, [](const Segment& segment) {
    return std::ranges::any_of(segment.records, [](const Record& record) {
      return (record.is<StepResultRecord>() && record.as<StepResultRecord>().results.nonfinite()) ||
             (record.is<TensorValuesRecord>() && (record.as<TensorValuesRecord>().flags & kNonFiniteValues));
    });
  });
}

namespace {

// By what the steps back returned, and which forward ops were not finite.
NonFiniteLook origin_by_steps(const StepView& view) {
  const auto forward = std::ranges::find_if(view.seen, [&](const SeenValues& seen) {
    return seen.forward && seen.index != kNoOp && seen.results.nonfinite() &&
           view.ops[seen.index].direction != Direction::backward;
  });
  const SeenValues* first = nullptr;
  for (const SeenValues& seen : view.seen) {
    if (seen.forward || seen.index == kNoOp || !seen.results.nonfinite()) continue;
    if (!first || (first->cotangents.nonfinite() && !seen.cotangents.nonfinite())) first = &seen;
    if (!first->cotangents.nonfinite()) break;
  }
  // What an earlier way back spoiled, an update and the next forward pass go on with.
  const bool backward =
      first && (forward == view.seen.end() || view.backward_steps[first->index].first_op <= forward->index);
  if (!backward && forward != view.seen.end())
    return {.origin = origin_at(view, forward->index, forward->results)};
  if (!first) return {};
  const BackwardStep& step = view.backward_steps[first->index];
  NonFiniteOrigin origin = origin_at(view, step.forward_op, first->results);
  origin.backward = true;
  origin.node = step.node;
  if (step.forward_op == kNoOp) return {};
  // Of a gradient that the program gave, the op of its lines.
  for (const SeenValues& seen : view.seen) {
    if (!seen.forward || seen.index < step.first_op || seen.index >= step.first_op + step.ops) continue;
    if (!seen.results.nonfinite()) continue;
    origin = origin_at(view, seen.index, seen.results);
    origin.backward = true;
    origin.node = step.node;
    break;
  }
  return {.origin = std::move(origin)};
}

// Whether the program updated nothing after each gradient call of the step that went wrong.
void leave_out_skipped(const StepData& data, const std::vector<Segment>* prologue, NonFiniteLook& look) {
  const History history = history_of(data, prologue);
  const std::vector<SkippedCall> calls = note_skipped(history, look);
  std::size_t wrong = 0;
  for (const Question& question : history.questions())
    wrong += !(question.flags & GradientAskRecord::kTraced) && is_wrong(history, question);
  look.origin->skipped = !calls.empty() && calls.size() >= wrong;
}

}  // namespace

NonFiniteLook seen_origin(const StepView& view, const StepData& data, const std::vector<Segment>* prologue) {
  if (saw_values(data)) return explained_origin(view, data, prologue);
  NonFiniteLook look = origin_by_steps(view);
  if (look.origin) leave_out_skipped(data, prologue, look);
  return look;
}

void NonFiniteFindings::look(const StepView& view, const StepData& data,
                             const std::vector<Segment>* prologue) {
  NonFiniteLook look = seen_origin(view, data, prologue);
  skipped_gradients_.insert(look.skipped_gradients.begin(), look.skipped_gradients.end());
  skipped_sources_.insert(look.skipped_sources.begin(), look.skipped_sources.end());
  skipped_wrong_.insert(look.skipped_wrong.begin(), look.skipped_wrong.end());
  recovered_ |= look.recovered;
  const std::uint64_t step = look.origin ? look.origin->step : view.step;
  if (!look.skipped_sources.empty()) skipped_step_ = std::min(step, skipped_step_.value_or(step));
  if (!look.origin) return;
  if (!look.origin->skipped) origin_ = std::move(look.origin);
  else if (!skipped_origin_) skipped_origin_ = std::move(look.origin);
}

void NonFiniteFindings::forget_from(std::uint64_t step) {
  if (origin_ && origin_->step >= step) origin_.reset();
  if (skipped_origin_ && skipped_origin_->step >= step) skipped_origin_.reset();
  if (skipped_step_ && *skipped_step_ >= step) skipped_step_.reset();
}

bool NonFiniteFindings::recovered(const GradientTable& gradients) const {
  if (recovered_ || !skipped_step_) return recovered_;
  // One that was finite all the time says nothing.
  return std::ranges::any_of(
      skipped_wrong_.empty() ? skipped_sources_ : skipped_wrong_,
      [&](TensorId source) { return gradients.was_finite(source, *skipped_step_ + 1, kMostSkipped); });
}

const std::unordered_set<TensorId>* NonFiniteFindings::skipped_sources(const GradientTable& gradients) const {
  return !origin_ && recovered(gradients) ? &skipped_sources_ : nullptr;
}

const NonFiniteOrigin* NonFiniteFindings::shown(const GradientTable& gradients) const {
  if (origin_) return &*origin_;
  return skipped_origin_ && !recovered(gradients) ? &*skipped_origin_ : nullptr;
}

namespace {

std::string reached_by(const AlertRow& alert) {
  return alert.subject == "loss" ? "the loss" : "the gradient of " + alert.subject;
}

// A model has hundreds of variables.
std::string first_of(const std::vector<std::string>& reached) {
  constexpr std::size_t kMost = 6;
  const std::span<const std::string> first(reached.data(), std::min(reached.size(), kMost));
  const std::string more =
      reached.size() > kMost ? fmt::format(" and {} more", reached.size() - kMost) : std::string();
  return fmt::format("{}{}", fmt::join(first, ", "), more);
}

}  // namespace

void apply_origin(const NonFiniteOrigin& origin, std::vector<AlertRow>& alerts, std::uint64_t step_base) {
  auto first = std::find_if(alerts.begin(), alerts.end(), [&](const AlertRow& alert) {
    return alert.kind == "nonfinite" && alert.step == origin.step;
  });
  if (first == alerts.end()) {
    if (origin.reached.empty()) return;
    AlertRow alert;
    alert.kind = "nonfinite";
    alert.step = origin.step;
    constexpr std::string_view kGradient = "the gradient of ";
    const std::string& reached = origin.reached.front();
    alert.subject = reached.starts_with(kGradient) ? reached.substr(kGradient.size()) : "loss";
    first = alerts.insert(alerts.begin(), std::move(alert));
  }
  std::rotate(alerts.begin(), first, first + 1);
  AlertRow& alert = alerts.front();
  alert.op = origin.op;
  alert.op_type = origin.op_type;
  alert.location = origin.location;
  alert.direction = origin.backward ? "backward" : "forward";
  alert.value = origin.value;
  alert.node = origin.node;
  // They are its consequences.
  const auto consequences = std::stable_partition(
      alerts.begin() + 1, alerts.end(),
      [&](const AlertRow& other) { return other.kind != "nonfinite" || other.step < origin.step; });
  if (!origin.what.empty()) {
    alert.message =
        fmt::format("{}, {} on the way {}; it reached {}", origin.what,
                    origin.when.empty() ? fmt::format("at step {}", origin.step + step_base) : origin.when,
                    alert.direction, first_of(origin.reached));
    alert.fix = origin.fix;
  } else {
    std::vector<std::string> reached = {reached_by(alert)};
    for (auto other = consequences; other != alerts.end(); ++other) {
      if (other->step == origin.step) reached.push_back(reached_by(*other));
    }
    alert.message =
        fmt::format("{} at {} made the first {} of step {}, {}; it reached {}", origin.op, origin.location,
                    origin.value == "nan" ? "NaN" : "infinity", origin.step + step_base,
                    origin.backward ? "on the way back" : "on the way forward", first_of(reached));
    alert.fix = remedy_of(origin);
  }
  alerts.erase(consequences, alerts.end());
}

std::uint32_t op_at(const NonFiniteOrigin& origin, const StepView& view) {
  std::uint32_t step = kNoOp;
  const std::uint32_t op = view.op_at_node(origin.node, &step);
  if (op == kNoOp || !origin.backward || step == kNoOp || view.backward_steps[step].ops != 1) return op;
  return view.backward_steps[step].first_op;
}

std::uint32_t op_of(const NonFiniteOrigin& origin, const StepView& view) {
  const auto is_it = [&](std::uint32_t op) {
    return view.ops[op].op == origin.op_type && view.ops[op].name == origin.op;
  };
  std::uint32_t step = kNoOp;
  const std::uint32_t op = view.op_at_node(origin.node, &step);
  if (!origin.backward || step == kNoOp) return op != kNoOp && is_it(op) ? op : kNoOp;
  // It is one of those that the step ran, or the op that they differentiate: then the first of them.
  const BackwardStep& walk = view.backward_steps[step];
  for (std::uint32_t i = walk.first_op; i < walk.first_op + walk.ops; ++i) {
    if (is_it(i)) return i;
  }
  return op != kNoOp && is_it(op) && walk.ops > 0 ? walk.first_op : kNoOp;
}

}  // namespace tapescope
