// Arguments to symbols, results to tensors, and the run of the callable in between.
#include "engine/graph/function_trace.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "engine/core/slices.h"
#include "engine/events/records/functions.h"
#include "engine/gate/implied_steps.h"
#include "engine/ops/creation.h"
#include "engine/tape/gradient_stats.h"

namespace tapescope {
namespace {

using Kind = Value::Kind;

// While a function runs that holds its tape, the nodes of its graph are those of the step.
class StepCall {
 public:
  StepCall(ThreadState& ts, bool holds_tape) : ts_(ts), before_(ts.step_call) {
    ts.step_call = before_ || holds_tape;
  }
  ~StepCall() { ts_.step_call = before_; }
  StepCall(const StepCall&) = delete;
  StepCall& operator=(const StepCall&) = delete;

 private:
  ThreadState& ts_;
  const bool before_;
};

// The tensors and distinct variables of the arguments, in order: the graph's parameters.
void collect(const Value& value, std::vector<Tensor>& found) {
  switch (value.kind()) {
    case Kind::tensor: found.push_back(value.tensor()); break;
    case Kind::variable: {
      const Tensor& handle = value.variable().handle();
      for (const Tensor& other : found) {
        if (other.id() == handle.id()) return;
      }
      found.push_back(handle);
      break;
    }
    default:
      for (const Value& item : value.items()) collect(item, found);
  }
}

class Symbols {
 public:
  explicit Symbols(Trace& trace) : trace_(trace) {}
  Value of(const Value& value, const std::string& name) {
    switch (value.kind()) {
      case Kind::tensor: return trace_.parameter(&value.tensor().type(), intern_name(name));
      case Kind::spec: {
        const TensorSpec& spec = value.spec();
        return trace_.parameter(intern_type(spec.dtype, Shape(std::span(spec.dims))), intern_name(name));
      }
      case Kind::variable: {
        const auto known = variables_.find(value.variable().id());
        if (known != variables_.end()) return known->second;
        return variables_.emplace(value.variable().id(), trace_.parameter(value.variable())).first->second;
      }
      default: {
        Value copy = value;
        for (std::size_t i = 0; i < copy.items().size(); ++i) {
          Value& item = copy.items()[i];
          item = of(item, copy.keys().empty() ? fmt::format("{}[{}]", name, i)
                                              : fmt::format("{}['{}']", name, copy.keys()[i]));
        }
        return copy;
      }
    }
  }

 private:
  Trace& trace_;
  std::map<TensorId, Variable> variables_;
};

// Takes the tensors out of a result, leaving their places; numbers are results too.
class ResultTaker {
 public:
  void take(Value& value) {
    switch (value.kind()) {
      case Kind::tensor: break;
      case Kind::variable: value = value.variable().value(); break;
      case Kind::integer:
      case Kind::boolean:
      case Kind::real:
        value = to_tensor(value, value.kind() == Kind::real      ? DType::f32
                                 : value.kind() == Kind::boolean ? DType::boolean
                                                                 : DType::i32);
        break;
      default:
        for (Value& item : value.items()) take(item);
        return;
    }
    const Tensor& tensor = value.tensor();
    ids.push_back(tensor.id());
    const SlicesExtension* slices = slices_of(tensor.impl());
    rows.push_back(slices ? &tensor.type() : nullptr);
    tensors.push_back(slices ? slices->values : tensor);
    if (slices) tensors.push_back(slices->indices);
  }
  std::vector<Tensor> tensors;
  std::vector<TensorId> ids;      // by place, as rows are
  std::vector<const Type*> rows;  // see FunctionTrace
};

// Puts tensors in the places that were left for them, and shows each with its place to `seen`.
template <class Seen>
class ResultPutter {
 public:
  ResultPutter(std::span<Tensor> tensors, std::span<const Type* const> rows, const Seen& seen)
      : tensors_(tensors), rows_(rows), seen_(seen) {}
  void put(Value& value) {
    if (value.kind() != Kind::tensor) {
      for (Value& item : value.items()) put(item);
      return;
    }
    const Type* dense = rows_[place_++];
    Tensor tensor = std::move(tensors_[next_++]);
    if (dense) tensor = make_slices(std::move(tensor), std::move(tensors_[next_++]), dense);
    seen_(place_ - 1, tensor);
    value = std::move(tensor);
  }

