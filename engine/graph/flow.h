// Branches and loops on tensors (tf.cond, tf.switch_case, tf.while_loop, tf.map_fn, tf.scan).
//
//   Tensor y = cond(reduce_sum(x) > 0, [&] { return x * w; }, [&] { return x - w; });
//   auto [i, product] = while_loop([](const Tensor& i, const Tensor&) { return i < 10; },
//                                  [&](const Tensor& i, const Tensor& p) { return std::tuple(i + 1, p * x);
//                                  }, std::tuple(constant(0), y));
//
// In eager code they are the host's own branches and loops: the ops that run are recorded one by one. While a
// function is traced each becomes one node: both branches and the body are traced once, whatever runs at a
// call, and the results are those of eager code. An input that the branch taken does not use then has a
// gradient of zeros, where eager code gives None.
//
// What the callables do besides ops (printing, counting, filling a list) happens when they are traced, not
// when the node runs: once for each branch, once for a loop's condition and body however many rounds run; see
// while_loop() for shapes that change.
//
// What they pass on are tensors, or vectors, pairs, tuples and maps of them; or a Value for any structure. In
// a function the shapes of a graph's values are known, so branches must agree in shapes, and loop variables
// must keep theirs unless shape_invariants let them change.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/core/public.h"
#include "engine/graph/convert.h"
#include "engine/graph/value.h"

namespace tapescope TAPESCOPE_PUBLIC {

struct WhileLoopOptions {
  std::optional<std::int64_t> maximum_iterations{};  // the loop ends after so many rounds at the latest
  // The shapes that each tensor among the loop variables may have, in order; their dtypes say nothing.
  // Without them a loop in a function keeps every shape. The rounds that change a shape are traced one by
  // one, so that whether they run must be known by then: from shapes, constants and counters made in the
  // function. Eager code, as TensorFlow's, does not look.
  std::vector<TensorSpec> shape_invariants{};
};
struct ScanOptions {
  bool reverse = false;  // from the last element to the first; the results keep the elements' order
};

// The same for values of any structure. `pred` and what a condition gives are bool scalars, `index` is an
// int32 or int64 one. Throw TypeError for another dtype there, for branches of different structures or dtypes
// and for a loop variable that changes either; ValueError for another shape, for one that its invariant does
// not allow and for elements whose first dimensions differ.
Value cond_values(const Tensor& pred, const std::function<Value()>& true_fn,
                  const std::function<Value()>& false_fn, const Location& location);
Value switch_values(const Tensor& index, const std::vector<std::function<Value()>>& branches,
                    const Location& location);
Value while_values(const std::function<Tensor(const Value&)>& condition,
                   const std::function<Value(const Value&)>& body, const Value& loop_vars,
                   const WhileLoopOptions& options, const Location& location);
Value map_values(const std::function<Value(const Value&)>& fn, const Value& elems, const Location& location);
Value scan_values(const std::function<Value(const Value&, const Value&)>& fn, const Value& elems,
                  const Value& initializer, const ScanOptions& options, const Location& location);

// What true_fn() or false_fn() returns, as `pred` says.
template <class T, class F>
std::invoke_result_t<T&> cond(const Tensor& pred, T&& true_fn, F&& false_fn,
                              Location location = Location::current()) {
  using R = std::invoke_result_t<T&>;
  return from_value<R>(cond_values(
      pred, [&] { return to_value<R>(true_fn()); }, [&] { return to_value<R>(R(false_fn())); }, location));
}

// What branches[index]() returns; the last branch's where the index is out of range.
template <class F>
std::invoke_result_t<F&> switch_case(const Tensor& index, const std::vector<F>& branches,
                                     Location location = Location::current()) {
  using R = std::invoke_result_t<F&>;
  std::vector<std::function<Value()>> each;
  for (const F& branch : branches) each.emplace_back([&branch] { return to_value<R>(branch()); });
  return from_value<R>(switch_values(index, each, location));
}

namespace flow_detail {

template <class T>
struct IsTuple : std::false_type {};
template <class... T>
struct IsTuple<std::tuple<T...>> : std::true_type {};
template <class A, class B>
struct IsTuple<std::pair<A, B>> : std::true_type {};

// Loop variables in a tuple or a pair are separate arguments.
template <class Vars, class F>
decltype(auto) call(F& f, const Vars& vars) {
  if constexpr (IsTuple<Vars>::value) return std::apply(f, vars);
  else return f(vars);
}

}  // namespace flow_detail

// The loop variables when condition(vars) is false first, each round replacing them by body(vars).
//
// In a function with shape_invariants the callables run once for each round that changes a shape and once
// more for the rest of the loop, whose shapes stay; the body not once more where the loop is known to end
// right after such a round.
template <class C, class B, class Vars>
Vars while_loop(C&& condition, B&& body, const Vars& loop_vars, const WhileLoopOptions& options = {},
                Location location = Location::current()) {
  return from_value<Vars>(while_values(
      [&](const Value& vars) { return Tensor(flow_detail::call<Vars>(condition, from_value<Vars>(vars))); },
      [&](const Value& vars) {
        return to_value<Vars>(Vars(flow_detail::call<Vars>(body, from_value<Vars>(vars))));
      },
      to_value<Vars>(loop_vars), options, location));
}

// fn of each row of `elems` (of each set of rows, where it is a structure), the results stacked: [rows, ...].
template <class F, class Elems>
std::invoke_result_t<F&, const Elems&> map_fn(F&& fn, const Elems& elems,
                                              Location location = Location::current()) {
  using R = std::invoke_result_t<F&, const Elems&>;
  return from_value<R>(map_values([&](const Value& row) { return to_value<R>(fn(from_value<Elems>(row))); },
                                  to_value<Elems>(elems), location));
}

// The results of a = fn(a, row) for one row after the other, from a = initializer on, stacked: [rows, ...].
template <class F, class Elems, class State>
State scan(F&& fn, const Elems& elems, const State& initializer, const ScanOptions& options = {},
           Location location = Location::current()) {
  return from_value<State>(scan_values(
      [&](const Value& state, const Value& row) {
        return to_value<State>(State(fn(from_value<State>(state), from_value<Elems>(row))));
      },
      to_value<Elems>(elems), to_value<State>(initializer), options, location));
}

}  // namespace tapescope
