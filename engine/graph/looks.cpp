// The nodes that look, and the records of what they find.
#include "engine/graph/looks.h"

#include <algorithm>

#include "engine/events/records/gradients.h"
#include "engine/graph/flow_node.h"
#include "engine/graph/rewrite.h"
#include "engine/ops/random_key.h"
#include "engine/ops/variable_read.h"
#include "engine/tape/gradient_stats.h"

namespace tapescope {
namespace {

constinit thread_local LookedRun* t_run = nullptr;

void infer_look(InferContext& c) { c.set_outputs(0); }

void look(KernelContext& c) {
  if (t_run) t_run->arrive(*reinterpret_cast<const GraphQuestion*>(c.attrs.object), c.inputs);
}

void enter(KernelContext& c) {
  if (t_run) t_run->enter(*reinterpret_cast<const Graph*>(c.attrs.object), c.inputs);
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

constinit const OpDef kRound{
    .name = "_Round",
    .infer = infer_look,
    .kernel = enter,
    .flags = OpDef::kStateful,
    .doc = "Keeps what a round of a body was given, for the looks that follow.",
};

namespace {

// Calls visit(graph) for each branch and body of the node; nothing for any other node.
template <class Visit>
void for_each_body(const GraphNode& node, Visit visit) {
  const FlowRow* flow = flow_row_of(*node.op);
  if (!flow) return;
  for (const FlowBody& body : flow->node->bodies()) visit(*body.graph);
}

std::vector<EarlyRead> early_reads_of(const Graph& traced) {
  std::vector<NodeIndex> looks;
  for (const GraphQuestion& question : traced.questions) looks.push_back(question.after);
  std::ranges::sort(looks);
  std::vector<EarlyRead> found;
  if (looks.size() < 2) return found;
  const auto assigned = last_assignments(traced, looks.back());
  for (NodeIndex n = 0; n < looks.back(); ++n) {
    const GraphNode& node = traced.nodes()[n];
    if (node.op != &kReadVariable) continue;
    const auto last = assigned.find(traced.inputs(node)[0]);
    const auto look = std::ranges::upper_bound(looks, n);
    if (last != assigned.end() && look != looks.end() && last->second >= *look) found.push_back({n, *look});
  }
  return found;
}

GraphNode kept_node(const Graph& traced, NodeIndex after) {
  GraphNode place{};
  place.forward = kNoIndex;
  place.flags = GraphNode::kKeep;
  if (after > 0)
    place.location = traced.nodes()[after - 1].location, place.scope = traced.nodes()[after - 1].scope;
  return place;
}

void add_look(Rebuild& rebuild, const OpDef& op, std::span<const ValueIndex> inputs, const void* object,
              const GraphNode& place) {
  Attrs attrs;
  attrs.object = reinterpret_cast<std::uint64_t>(object);
  rebuild.add(op, inputs, attrs, place, std::span<const Type* const>());
}

enum class Is : std::uint8_t { function, body };

Graph looking(const Graph& traced, Is what) {
  Rebuild rebuild(traced);
  const auto nodes = traced.nodes();
  if (what == Is::body && !traced.questions.empty())
    add_look(rebuild, kRound, rebuild.at(traced.parameters()), &traced, kept_node(traced, 0));
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
      add_look(rebuild, kLook, inputs, &question, kept_node(traced, n));
    }
    if (n == nodes.size()) break;
    bool inside = false;
    for_each_body(nodes[n], [&](const Graph& body) { inside |= asks(body); });
    if (!inside) {
      rebuild.copy(n);
      continue;
    }
    const FlowNode& flow = *flow_row_of(*nodes[n].op)->node;
    std::vector<FlowBody> bodies(flow.bodies().begin(), flow.bodies().end());
    for (FlowBody& body : bodies) {
      if (asks(*body.graph)) body.graph = std::make_shared<Graph>(looking(*body.graph, Is::body));
    }
    put_flow(rebuild, n, rebuild.at(traced.inputs(nodes[n])), flow.with_bodies(std::move(bodies)));
  }
  return rebuild.finish();
}

}  // namespace

bool asks(const Graph& traced) {
  bool found = !traced.questions.empty();
  for (const GraphNode& node : traced.nodes())
    for_each_body(node, [&](const Graph& body) { found = found || asks(body); });
  return found;
}

bool can_look(const OptimizeOptions& options) { return !options.nan_discarding; }

Graph with_looks(const Graph& traced) { return looking(traced, Is::function); }

EarlyReads early_reads(const Graph& traced) {
  EarlyReads found;
  if (std::vector<EarlyRead> reads = early_reads_of(traced); !reads.empty())
    found.emplace_back(&traced, std::move(reads));
  for (const GraphNode& node : traced.nodes()) {
    for_each_body(node, [&](const Graph& body) {
      for (auto& inside : early_reads(body)) found.push_back(std::move(inside));
    });
  }
  return found;
}

LookedRun::LookedRun(const Graph& traced, const EarlyReads& early, std::span<const Tensor> parameters)
    : early_(early), outer_(std::exchange(t_run, this)) {
  given_.push_back({&traced, {parameters.begin(), parameters.end()}, random_position(), {}});
  ThreadState& ts = state();
  ts.release_flight();
  if (!outer_ && ts.tapes.empty()) ts.flight.tape_entered();
}

LookedRun::~LookedRun() { t_run = outer_; }

void LookedRun::enter(const Graph& body, OpInputs parameters) {
  std::erase_if(given_, [&](const Given& given) { return given.traced == &body; });
  given_.push_back({&body, {}, random_position(), {}});
  for (TensorImpl* parameter : parameters) given_.back().parameters.push_back(Tensor::share(parameter));
}

LookedRun::Given& LookedRun::given_to(const GraphQuestion& question) {
  const auto is_of = [&](const Given& given) {
    return std::ranges::any_of(given.traced->questions,
                               [&](const GraphQuestion& each) { return &each == &question; });
  };
  return *std::ranges::find_if(given_, is_of);
}

void LookedRun::hold_early_reads(Given& given, NodeIndex before) const {
  const auto early = std::ranges::find(early_, given.traced, &EarlyReads::value_type::first);
  if (early == early_.end()) return;
  for (const EarlyRead& read : early->second) {
    if (read.before != before) continue;
    const Graph& traced = *given.traced;
    const GraphValue& handle = traced.value(traced.inputs(traced.nodes()[read.read])[0]);
    if (handle.kind != ValueKind::parameter && handle.kind != ValueKind::capture) continue;
    TensorImpl* input = handle.kind == ValueKind::parameter ? given.parameters[handle.source].impl()
                                                            : traced.captures()[handle.source].impl();
    Tensor value;
    KernelContext context{{&input, 1}, {&value, 1}, {}};
    kReadVariable.kernel(context);
    given.held.push_back({read.read, std::move(value)});
  }
}

void LookedRun::arrive(const GraphQuestion& question, OpInputs values) {
  ThreadState& ts = state();
  if (!ts.in_flight() || ts.backward_depth != 0 || current_trace()) return;
  Given& given = given_to(question);
  hold_early_reads(given, question.after);
  ts.flight.asked();
  const std::size_t targets = question.targets.size();
  for (std::size_t i = 0; i < targets; ++i) ts.flight.target(Tensor::share(values[i]));
  for (std::size_t i = 0; i < question.answers.size(); ++i) {
    const GraphQuestion::Answer& answer = question.answers[i];
    offer_gradient_stats(Tensor::share(values[targets + i]), answer.source_name, answer.source,
                         answer.tensor);
  }
  if (ts.flight.is_first(question.ask.call)) write(question, given);
  ts.flight.question_over();
}

void LookedRun::write(const GraphQuestion& question, const Given& given) {
  ThreadState& ts = state();
  const TraceValues values(*given.traced, question.after, given.parameters, given.held, given.random);
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
