// Gradients of gathers stay rows until all of them are needed.
#include "engine/ops/slices.h"

#include "engine/nn/optimizers.h"
#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"
#include "tests/support/error_of.h"
#include "tests/support/two_derivatives.h"

using namespace tapescope;

namespace {

Variable table() {
  return Variable(constant({{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}, {7.0, 8.0}}), {.name = "table"});
}
Tensor ids(std::vector<std::int32_t> rows) {
  return constant(std::span<const std::int32_t>(rows), Shape{static_cast<std::int64_t>(rows.size())});
}

}  // namespace

TEST_CASE("slices: a gather's gradient is its rows, a variable's too", "[slices]") {
  const Variable w = table();
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    y = reduce_sum(square(gather(w, ids({2, 0, 2}))));
  }
  const Tensor gradient = tape.gradient(y, w);
  REQUIRE(is_indexed_slices(gradient));
  const IndexedSlices slices(gradient);
  CHECK(elements(slices.values()) == std::vector<double>{10, 12, 2, 4, 10, 12});
  CHECK(elements(slices.indices()) == std::vector<double>{2, 0, 2});
  CHECK(slices.dense_shape() == Shape{4, 2});
  CHECK(elements(to_dense(gradient)) == std::vector<double>{2, 4, 0, 0, 20, 24, 0, 0});
  CHECK(elements(gradient) == elements(to_dense(gradient)));
}

TEST_CASE("slices: two gathers join their rows, a dense use makes the sum dense", "[slices]") {
  const Variable w = table();
  GradientTape tape({.persistent = true});
  Tensor sparse, mixed;
  {
    auto recording = tape.record();
    const Tensor value = w.value();
    sparse = reduce_sum(gather(value, ids({1})) * 2.0) + reduce_sum(gather(value, ids({3, 1})));
    mixed = reduce_sum(gather(value, ids({1}))) + reduce_sum(value);
  }
  const Tensor rows = tape.gradient(sparse, w);
  REQUIRE(is_indexed_slices(rows));
  CHECK(IndexedSlices(rows).indices().numel() == 3);
  CHECK(elements(to_dense(rows)) == std::vector<double>{0, 0, 3, 3, 0, 0, 1, 1});
  const Tensor dense = tape.gradient(mixed, w);
  CHECK_FALSE(is_indexed_slices(dense));
  CHECK(elements(dense) == std::vector<double>{1, 1, 2, 2, 1, 1, 1, 1});
}

TEST_CASE("slices: any op takes them, with all their rows; their own gradient goes on", "[slices]") {
  const Tensor x = constant({{1, 2}, {3, 4}}, DType::f64);
  const TwoDerivatives found = two_derivatives(
      x,
      [](const Tensor& in) {
        return reduce_sum(pow(gather(in, ids({1, 1})), 3.0));
      },
      [](const Tensor& gradient) {
        REQUIRE(is_indexed_slices(gradient));
        return reduce_sum(gradient * 2.0);
      });
  CHECK(element(found.first, 0) == 2 * 2 * (27 + 48));
  CHECK(elements(found.second) == std::vector<double>{0, 0, 72, 96});
}

TEST_CASE("slices: clipping scales the values and keeps the indices", "[slices]") {
  const Tensor slices = indexed_slices(constant({{3.0}, {4.0}}), ids({0, 2}), Shape{3, 1});
  const auto [clipped, norm] = clip_by_global_norm(std::vector{slices, Tensor()}, 1.0);
  CHECK(element(norm, 0) == 5);
  REQUIRE(is_indexed_slices(clipped[0]));
  CHECK(element(IndexedSlices(clipped[0]).values(), 0) == Approx(0.6));
  CHECK_FALSE(clipped[1]);
}

TEST_CASE("slices: optimizers update by them as by the dense gradient", "[slices]") {
  for (const int kind : {0, 1, 2}) {
    std::vector<std::vector<double>> found;
    for (const bool dense : {false, true}) {
      const Variable w = table();
      std::unique_ptr<Optimizer> optimizer;
      if (kind == 0) optimizer = std::make_unique<SGD>(0.1);
      if (kind == 1) optimizer = std::make_unique<Adam>(0.1);
      if (kind == 2) optimizer = std::make_unique<Adagrad>(0.1);
      for (int step = 0; step < 3; ++step) {
        GradientTape tape;
        Tensor loss;
        {
          auto recording = tape.record();
          loss = reduce_sum(square(gather(w, ids({step, 2, 2}))));
        }
        const Tensor gradient = tape.gradient(loss, w);
        REQUIRE(is_indexed_slices(gradient));
        optimizer->apply_gradients(std::vector{dense ? to_dense(gradient) : gradient}, {w});
      }
      found.push_back(elements(w.peek()));
    }
    CHECK(found[0] == found[1]);
  }
}

TEST_CASE("slices: a target or source that is rows is refused, parts that do not fit too", "[slices]") {
  const Tensor slices = indexed_slices(constant({{3.0}, {4.0}}), ids({0, 2}), Shape{3, 1});
  GradientTape tape;
  const Tensor x = constant(1.0);
  {
    auto recording = tape.record();
    tape.watch(x);
  }
  CHECK(kind_of([&] { tape.gradient(slices, x); }) == ErrorKind::attribute);
  CHECK(kind_of([&] { IndexedSlices view(x); }) == ErrorKind::type);
  CHECK(kind_of([&] {
          indexed_slices(constant({1.0, 2.0}), ids({0}), Shape{3});
        }) == ErrorKind::invalid_argument);
}

TEST_CASE("slices: a Jacobian's rows are dense", "[slices]") {
  const Tensor x = constant({1, 2, 3}, DType::f64);
  for (const bool vectorized : {true, false}) {
    GradientTape tape({.persistent = true});
    Tensor y;
    {
      auto recording = tape.record();
      tape.watch(x);
      y = gather(x, ids({2, 2}));
    }
    CHECK(elements(tape.jacobian(y, x, {.vectorized = vectorized})) == std::vector<double>{0, 0, 1, 0, 0, 1});
  }
}
