// Concrete functions with open dimensions: one trace that counts, a graph for each shape a call brings.
#include "engine/graph/function.h"
#include "engine/ops/ops.h"
#include "tests/support/catch.h"
#include "tests/support/error_of.h"

using namespace tapescope;

namespace {

constexpr std::int64_t kAnySize = TensorSpec::kAny;

double sum_of(const Value& value) {
  double sum = 0;
  for (const double each : elements(value.tensor())) sum += each;
  return sum;
}

}  // namespace

TEST_CASE(
    "a concrete function of an open dimension counts once and serves every size, as the function does") {
  int runs = 0;
  Function f("f", [&](const Tensor& x) {
    ++runs;
    return reduce_sum(x * 2.0);
  });
  const ConcreteFunction concrete = f.get_concrete_function({TensorSpec{.dims = {kAnySize}}});
  CHECK(f.tracing_count() == 1);
  CHECK(runs == 0);  // a graph is of known shapes: there is none yet
  CHECK(concrete.signature_text() == "float32[None]");
  CHECK(concrete.graph_text().empty());
  CHECK(sum_of(concrete({ones({3})})) == 6);
  CHECK(sum_of(concrete({ones({4})})) == 8);
  CHECK(sum_of(concrete({ones({3})})) == 6);
  CHECK(runs == 2);
  // TensorFlow: a trace for [None] made first, then (3), (4): 1, 1, 1.
  CHECK(sum_of(Value(f(ones({3})))) == 6);
  CHECK(sum_of(Value(f(ones({5})))) == 10);
  CHECK(f.tracing_count() == 1);
  CHECK(runs == 3);
  CHECK_THAT(concrete.graph_text(), contains_text("Mul"));
}

TEST_CASE("a concrete function refuses what its open signature does not take, in one sentence") {
  Function f("f", [](const Tensor& x, int n) { return x * static_cast<double>(n); });
  const ConcreteFunction concrete = f.get_concrete_function({TensorSpec{.dims = {kAnySize, 3}}, 2});
  CHECK(concrete.signature_text() == "float32[None, 3], 2");
  CHECK(concrete({ones({5, 3}), 2}).tensor().shape() == Shape{5, 3});
  CHECK_THAT(error_of([&] {
               concrete({ones({5, 4}), 2});
             }),
             contains_text("expected") && contains_text("[None, 3]"));
  CHECK(kind_of([&] { concrete({ones({3}), 2}); }) == ErrorKind::type);
  CHECK(kind_of([&] { concrete({ones({5, 3}), 7}); }) == ErrorKind::type);
  CHECK(kind_of([&] { concrete({ones({5, 3}, DType::f64), 2}); }) == ErrorKind::invalid_argument);
  CHECK(concrete({ones({1, 3}), 2}).tensor().shape() == Shape{1, 3});
}

TEST_CASE("an input signature is a concrete function's, whole or narrowed") {
  Function f("f", [](const Tensor& x) { return reduce_sum(x); },
             {.input_signature = std::vector<TensorSpec>{{.dims = {kAnySize, 2}, .name = "x"}}});
  const ConcreteFunction whole = f.get_concrete_function();
  CHECK(whole.signature_text() == "float32[None, 2]");
  CHECK(sum_of(whole({ones({4, 2})})) == 8);
  CHECK(f.tracing_count() == 1);
  const ConcreteFunction narrow = f.get_concrete_function({TensorSpec{.dims = {3, 2}}});
  CHECK(sum_of(narrow({ones({3, 2})})) == 6);
  CHECK(f.tracing_count() == 1);
  CHECK(kind_of([&] { f.get_concrete_function({TensorSpec{.dims = {3, 3}}}); }) == ErrorKind::type);
  CHECK(kind_of([&] {
          f.get_concrete_function({TensorSpec{.dims = {kAnySize, kAnySize}}});
        }) == ErrorKind::type);
}

TEST_CASE("any rank may be left open") {
  Function f("f", [](const Tensor& x) { return reduce_sum(x); });
  const ConcreteFunction concrete = f.get_concrete_function({TensorSpec{.ranked = false}});
  CHECK(sum_of(concrete({constant(2.0)})) == 2);
  CHECK(sum_of(concrete({ones({2, 2})})) == 4);
  CHECK(f.tracing_count() == 1);
}

TEST_CASE("a concrete function outlives its function, and makes variables at its first run only") {
  Variable w;
  auto f = std::make_unique<Function<Tensor(const Tensor&)>>("f", [&](const Tensor& x) {
    if (!w) w = Variable(constant(3.0), {.name = "w"});
    return x * w;
  });
  const ConcreteFunction concrete = f->get_concrete_function({TensorSpec{.dims = {kAnySize}}});
  CHECK(sum_of(concrete({ones({2})})) == 6);
  CHECK(f->tracing_count() == 2);  // the first trace of a callable that makes variables is made twice
  f.reset();
  CHECK(sum_of(concrete({ones({3})})) == 9);
}
