// Function: a C++ callable that is traced once for each kind of arguments and then run as a graph
// (tf.function).
//
//   Function train_step("train_step", [&](const Tensor& images, const Tensor& labels) {
//     GradientTape tape;
//     ...
//     return loss;
//   }, {.arguments = {"images", "labels"}});
//   Tensor loss = train_step(images, labels);
//
// The callable runs while tracing only; what it does beside ops happens then. Its arguments may be tensors,
// variables, numbers, strings, bools, objects by identity (of classes derived from Identity, or in a
// std::shared_ptr), vectors, pairs, tuples and maps of those, or a Value for anything of them.
//
// A trace whose shapes are relaxed (reduce_retracing, or an open dimension in the signature) counts as one;
// since a graph's values are of known shapes, it keeps a graph for each shape it met, for which the callable
// runs again. A function is called on one thread at a time.
#pragma once
#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/core/public.h"
#include "engine/graph/convert.h"
#include "engine/graph/optimize_options.h"
#include "engine/graph/value.h"

namespace tapescope TAPESCOPE_PUBLIC {

struct FunctionOptions {
  std::vector<std::string> arguments{};  // their names, for messages; a tensor's own where absent
  std::optional<std::vector<TensorSpec>>
      input_signature{};          // one trace for all calls that fit; others are a TypeError
  bool reduce_retracing = false;  // a second shape is traced with the dimensions that changed left open
  // What happens to graphs before they run. The default re-associates as TensorFlow's does: results may
  // differ from eager ones in the last bits.
  OptimizeOptions optimize{};
  std::size_t max_traces = 1024;  // the one used longest ago goes first, with a line in the log
};

class ConcreteFunction;

// What all functions share, whatever their arguments' types.
class FunctionCore {
 public:
  using Body = std::function<Value(std::vector<Value>&)>;
  // `mark` distinguishes callables: functions that wrap the same one share it.
  FunctionCore(std::string name, Body body, FunctionOptions options, std::uint64_t mark, Location location);
  ~FunctionCore();
  FunctionCore(const FunctionCore&) = delete;
  FunctionCore& operator=(const FunctionCore&) = delete;

  Value call(std::vector<Value> arguments, const Location& location);
  // The trace for these arguments, which may be TensorSpecs, without running; with an input signature none
  // need be given. A trace with an open dimension or rank counts at once, its callable runs when a shape is
  // known: at the first call.
  ConcreteFunction get_concrete_function(std::vector<Value> arguments, const Location& location);
  // Traces made and kept, counted as TensorFlow does: a first call that makes variables counts two.
  std::size_t tracing_count() const;
  const std::string& name() const;

 private:
  friend class ConcreteFunction;
  struct State;
  std::shared_ptr<State> state_;
};

// One trace of a function, which outlives it. Throws TypeError for arguments it was not traced for,
// InvalidArgument for another dtype.
class ConcreteFunction {
 public:
  Value operator()(std::vector<Value> arguments, Location location = Location::current()) const;
  // What it accepts: "float32[None, 784], 3".
  std::string signature_text() const;
  // The nodes of each graph it holds, one a line; one graph for each shape met where the trace has open
  // dimensions.
  std::string graph_text() const;

