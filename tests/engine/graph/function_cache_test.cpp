// Which calls share a trace: the counts of tensorflow-semantics.md, 13.3.
#include <string>
#include <vector>

#include "engine/graph/function.h"
#include "engine/ops/ops.h"
#include "engine/program.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

// A function of anything, which returns a constant; its counts after each call.
struct Counter {
  explicit Counter(FunctionOptions options = {})
      : f(
            "f", [](const Value&) { return constant(1.0); }, std::move(options)) {}
  Counter& operator()(Value value) {
    f(value);
    counts.push_back(f.tracing_count());
    return *this;
  }
  Function<Tensor(const Value&)> f;
  std::vector<std::size_t> counts;
};

using Counts = std::vector<std::size_t>;

Tensor of_shape(const Shape& shape, DType dtype = DType::f32) { return zeros(shape, dtype); }

Value pair_of(const Shape& shape, int literal) { return Value::tuple({of_shape(shape), literal}); }

}  // namespace

TEST_CASE("tensors share a trace by dtype and shape") {
  CHECK(Counter()(of_shape({2}))(of_shape({2})).counts == Counts{1, 1});
  CHECK(Counter()(of_shape({2}))(of_shape({3}))(of_shape({4})).counts == Counts{1, 2, 3});
  CHECK(Counter()(of_shape({2}))(of_shape({2, 2})).counts == Counts{1, 2});
  CHECK(Counter()(of_shape({2}))(of_shape({2}, DType::f64)).counts == Counts{1, 2});
}

TEST_CASE("numbers and strings share a trace by value, and each kind is its own") {
  CHECK(Counter()(1)(2)(3)(1).counts == Counts{1, 2, 3, 3});
  CHECK(Counter()(1)(1.0)(true)(1).counts == Counts{1, 2, 3, 3});
  CHECK(Counter()("relu")("tanh")("relu").counts == Counts{1, 2, 2});
  CHECK(Counter()(0.0 / 0.0)(0.0 / 0.0).counts == Counts{1, 1});
  Counter many;
  for (int i = 0; i < 40; ++i) many(i);
  CHECK(many.counts.back() == 40);
}

TEST_CASE("structures share a trace by their form") {
  const Tensor t = of_shape({2});
  CHECK(Counter()(Value::list({t}))(Value::list({t, t})).counts == Counts{1, 2});
  CHECK(Counter()(Value::list({t}))(Value::tuple({t})).counts == Counts{1, 2});
  CHECK(Counter()(Value::map({{"a", t}, {"b", 1}}))(Value::map({{"b", 1}, {"a", t}})).counts == Counts{1, 1});
  CHECK(Counter()(Value::map({{"a", t}}))(Value::map({{"b", t}})).counts == Counts{1, 2});
  CHECK(Counter()(Value())(t).counts == Counts{1, 2});
  CHECK(Counter()(Tensor())(t).counts == Counts{1, 2});
}

TEST_CASE("objects share a trace by identity") {
  struct Config : Identity {};
  Config a, b;
  const Config copy = a;
  Config other = copy;
  CHECK(Counter()(Value::object(a))(Value::object(b))(Value::object(a)).counts == Counts{1, 2, 2});
  CHECK(Counter()(Value::object(a))(Value::object(other)).counts == Counts{1, 2});
  Counter temporaries;
  for (int i = 0; i < 3; ++i) {
    Config local;
    temporaries(Value::object(local));
  }
  CHECK(temporaries.counts == Counts{1, 2, 3});
  Counter shared;
  for (int i = 0; i < 3; ++i) shared(Value::object(std::make_shared<int>(1)));
  CHECK(shared.counts == Counts{1, 2, 3});
}

