// Eager branches and loops, and the choice between them and nodes.
#include "engine/graph/flow.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/events/records/functions.h"
#include "engine/gate/state.h"
#include "engine/gate/symbol.h"
#include "engine/graph/flow_trace.h"
#include "engine/graph/structure.h"
#include "engine/ops/shape.h"

namespace tapescope {
namespace {

// Records branch `branch`, which has made the tensors from `begin` on.
void note_branch(const Tensor& chooser, std::size_t branch, TensorId begin, const Location& location) {
  ThreadState& ts = state();
  if ((ts.listen.load(std::memory_order_relaxed) & (kListenEvents | kListenShadow)) == 0) return;
  ts.note(BranchRecord{.branch = static_cast<std::uint8_t>(std::min<std::size_t>(branch, 254)),
                       .traced = current_trace() != nullptr,
                       .site = intern_site(location, ts.scope),
                       .chooser = chooser.id(),
                       .begin = begin});
}

// Runs that branch.
Value run_branch(const std::function<Value()>& branch, const Tensor& chooser, std::size_t number,
                 const Location& location) {
  const TensorId begin = peek_tensor_id();
  Value value = branch();
  note_branch(chooser, number, begin, location);
  return value;
}

// The branches; each leaves a record when it has been traced.
std::vector<std::function<Value()>> recorded(std::span<const std::function<Value()>> branches,
                                             const Tensor& chooser, const Location& location) {
  std::vector<std::function<Value()>> each;
  for (std::size_t b = 0; b < branches.size(); ++b) {
    each.emplace_back([=, &chooser, &location] { return run_branch(branches[b], chooser, b, location); });
  }
  return each;
}

void check_index(const Tensor& index, const Location& location) {
  if (!index || (index.dtype() != DType::i32 && index.dtype() != DType::i64)) {
    fail(ErrorKind::type, "switch_case",
         fmt::format("the index must be an int32 or int64 scalar, got {}",
                     index ? index.type().text() : "None"),
         &location);
  }
  if (index.rank() != 0) {
    fail(ErrorKind::value, "switch_case",
         fmt::format("the index must be a scalar, got {}; reduce it to one number", index.type().text()),
         &location);
  }
}

// The rows of all elements are as many.
std::int64_t count_rows(std::string_view op, std::span<const Tensor> elems, const Location& location) {
  if (elems.empty())
    fail(ErrorKind::value, op, "got no elements; give a tensor, or a structure with at least one", &location);
  for (const Tensor& each : elems) {
    if (each.rank() == 0) {
      fail(ErrorKind::value, op,
           fmt::format("goes along the first dimension, and an element of {} has none", each.type().text()),
           &location);
    }
    if (each.dim(0) != elems[0].dim(0)) {
      fail(ErrorKind::value, op,
           fmt::format("the elements have {} and {} rows, expected as many in each", elems[0].dim(0),
                       each.dim(0)),
           &location);
    }
  }
  return elems[0].dim(0);
}

// Row by row, the stacked results of `fn`; eager, with at least one row.
Value run_rows(const RowLoop& loop, std::int64_t rows, bool stacks_state, const Location& location) {
  std::vector<std::vector<Tensor>> parts;
  for (const Tensor& each : loop.rows) parts.push_back(unstack(Arg(each, location), 0));
  std::vector<Tensor> states(loop.states.begin(), loop.states.end());
  std::vector<std::vector<Tensor>> made;
  Value structure;
  for (std::int64_t i = 0; i < rows; ++i) {
    const auto at = static_cast<std::size_t>(loop.reverse ? rows - 1 - i : i);
    std::vector<Tensor> row;
    for (const auto& part : parts) row.push_back(part[at]);
    structure = loop.fn(with_tensors(loop.state, states), with_tensors(loop.elems, row));
    std::vector<Tensor> results = take_tensors(structure, loop.op, location);
    made.resize(results.size());
    for (std::size_t r = 0; r < results.size(); ++r) made[r].push_back(results[r]);
    if (!stacks_state) continue;
    check_state(loop.op, loop.state, states, structure, results, false, location);
    states = std::move(results);
  }
  std::vector<Tensor> stacked;
  for (auto& each : made) {
    if (loop.reverse) std::reverse(each.begin(), each.end());
    stacked.push_back(stack(each, 0, location));
  }
  return with_tensors(structure, stacked);
}

Value over_rows(RowLoop& loop, const Value& elems, const Value& initializer, bool stacks_state,
                const Location& location) {
  loop.elems = elems;
  loop.state = initializer;
  const std::vector<Tensor> rows = take_tensors(loop.elems, loop.op, location);
  const std::vector<Tensor> states = take_tensors(loop.state, loop.op, location);
  loop.rows = rows;
  loop.states = states;
  const std::int64_t count = count_rows(loop.op, rows, location);
  if (current_trace()) {
    const TracedFlow traced = trace_rows(loop, location);
    return with_tensors(traced.structure, traced.tensors);
  }
  if (count == 0) {
    fail(ErrorKind::value, loop.op,
         "there are no rows, so that what a result would be is not known in eager code; call it inside a "
         "Function",
         &location);
  }
  return run_rows(loop, count, stacks_state, location);
}

}  // namespace

Value cond_values(const Tensor& pred, const std::function<Value()>& true_fn,
                  const std::function<Value()>& false_fn, const Location& location) {
  check_predicate("cond", "predicate", pred, location);
  const std::function<Value()> both[] = {true_fn, false_fn};
  if (!current_trace()) {
    const std::size_t taken = element_value(pred, 0) != 0 ? 0 : 1;
    return run_branch(both[taken], pred, taken, location);
  }
  const std::string names[] = {"true_fn", "false_fn"};
  const TracedFlow traced = trace_branches("cond", pred, recorded(both, pred, location), names, location);
  return with_tensors(traced.structure, traced.tensors);
}

Value switch_values(const Tensor& index, const std::vector<std::function<Value()>>& branches,
                    const Location& location) {
  check_index(index, location);
  if (branches.empty())
    fail(ErrorKind::value, "switch_case", "got no branches, expected at least one", &location);
  if (!current_trace()) {
    const double given = element_value(index, 0);
    const bool inside = given >= 0 && given < static_cast<double>(branches.size());
    const std::size_t taken = inside ? static_cast<std::size_t>(given) : branches.size() - 1;
    return run_branch(branches[taken], index, taken, location);
  }
  std::vector<std::string> names;
  for (std::size_t b = 0; b < branches.size(); ++b) names.push_back(fmt::format("branch {}", b));
  const TracedFlow traced =
      trace_branches("switch_case", index, recorded(branches, index, location), names, location);
  return with_tensors(traced.structure, traced.tensors);
}

Value while_values(const std::function<Tensor(const Value&)>& condition,
                   const std::function<Value(const Value&)>& body, const Value& loop_vars,
                   const WhileLoopOptions& options, const Location& location) {
  if (options.maximum_iterations && *options.maximum_iterations < 0) {
    fail(ErrorKind::value, "while_loop",
         fmt::format("maximum_iterations is {}, expected none or at least 0", *options.maximum_iterations),
         &location);
  }
  Value structure = loop_vars;
  std::vector<Tensor> vars = take_tensors(structure, "while_loop", location);
  if (vars.empty())
    fail(ErrorKind::value, "while_loop", "got no loop variables, expected at least one", &location);
  if (current_trace()) {
    const TracedFlow traced = trace_while(condition, body, structure, vars, options, location);
    return with_tensors(traced.structure, traced.tensors);
  }
  for (std::int64_t round = 0; !options.maximum_iterations || round < *options.maximum_iterations; ++round) {
    const Value now = with_tensors(structure, vars);
    const Tensor go_on = condition(now);
    check_predicate("while_loop", "condition's result", go_on, location);
    if (element_value(go_on, 0) == 0) break;
    Value next = body(now);
    std::vector<Tensor> tensors = take_tensors(next, "while_loop", location);
    check_state("while_loop", structure, vars, next, tensors, false, location);
    vars = std::move(tensors);
  }
  return with_tensors(structure, vars);
}

Value map_values(const std::function<Value(const Value&)>& fn, const Value& elems, const Location& location) {
  RowLoop loop{"map_fn", [&](const Value&, const Value& row) { return fn(row); }, {}, {}, {}, {}, false};
  return over_rows(loop, elems, Value::list({}), false, location);
}

Value scan_values(const std::function<Value(const Value&, const Value&)>& fn, const Value& elems,
                  const Value& initializer, const ScanOptions& options, const Location& location) {
  RowLoop loop{"scan", fn, {}, {}, {}, {}, options.reverse};
  return over_rows(loop, elems, initializer, true, location);
}

}  // namespace tapescope
