// Picking, placing and ordering by index.
#include "engine/ops/index.h"

#include <cmath>

#include "tests/support/gradient_check.h"

using namespace tapescope;

namespace {

Tensor indices(const Values& values, DType dtype = DType::i32) { return constant(values, dtype); }

}  // namespace

TEST_CASE("gather takes rows along any axis, with batches") {
  const Tensor x = constant({{0.0, 1.0, 2.0}, {10.0, 11.0, 12.0}});
  CHECK(values_text(gather(x, indices({1, 0, 1}))) == "[[10, 11, 12], [0, 1, 2], [10, 11, 12]]");
  CHECK(values_text(gather(x, indices({2, 0}, DType::i64), 1)) == "[[2, 0], [12, 10]]");
  CHECK(values_text(gather(x, indices({{2, 0}, {1, 1}}), 1, 1)) == "[[2, 0], [11, 11]]");
  CHECK(gather(x, indices({{0, 1}, {1, 0}})).shape() == Shape({2, 2, 3}));
  CHECK(values_text(gather(x, indices(1))) == "[10, 11, 12]");
  CHECK_THROWS_WITH(gather(x, indices({0, 2})), contains_text("index 2 at position 1 is not in [0, 2)"));
  CHECK_THROWS_WITH(gather(x, indices({-1})), contains_text("index -1"));
  CHECK_THROWS_WITH(gather(x, constant({0.5})), contains_text("int32 or int64"));
}

TEST_CASE("positions in several dimensions") {
  const Tensor x = constant({{0.0, 1.0, 2.0}, {10.0, 11.0, 12.0}});
  CHECK(values_text(gather_nd(x, indices({{0, 2}, {1, 0}}))) == "[2, 10]");
  CHECK(values_text(gather_nd(x, indices({{1}}))) == "[[10, 11, 12]]");
  CHECK(values_text(scatter_nd(indices({{1}, {3}, {1}}), constant({1.0, 2.0, 3.0}), {5})) ==
        "[0, 4, 0, 2, 0]");
  CHECK(values_text(tensor_scatter_nd_update(x, indices({{0, 0}}), constant({9.0}))) ==
        "[[9, 1, 2], [10, 11, 12]]");
  CHECK(values_text(
            tensor_scatter_nd_add(x, indices({{1}, {1}}), constant({{1.0, 1.0, 1.0}, {1.0, 0.0, 0.0}}))) ==
        "[[0, 1, 2], [12, 12, 13]]");
  CHECK(values_text(tensor_scatter_nd_sub(x, indices({{0, 1}}), constant({3.0}))) ==
        "[[0, -2, 2], [10, 11, 12]]");
  CHECK(values_text(tensor_scatter_nd_max(x, indices({{0, 0}, {0, 1}}), constant({5.0, 0.0}))) ==
        "[[5, 1, 2], [10, 11, 12]]");
  CHECK(values_text(tensor_scatter_nd_min(x, indices({{1}}), constant({{0.0, 50.0, 0.0}}))) ==
        "[[0, 1, 2], [0, 11, 0]]");
  CHECK_THROWS_WITH(scatter_nd(indices({{5}}), constant({1.0}), {5}), contains_text("index 5"));
  CHECK_THROWS_WITH(scatter_nd(indices({{1}}), constant({1.0, 2.0}), {5}), contains_text("expected [1]"));
}

TEST_CASE("half sums are accumulated in float32") {
  // 2049 ones: adding one by one in float16 would stay at 2048.
  const Tensor ids = zeros({2049}, DType::i32);
  CHECK(element(unsorted_segment_sum(ones({2049}, DType::f16), ids, 1), 0) == 2048);  // 2049 rounds to even
  CHECK(element(unsorted_segment_sum(ones({2051}, DType::f16), zeros({2051}, DType::i32), 1), 0) == 2052);
}

TEST_CASE("segments") {
  const Tensor x = constant({{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}});
  CHECK(values_text(unsorted_segment_sum(x, indices({2, -1, 2}), 3)) == "[[0, 0], [0, 0], [6, 8]]");
  CHECK(values_text(unsorted_segment_max(x, indices({0, 1, 0}), 2)) == "[[5, 6], [3, 4]]");
  CHECK(values_text(unsorted_segment_mean(x, indices({0, 1, 0}), 3)) == "[[3, 4], [3, 4], [0, 0]]");
  CHECK(values_text(segment_sum(x, indices({0, 0, 1}))) == "[[4, 6], [5, 6]]");
  CHECK_THROWS_WITH(segment_sum(x, indices({1, 0, 1})), contains_text("must ascend"));
  CHECK_THROWS_WITH(unsorted_segment_sum(x, indices({0, 1, 3}), 3), contains_text("index 3 at position 2"));
}

TEST_CASE("one_hot along any axis; an index out of range gives no mark") {
  CHECK(values_text(one_hot(indices({1, 3, -1}), 3)) == "[[0, 1, 0], [0, 0, 0], [0, 0, 0]]");
  CHECK(values_text(one_hot(indices({1, 0}), 3, 5, -1, DType::i32, 0)) == "[[-1, 5], [5, -1], [-1, -1]]");
  CHECK(one_hot(indices({1}), 2, 1, 0, DType::f16).dtype() == DType::f16);
}