TEST_CASE("variables share a trace by type, flag and which of them are the same") {
  const Variable v(zeros({2})), w(zeros({2})), wide(zeros({3})), fixed(zeros({2}), {.trainable = false});
  CHECK(Counter()(v)(w).counts == Counts{1, 1});
  CHECK(Counter()(v)(w)(wide)(fixed).counts == Counts{1, 1, 2, 3});
  CHECK(Counter()(v)(v.value()).counts == Counts{1, 2});
  const auto both = [](const Variable& a, const Variable& b) { return Value::tuple({a, b}); };
  CHECK(Counter()(both(v, v))(both(v, w)).counts == Counts{1, 2});
  CHECK(Counter()(both(v, w))(both(w, v))(both(v, v)).counts == Counts{1, 1, 2});
}

TEST_CASE("a swapped variable is the one that is read and assigned") {
  const Variable v(constant(2.0)), w(constant(5.0));
  Function twice("twice", [](const Variable& x) {
    x.assign_add(1.0);
    return x * 2.0;
  });
  CHECK(item(twice(v)) == 6);
  CHECK(item(twice(w)) == 12);
  CHECK(twice.tracing_count() == 1);
  CHECK(element(v.peek(), 0) == 3);
  CHECK(element(w.peek(), 0) == 6);
}

TEST_CASE("reduce_retracing leaves open what changed") {
  const FunctionOptions relaxed{.reduce_retracing = true};
  const auto shapes = [&](const std::vector<Shape>& all) {
    Counter counter(relaxed);
    for (const Shape& shape : all) counter(of_shape(shape));
    return counter.counts;
  };
  CHECK(shapes({{2}, {3}, {4}}) == Counts{1, 2, 2});
  CHECK(shapes({{2}, {3}, {2}}) == Counts{1, 2, 2});
  CHECK(shapes({{2}, {2, 2}, {2, 2, 2}}) == Counts{1, 2, 2});
  CHECK(shapes({{2, 3}, {4, 3}, {4, 5}, {6, 7}}) == Counts{1, 2, 3, 3});
  CHECK(shapes({{1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}}).back() == 2);
  CHECK(Counter(relaxed)(of_shape({2}))(of_shape({2}, DType::f64))(of_shape({2}, DType::i32)).counts ==
        Counts{1, 2, 3});
  CHECK(Counter(relaxed)(1)(2)(3).counts == Counts{1, 2, 3});
  CHECK(Counter(relaxed)(pair_of({2}, 1))(pair_of({3}, 2))(pair_of({4}, 2))(pair_of({5}, 1))(pair_of({6}, 1))
            .counts == Counts{1, 2, 3, 4, 4});
}

TEST_CASE("a relaxed trace computes each shape's own values") {
  Function total("total", [](const Tensor& x) { return reduce_mean(x) * static_cast<double>(x.numel()); },
                 {.reduce_retracing = true});
  for (const int size : {2, 3, 4, 3}) CHECK(item(total(ones({size}))) == size);
  CHECK(total.tracing_count() == 2);
}