 private:
  std::span<Tensor> tensors_;
  std::span<const Type* const> rows_;
  const Seen& seen_;
  std::size_t next_ = 0, place_ = 0;
};

// A gradient inside may be asked for one of them: which tensor of a call that is only the trace knows.
void note_parameters(const Trace& trace) {
  ThreadState& ts = state();
  std::uint64_t place = 0;
  for (const Tensor& parameter : trace.parameters()) {
    ts.note(TraceParameterRecord{.depth = static_cast<std::uint16_t>(ts.interceptors.size()),
                                 .name = parameter.impl()->name,
                                 .tensor = parameter.id(),
                                 .place = place++});
  }
}

// What a call returns, as the trace knows it.
void note_results(std::span<const Tensor> results) {
  ThreadState& ts = state();
  std::uint64_t place = 0;
  for (const Tensor& result : results) {
    ts.note(TraceResultRecord{.depth = static_cast<std::uint16_t>(ts.interceptors.size()),
                              .tensor = result.id(),
                              .place = place++});
  }
}

bool asks_for(const Graph& graph, TensorId gradient) {
  return std::ranges::any_of(graph.questions, [&](const GraphQuestion& question) {
    return std::ranges::any_of(question.answers, [&](const auto& a) { return a.tensor == gradient; });
  });
}

bool is_numbers(const Value& value) {
  switch (value.kind()) {
    case Kind::integer:
    case Kind::real:
    case Kind::boolean: return true;
    case Kind::list:
      for (const Value& item : value.items()) {
        if (!is_numbers(item)) return false;
      }
      return !value.items().empty();
    default: return false;
  }
}

void flatten(const Value& value, std::vector<double>& numbers, Shape& shape, int depth) {
  if (value.kind() != Kind::list) {
    numbers.push_back(value.real());
    return;
  }
  if (shape.rank() <= depth) shape.push_back(static_cast<std::int64_t>(value.items().size()));
  for (const Value& item : value.items()) flatten(item, numbers, shape, depth + 1);
}

}  // namespace

Value to_tensor(const Value& value, DType dtype) {
  if (!is_numbers(value)) return value;
  std::vector<double> numbers;
  Shape shape;
  flatten(value, numbers, shape, 0);
  return make_tensor(numbers, shape, dtype);
}

std::shared_ptr<FunctionTrace> trace_function(const std::string& name,
                                              const std::function<Value(std::vector<Value>&)>& body,
                                              const std::vector<Value>& arguments,
                                              std::span<const std::string> names,
                                              const OptimizeOptions& optimize, const Location& location) {
  auto made = std::make_shared<FunctionTrace>();
  std::vector<Tensor> given;
  for (const Value& argument : arguments) collect(argument, given);
  Trace trace(name, given);
  std::vector<Value> symbols;
  Symbols make(trace);
  for (std::size_t i = 0; i < arguments.size(); ++i) symbols.push_back(make.of(arguments[i], names[i]));
  note_parameters(trace);
  const VariableCollector collector;
  made->results = body(symbols);
  ResultTaker taker;
  taker.take(made->results);
  made->result_tensors = taker.tensors.size();
  made->rows = std::move(taker.rows);
  note_results(taker.tensors);
  std::vector<TensorId> answered;  // by gradient
  for (const TraceScope::Answer& answer : trace.answers()) {
    const auto at = std::find(taker.ids.begin(), taker.ids.end(), answer.gradient);
    if (at == taker.ids.end()) continue;
    made->gradients.push_back(
        {static_cast<std::size_t>(at - taker.ids.begin()), answer.source_name, answer.source, false});
    answered.push_back(answer.gradient);
  }
  made->variables_made = collector.variables().size();
  made->function = std::make_shared<GraphFunction>(trace.finish(taker.tensors, location), optimize);
  for (std::size_t i = 0; i < answered.size(); ++i)
    made->gradients[i].looked_at = asks_for(made->graph(), answered[i]);
  made->loops = unrolled_loops(made->graph());
  // The symbols must not outlive the trace in here.
  const auto clear = [](Value& value, const auto& self) -> void {
    if (value.kind() == Kind::tensor) value = Value::placeholder();
    for (Value& item : value.items()) self(item, self);
  };
  clear(made->results, clear);
  return made;
}

Value FunctionTrace::call(const std::vector<Value>& arguments, const Location& location) {
  std::vector<Tensor> parameters;
  parameters.reserve(arguments.size());
  for (const Value& argument : arguments) collect(argument, parameters);
  std::vector<Tensor> tensors(result_tensors);
  ThreadState& ts = state();
  const bool recorded = (ts.listen.load(std::memory_order_relaxed) & kListenEvents) && !current_trace();
  const bool holds_tape =
      ts.tapes.empty() && ts.backward_depth == 0 && !current_trace() && function->holds_tape();
  if (holds_tape) implied_steps::tape_opens(ts);
  const Ticks begin = recorded ? ticks() : 0;
  const std::uint64_t looks = ts.flight.questions();
  const std::size_t nodes = [&] {
    const StepCall nodes_of_step(ts, holds_tape);
    return function->call(parameters, tensors, location);
  }();
  if (holds_tape) implied_steps::question_over(ts);
  if (recorded && function->updates()) implied_steps::updated(ts);
  if (recorded) {
    const Ticks end = ticks();
    ts.note(
        FunctionEndRecord{.function = function->owner().function,
                          .ticks = end,
                          .nodes = static_cast<std::uint32_t>(nodes),
                          .duration = static_cast<std::uint32_t>(std::min<Ticks>(end - begin, 0xffffffffu))});
  }
  Value value = results;
  // A call in another trace gives a gradient of the caller's graph, which may hand it on.
  TraceScope* caller = current_trace();
  const auto show = [&](std::size_t place, const Tensor& tensor) {
    if (!recorded && !caller) return;
    for (const GradientResult& gradient : gradients) {
      if (gradient.place != place || (gradient.looked_at && ts.flight.questions() != looks)) continue;
      if (caller) caller->answers.push_back({tensor.id(), gradient.source_name, gradient.source});
      else offer_gradient_stats(tensor, gradient.source_name, gradient.source);
    }
  };
  ResultPutter(tensors, rows, show).put(value);
  ts.mark_time();
  return value;
}

}  // namespace tapescope