 private:
  friend class FunctionCore;
  struct State;
  std::shared_ptr<State> state_;
};

namespace tapescope_inside {

inline constexpr std::size_t kAllArguments = static_cast<std::size_t>(-1);
struct NoSignature {};

template <class F, class = void>
struct SignatureOf {
  using type = NoSignature;
};
template <class F>
struct SignatureOf<F, std::void_t<decltype(&F::operator())>> : CallSignature<decltype(&F::operator())> {};
template <class R, class... A>
struct SignatureOf<R (*)(A...), void> : CallSignature<R (*)(A...)> {};

template <class F, class Arguments, class Sequence>
inline constexpr bool kTakes = false;
template <class F, class... A, std::size_t... I>
inline constexpr bool kTakes<F, std::tuple<A...>, std::index_sequence<I...>> =
    std::is_invocable_v<F&, std::tuple_element_t<I, std::tuple<A...>>...>;

// The fewest arguments that a callable of this signature takes, as the last ones may have default values.
template <class F, std::size_t kCount, class... A>
constexpr std::size_t fewest() {
  if constexpr (kCount > 0) {
    if constexpr (kTakes<F, std::tuple<A...>, std::make_index_sequence<kCount - 1>>)
      return fewest<F, kCount - 1, A...>();
  }
  return kCount;
}
template <class F, class Signature>
inline constexpr std::size_t kRequiredOf = kAllArguments;
template <class F, class R, class... A>
inline constexpr std::size_t kRequiredOf<F, R(A...)> = fewest<F, sizeof...(A), A...>() == sizeof...(A)
                                                           ? kAllArguments
                                                           : fewest<F, sizeof...(A), A...>();

// The call with the first arguments, as many as the sequence has.
template <class Self, class R, class Arguments, class Sequence>
class CallWith;
template <class Self, class R, class... A, std::size_t... I>
class CallWith<Self, R, std::tuple<A...>, std::index_sequence<I...>> {
 public:
  R operator()(std::tuple_element_t<I, std::tuple<A...>>... arguments,
               Location location = Location::current()) const {
    std::vector<Value> values;
    values.reserve(sizeof...(I));
    (values.push_back(to_value<std::tuple_element_t<I, std::tuple<A...>>>(arguments)), ...);
    return static_cast<const Self*>(this)->call(std::move(values), location);
  }
};

template <class Self, class R, class Arguments, std::size_t kRequired, class More>
class Calls;
template <class Self, class R, class Arguments, std::size_t kRequired, std::size_t... More>
class Calls<Self, R, Arguments, kRequired, std::index_sequence<More...>>
    : public CallWith<Self, R, Arguments, std::make_index_sequence<kRequired + More>>... {
 public:
  using CallWith<Self, R, Arguments, std::make_index_sequence<kRequired + More>>::operator()...;
};

}  // namespace tapescope_inside

// `kRequired`: how many arguments a call gives at least. The rest are the callable's default values, which a
// trace does not know: f(x) and f(x, false) are two traces.
template <class Signature, std::size_t kRequired = tapescope_inside::kAllArguments>
class Function;

template <class R, class... A, std::size_t kRequired>
class Function<R(A...), kRequired>
    : public tapescope_inside::Calls<
          Function<R(A...), kRequired>, R, std::tuple<A...>, std::min(kRequired, sizeof...(A)),
          std::make_index_sequence<sizeof...(A) - std::min(kRequired, sizeof...(A)) + 1>> {
 public:
  template <class F>
  Function(std::string name, F body, FunctionOptions options = {}, Location location = Location::current())
      : core_(std::make_unique<FunctionCore>(
            std::move(name),
            [body = std::move(body)](std::vector<Value>& values) mutable {
              return run_with(body, values, std::index_sequence_for<A...>());
            },
            std::move(options), mark_of(typeid(F), location), location)) {}
  // Named after its line, "function:12".
  template <class F>
  requires(!std::is_convertible_v<F, std::string>) explicit Function(F body, FunctionOptions options = {},
                                                                     Location location = Location::current())
      : Function("function:" + std::to_string(location.line()), std::move(body), std::move(options),
                 location) {}

  ConcreteFunction get_concrete_function(std::vector<Value> arguments = {},
                                         Location location = Location::current()) const {
    return core_->get_concrete_function(std::move(arguments), location);
  }
  std::size_t tracing_count() const { return core_->tracing_count(); }
  const std::string& name() const { return core_->name(); }

 private:
  template <class, class, class, class>
  friend class tapescope_inside::CallWith;
  R call(std::vector<Value> values, const Location& location) const {
    if constexpr (std::is_void_v<R>) {
      core_->call(std::move(values), location);
    } else {
      return from_value<R>(core_->call(std::move(values), location));
    }
  }

  // As many arguments as were given; the callable's default values are the rest.
  template <class F, std::size_t... I>
  static Value run_with(F& body, std::vector<Value>& values, std::index_sequence<I...> all) {
    constexpr std::size_t kGiven = sizeof...(I);
    if constexpr (kGiven > 0 && kRequired < kGiven) {
      if (values.size() < kGiven) return run_with(body, values, std::make_index_sequence<kGiven - 1>());
    }
    return run(body, values, all);
  }
  template <class F, std::size_t... I>
  static Value run(F& body, std::vector<Value>& values, std::index_sequence<I...>) {
    if constexpr (std::is_void_v<R>) {
      body(from_value<std::tuple_element_t<I, std::tuple<A...>>>(values[I])...);
      return Value();
    } else {
      return to_value<R>(body(from_value<std::tuple_element_t<I, std::tuple<A...>>>(values[I])...));
    }
  }
  static std::uint64_t mark_of(const std::type_info& callable, const Location& location) {
    // A lambda's type is its own; function pointers of one signature share theirs, so the line counts too.
    return callable.hash_code() ^ (std::hash<std::string_view>()(location.file_name()) + location.line());
  }

  std::unique_ptr<FunctionCore> core_;
};

template <>
class Function<tapescope_inside::NoSignature> {
 public:
  template <class F>
  Function(const F&, FunctionOptions = {}) {
    refuse<F>();
  }
  template <class F>
  Function(const std::string&, const F&, FunctionOptions = {}) {
    refuse<F>();
  }

 private:
  template <class F>
  static void refuse() {
    static_assert(
        std::is_void_v<F>,
        "a Function needs the types of its callable's arguments: write [](const Tensor& x) in place of "
        "[](auto x), and give a callable with one operator()");
  }
};

template <class F>
Function(std::string, F, FunctionOptions = {}, Location = Location::current())
    -> Function<typename tapescope_inside::SignatureOf<F>::type,
                tapescope_inside::kRequiredOf<F, typename tapescope_inside::SignatureOf<F>::type>>;
template <class F>
requires(!std::is_convertible_v<F, std::string>)
    Function(F, FunctionOptions = {}, Location = Location::current())
->Function<typename tapescope_inside::SignatureOf<F>::type,
           tapescope_inside::kRequiredOf<F, typename tapescope_inside::SignatureOf<F>::type>>;

// While on, functions run their callable op by op, untraced (tf.config.run_functions_eagerly).
void run_functions_eagerly(bool on);

// A setting that traces depend on, such as a policy for dtypes: part of every key while it lives, on this
// thread.
class TraceContext {
 public:
  explicit TraceContext(std::string_view name);
  ~TraceContext();
  TraceContext(const TraceContext&) = delete;
  TraceContext& operator=(const TraceContext&) = delete;

 private:
  NameId outer_;
};

}  // namespace tapescope