TEST_CASE("an input signature takes what fits it, converts host values, and refuses the rest") {
  Function total(
      "total", [](const Value& x) { return reduce_sum(x.tensor()); },
      {.arguments = {"x"}, .input_signature = std::vector<TensorSpec>{{.dims = {TensorSpec::kAny}}}});
  CHECK(item(total(ones({2}))) == 2);
  CHECK(item(total(ones({3}))) == 3);
  CHECK(item(total(Value::list({1, 2, 3, 4}))) == 10);
  CHECK(total.tracing_count() == 1);
  const auto refused = [&](const Value& value) {
    try {
      total(value);
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::type);
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK_THAT(refused(ones({2, 2})),
             contains_text("argument 'x'") && contains_text("[None]") && contains_text("[2, 2]"));
  CHECK_THAT(refused(ones({2}, DType::f64)), contains_text("float64"));
  CHECK_THAT(refused("text"), contains_text("'text'"));
}

TEST_CASE("contexts have separate traces, tapes and scopes have not") {
  Counter counter;
  counter(1);
  {
    const TraceContext policy("mixed_float16");
    counter(1);
  }
  {
    GradientTape tape({.persistent = true});
    const auto recording = tape.record();
    const NameScope scope("layer");
    counter(1);
  }
  CHECK(counter.counts == Counts{1, 2, 2});
}

TEST_CASE("a bounded cache drops the trace used longest ago") {
  Counter counter({.max_traces = 2});
  counter(1)(2)(1)(3)(1)(2);
  CHECK(counter.counts == Counts{1, 2, 2, 3, 3, 4});
}

TEST_CASE("variables made on the first call cost a second trace") {
  Variable w;
  int runs = 0;
  Function f("f", [&](const Tensor& x) {
    ++runs;
    if (!w) w = Variable(reduce_sum(x) * 2.0);
    return x * w;
  });
  CHECK(host_values(f(constant({1.0, 2.0}))) == std::vector<double>{6, 12});
  CHECK(runs == 2);
  CHECK(f.tracing_count() == 2);
  f(constant({1.0, 2.0}));
  CHECK(f.tracing_count() == 2);
  f(constant({1.0, 2.0, 3.0}));
  CHECK(f.tracing_count() == 3);
  CHECK(element(w.peek(), 0) == 6);
}

TEST_CASE("variables made later, or at each call, are an error") {
  std::vector<Variable> made;
  Function late("late", [&](bool make) {
    if (make) made.emplace_back(constant(1.0));
    return constant(0.0);
  });
  late(false);
  CHECK_THROWS_WITH(late(true), contains_text("[late]") && contains_text("not its first"));
  Function each("each", [&] { return Variable(constant(1.0)).value(); });
  CHECK_THROWS_WITH(each(), contains_text("[each]") && contains_text("each time"));
}

TEST_CASE("recursion on a number ends, on a tensor it is an error") {
  Function<Tensor(int, const Tensor&)>* self = nullptr;
  Function<Tensor(int, const Tensor&)> power(
      "power", [&](int n, const Tensor& x) { return n == 0 ? ones_like(x) : x * (*self)(n - 1, x); });
  self = &power;
  CHECK(item(power(3, constant(2.0))) == 8);
  CHECK(power.tracing_count() == 4);
  Function<Tensor(const Tensor&)>* endless = nullptr;
  Function<Tensor(const Tensor&)> forever("forever", [&](const Tensor& x) { return (*endless)(x - 1.0); });
  endless = &forever;
  CHECK_THROWS_WITH(forever(constant(1.0)), contains_text("[forever]") && contains_text("never end"));
}

TEST_CASE("nested calls and eager ones share traces") {
  Function g("g", [](const Tensor& x) { return x * 2.0; });
  Function f("f", [&](const Tensor& x) { return g(g(x)); });
  CHECK(item(f(constant(3.0))) == 12);
  CHECK(g.tracing_count() == 1);
  CHECK(item(g(constant(1.0))) == 2);
  CHECK(g.tracing_count() == 1);
  f(constant({1.0}));
  CHECK(g.tracing_count() == 2);
}

TEST_CASE("concrete functions are traced without a call and refuse other arguments") {
  int runs = 0;
  Function f("f", [&](const Tensor& x, int n) {
    ++runs;
    return x * static_cast<double>(n);
  });
  const ConcreteFunction concrete = f.get_concrete_function({TensorSpec{.dims = {2}}, 3});
  CHECK(runs == 1);
  CHECK(f.tracing_count() == 1);
  CHECK(host_values(concrete({constant({1.0, 2.0}), 3}).tensor()) == std::vector<double>{3, 6});
  f(constant({1.0, 2.0}), 3);
  CHECK(f.tracing_count() == 1);
  const auto kind = [&](std::vector<Value> arguments) {
    try {
      concrete(std::move(arguments));
    } catch (const Error& error) {
      return error.kind();
    }
    return ErrorKind::internal;
  };
  CHECK(kind({ones({3}), 3}) == ErrorKind::type);
  CHECK(kind({ones({2}), 4}) == ErrorKind::type);
  CHECK(kind({ones({2}, DType::f64), 3}) == ErrorKind::invalid_argument);
  CHECK_THAT(concrete.graph_text(), contains_text("Mul"));
}