TEST_CASE("where_indices and boolean_mask read their condition") {
  const Tensor c = constant({{1, 0}, {0, 1}}, DType::boolean);
  CHECK(values_text(where_indices(c)) == "[[0, 0], [1, 1]]");
  const Tensor x = constant({{1.0, 2.0}, {3.0, 4.0}});
  CHECK(values_text(boolean_mask(x, c)) == "[1, 4]");
  CHECK(values_text(boolean_mask(x, constant({0, 1}, DType::boolean))) == "[[3, 4]]");
  CHECK(values_text(boolean_mask(x, constant({0, 1}, DType::boolean), 1)) == "[[2], [4]]");
  CHECK(boolean_mask(x, constant({0, 0}, DType::boolean)).shape() == Shape({0, 2}));
  CHECK_THROWS_WITH(boolean_mask(x, constant({1, 0, 1}, DType::boolean)), contains_text("the mask"));
}

TEST_CASE("order") {
  const Tensor x = constant({{3.0, 1.0, 2.0}, {5.0, 5.0, 4.0}});
  const auto [values, positions] = top_k(x, 2);
  CHECK(values_text(values) == "[[3, 2], [5, 5]]");
  CHECK(values_text(positions) == "[[0, 2], [0, 1]]");
  CHECK(values_text(sort(x)) == "[[1, 2, 3], [4, 5, 5]]");
  CHECK(values_text(sort(x, 0, true)) == "[[5, 5, 4], [3, 1, 2]]");
  CHECK(values_text(argsort(x)) == "[[1, 2, 0], [2, 0, 1]]");
  CHECK(values_text(top_k(constant({1, std::nan(""), 2}), 3).first) == "[nan, 2, 1]");
  CHECK(values_text(in_top_k(indices({0, 2}), x, 1)) == "[true, false]");
  CHECK(values_text(invert_permutation(indices({2, 0, 1}))) == "[1, 2, 0]");
  CHECK_THROWS_WITH(top_k(x, 4), contains_text("4 largest"));
  CHECK_THROWS_WITH(invert_permutation(indices({0, 0})), contains_text("index 0 at position 1"));
}

TEST_CASE("gradients by index") {
  const Tensor ids = indices({2, 0, 2, 1});
  const auto check = [](const TensorsFunction& f, const Tensors& inputs) {
    check_gradients(f, inputs);
    check_second_gradients(
        [&](const Tensors& x) {
          Tensors y = f(x);
          return Tensors{square(y[0])};
        },
        inputs);
  };
  check([&](const Tensors& x) { return Tensors{gather(x[0], ids)}; }, {check_input({3, 2})});
  check([&](const Tensors& x) { return Tensors{gather(x[0], ids, 1)}; }, {check_input({2, 3})});
  check(
      [&](const Tensors& x) {
        return Tensors{gather(x[0], indices({{1, 0}, {2, 2}}), 2, 1)};
      },
      {check_input({2, 2, 3})});
  check(
      [&](const Tensors& x) {
        return Tensors{gather_nd(x[0], indices({{0, 1}, {2, 0}, {0, 1}}))};
      },
      {check_input({3, 2})});
  check(
      [&](const Tensors& x) {
        return Tensors{scatter_nd(indices({{1}, {3}, {1}}), x[0], {4, 2})};
      },
      {check_input({3, 2})});
  check(
      [&](const Tensors& x) {
        return Tensors{unsorted_segment_sum(x[0], indices({1, -1, 0}), 3)};
      },
      {check_input({3, 2})});
  check(
      [&](const Tensors& x) {
        return Tensors{unsorted_segment_max(x[0], indices({1, 1, 0}), 2)};
      },
      {check_input({3, 2})});
  check(
      [&](const Tensors& x) {
        return Tensors{unsorted_segment_mean(x[0], indices({1, 1, 0}), 2)};
      },
      {check_input({3, 2})});
  check(
      [&](const Tensors& x) {
        return Tensors{segment_sum(x[0], indices({0, 0, 1}))};
      },
      {check_input({3, 2})});
  check([&](const Tensors& x) { return Tensors{sort(x[0], 0)}; }, {check_input({4, 2})});
  check([&](const Tensors& x) { return Tensors{top_k(x[0], 2).first}; }, {check_input({2, 4})});
  check([&](const Tensors& x) { return Tensors{top_k(x[0], 2).first}; }, {check_input({5})});
  const Tensor at = indices({{1}, {0}});
  const Tensors two{check_input({3, 2}), check_input({2, 2}, -2, 2, 5)};
  check([&](const Tensors& x) { return Tensors{tensor_scatter_nd_update(x[0], at, x[1])}; }, two);
  check([&](const Tensors& x) { return Tensors{tensor_scatter_nd_add(x[0], at, x[1])}; }, two);
  check([&](const Tensors& x) { return Tensors{tensor_scatter_nd_sub(x[0], at, x[1])}; }, two);
  check([&](const Tensors& x) { return Tensors{tensor_scatter_nd_max(x[0], at, x[1])}; }, two);
  check([&](const Tensors& x) { return Tensors{tensor_scatter_nd_min(x[0], at, x[1])}; }, two);
}

TEST_CASE("ties of tensor_scatter_nd_max share the gradient") {
  const Tensor x = constant({1, 2}, DType::f64), updates = constant({1}, DType::f64);
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    tape.watch({x, updates});
    y = tensor_scatter_nd_max(x, indices({{0}}), updates);
  }
  const std::vector<Tensor> g = tape.gradient(y, {x, updates});
  CHECK(values_text(g[0]) == "[0.5, 1]");
  CHECK(values_text(g[1]) == "[0.5]");
}

TEST_CASE("indices get None") {
  const Tensor x = constant({1.0, 2.0, 3.0}), ids = indices({0, 2});
  GradientTape tape({.persistent = true});
  Tensor y;
  {
    auto recording = tape.record();
    tape.watch(x);
    y = gather(x, ids);
  }
  CHECK_FALSE(tape.gradient(y, ids));
  CHECK(values_text(tape.gradient(y, x)) == "[1, 0, 1]");
}
