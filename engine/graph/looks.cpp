// The nodes that look, and the records of what they find.
#include "engine/graph/looks.h"

#include <algorithm>

#include "engine/events/records/gradients.h"
#include "engine/graph/rewrite.h"
#include "engine/graph/trace_values.h"
#include "engine/ops/random_key.h"
#include "engine/tape/gradient_stats.h"

namespace tapescope {
namespace {

constinit thread_local const LookedRun* t_run = nullptr;

void infer_look(InferContext& c) { c.set_outputs(0); }

void look(KernelContext& c) {
  if (t_run) t_run->arrive(*reinterpret_cast<const GraphQuestion*>(c.attrs.object), c.inputs);
}

ValueMasks masks_of(std::span<const GraphQuestion::Part> parts, const TraceValues& values) {
  ValueMasks masks;
  for (std::size_t i = 0; i < std::min<std::size_t>(parts.size(), 16); ++i) {
    const auto bit = static_cast<std::uint16_t>(1u << i);
    const std::uint8_t held = parts[i].value == kNoIndex ? 0 : values.flags(parts[i].value);
    if (parts[i].none) masks.none |= bit;
    if (parts[i].zero || (held & TensorValuesRecord::kZero)) masks.zero |= bit;
    if (held & TensorValuesRecord::kNan) masks.nan |= bit;
    if (held & (kNonFiniteValues & ~TensorValuesRecord::kNan)) masks.infinity |= bit;
  }
  return masks;
}

}  // namespace

constinit const OpDef kLook{
    .name = "_Look",
    .infer = infer_look,
    .kernel = look,
    .flags = OpDef::kStateful,
    .doc = "Looks at the targets and gradients of a gradient call inside a function.",
};

bool can_look(const Graph& traced, const OptimizeOptions& options) {
  return !traced.questions.empty() && !options.compiled && !options.nan_discarding;
}

Graph with_looks(const Graph& traced) {
  Rebuild rebuild(traced);
  const auto nodes = traced.nodes();
  std::vector<const GraphQuestion*> questions;
  for (const GraphQuestion& question : traced.questions) questions.push_back(&question);
  std::ranges::stable_sort(questions, {}, &GraphQuestion::after);
  std::size_t next = 0;
  for (NodeIndex n = 0; n <= nodes.size(); ++n) {
    for (; next < questions.size() && questions[next]->after == n; ++next) {
      const GraphQuestion& question = *questions[next];
      std::vector<ValueIndex> inputs = rebuild.at(question.targets);
      for (const GraphQuestion::Answer& answer : question.answers)
        inputs.push_back(rebuild.at(answer.gradient));
      GraphNode place{};
      place.forward = kNoIndex;
      place.flags = GraphNode::kKeep;
      if (n > 0) place.location = nodes[n - 1].location, place.scope = nodes[n - 1].scope;
      Attrs attrs;
      attrs.object = reinterpret_cast<std::uint64_t>(&question);
      rebuild.add(kLook, inputs, attrs, place, std::span<const Type* const>());
    }
    if (n < nodes.size()) rebuild.copy(n);
  }
  return rebuild.finish();
}

LookedRun::LookedRun(const Graph& traced, std::span<const Tensor> parameters)
    : traced_(traced),
      parameters_(parameters),
      random_(random_position()),
      outer_(std::exchange(t_run, this)) {
  ThreadState& ts = state();
  ts.release_flight();
  if (!outer_ && ts.tapes.empty()) ts.flight.tape_entered();
}

LookedRun::~LookedRun() { t_run = outer_; }

void LookedRun::arrive(const GraphQuestion& question, Inputs values) const {
  ThreadState& ts = state();
  if (!ts.in_flight() || ts.backward_depth != 0 || current_trace()) return;
  ts.flight.asked();
  const std::size_t targets = question.targets.size();
  for (std::size_t i = 0; i < targets; ++i) ts.flight.target(Tensor::share(values[i]));
  for (std::size_t i = 0; i < question.answers.size(); ++i) {
    const GraphQuestion::Answer& answer = question.answers[i];
    offer_gradient_stats(Tensor::share(values[targets + i]), answer.source_name, answer.source,
                         answer.tensor);
  }
  if (ts.flight.is_first(question.ask.call)) write(question);
  ts.flight.question_over();
}

void LookedRun::write(const GraphQuestion& question) const {
  ThreadState& ts = state();
  const TraceValues values(traced_, question.after, parameters_, random_);
  const auto is_wrong = [&](ValueIndex value, std::uint8_t how) { return (values.flags(value) & how) != 0; };
  const bool shown =
      std::ranges::any_of(question.targets, [&](ValueIndex v) { return is_wrong(v, kNonFiniteValues); }) ||
      std::ranges::any_of(question.answers, [&](const GraphQuestion::Answer& answer) {
        return is_wrong(answer.gradient, kNonFiniteValues | TensorValuesRecord::kZero);
      });
  if (!shown) return;
  ts.writer.write(GraphAskRecord{.tape = question.ask.tape, .call = question.ask.call});
  for (const GraphQuestion::Step& step : question.steps) {
    ts.writer.write(StepResultRecord{
        .values = static_cast<std::uint16_t>(std::min<std::size_t>(step.gradients.size(), 65535)),
        .given = static_cast<std::uint16_t>(std::min<std::size_t>(step.cotangents.size(), 65535)),
        .results = masks_of(step.gradients, values),
        .cotangents = masks_of(step.cotangents, values),
        .output = step.output});
  }
  ts.flight.write_held(ts.writer);
  for (const TensorValuesRecord& record : values.records()) ts.writer.write(record);
}

}  // namespace tapescope
