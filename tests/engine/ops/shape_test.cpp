// Shape and data movement: values, gradients, refusals.
#include "engine/ops/shape.h"

#include <limits>

#include "tests/support/gradient_check.h"

using namespace tapescope;

namespace {

// 0, 1, 2, ... in that shape
Tensor counted(const Shape& shape, DType dtype = DType::f64) {
  return reshape(range(static_cast<double>(shape.numel()), dtype), shape);
}

void check_movement(const TensorsFunction& f, const Tensors& inputs) {
  check_gradients(f, inputs);
  // Movement is linear: the square makes the second derivative depend on it.
  check_gradients(
      [&](const Tensors& x) {
        Tensors y = f(x);
        for (Tensor& t : y) t = square(t);
        return y;
      },
      inputs);
}

}  // namespace

TEST_CASE("views share the elements") {
  const Tensor x = counted({2, 3});
  for (const Tensor& y : {reshape(x, {3, 2}), expand_dims(x, 1), identity(x), stop_gradient(x), flatten(x)}) {
    CHECK(y.raw() == x.raw());
    CHECK(y.id() != x.id());
  }
  CHECK(expand_dims(x, -1).shape() == Shape({2, 3, 1}));
  CHECK(expand_dims(x, 0).shape() == Shape({1, 2, 3}));
  CHECK(squeeze(reshape(x, {1, 2, 1, 3})).shape() == Shape({2, 3}));
  CHECK(squeeze(reshape(x, {1, 2, 1, 3}), -2).shape() == Shape({1, 2, 3}));
  CHECK(flatten(counted({2, 3, 4})).shape() == Shape({2, 12}));
}

TEST_CASE("reshape solves one size and refuses what does not divide") {
  const Tensor x = counted({2, 3, 4});
  CHECK(reshape(x, {-1, 6}).shape() == Shape({4, 6}));
  CHECK(reshape(zeros({0, 3}), {3, 0}).shape() == Shape({3, 0}));
  CHECK_THROWS_WITH(reshape(x, {5, -1}), contains_text("[Reshape]") && contains_text("24 elements") &&
                                             contains_text("shape_test.cpp"));
  CHECK_THROWS_WITH(reshape(x, {-1, -1}), contains_text("two sizes of -1"));
  CHECK_THROWS_WITH(reshape(x, {5, 5}), contains_text("[2, 3, 4]") && contains_text("[5, 5]"));
  CHECK_THROWS_WITH(squeeze(x, 0), contains_text("has size 2"));
  CHECK_THROWS_WITH(expand_dims(x, 5), contains_text("axis 5 is out of range"));
}

TEST_CASE("transpose moves element (i, j, k) to its place for every permutation") {
  const Shape shape{3, 5, 7};
  for (DType dtype : {DType::f64, DType::f32, DType::bf16, DType::boolean}) {
    const Tensor x = dtype == DType::boolean ? cast(counted(shape) > 50, dtype) : counted(shape, dtype);
    for (const Ints& perm :
         {Ints{0, 1, 2}, Ints{0, 2, 1}, Ints{1, 0, 2}, Ints{1, 2, 0}, Ints{2, 0, 1}, Ints{2, 1, 0}}) {
      const Tensor y = transpose(x, perm);
      int wrong = 0;
      std::int64_t at[3];
      for (at[0] = 0; at[0] < 3; ++at[0])
        for (at[1] = 0; at[1] < 5; ++at[1])
          for (at[2] = 0; at[2] < 7; ++at[2]) {
            const std::int64_t from = (at[0] * 5 + at[1]) * 7 + at[2];
            const std::int64_t to = (at[perm[0]] * y.dim(1) + at[perm[1]]) * y.dim(2) + at[perm[2]];
            wrong += element(y, to) != element(x, from);
          }
      CHECK(wrong == 0);
    }
  }
  CHECK(elements(transpose(transpose(counted({33, 70})))) == elements(counted({33, 70})));
  CHECK_THROWS_WITH(transpose(counted({2, 3}), {0, 0}), contains_text("no permutation"));
  CHECK_THROWS_WITH(transpose(counted({2, 3}), {0}), contains_text("no permutation"));
}

TEST_CASE("repeating") {
  CHECK(values_text(broadcast_to(constant({{1.0}, {2.0}}), {2, 2, 3})) ==
        "[[[1, 1, 1], [2, 2, 2]], [[1, 1, 1], [2, 2, 2]]]");
  CHECK(values_text(tile(constant({{1.0, 2.0}}), {2, 2})) == "[[1, 2, 1, 2], [1, 2, 1, 2]]");
  CHECK(values_text(repeat(constant({{1.0, 2.0}, {3.0, 4.0}}), 2, 0)) == "[[1, 2], [1, 2], [3, 4], [3, 4]]");
  CHECK(tile(constant({1.0, 2.0}), {0}).numel() == 0);
  CHECK_THROWS_WITH(broadcast_to(zeros({2}), {3}), contains_text("does not broadcast"));
  CHECK_THROWS_WITH(tile(zeros({2}), {1, 2}), contains_text("2 multiples for the 1 dimensions"));
}

TEST_CASE("reverse and roll") {
  CHECK(values_text(reverse(constant({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}}), 1)) == "[[3, 2, 1], [6, 5, 4]]");
  CHECK(values_text(reverse(constant({{1.0, 2.0}, {3.0, 4.0}}), {0, 1})) == "[[4, 3], [2, 1]]");
  CHECK(values_text(roll(constant({1.0, 2.0, 3.0, 4.0}), 1, 0)) == "[4, 1, 2, 3]");
  CHECK(values_text(roll(constant({1.0, 2.0, 3.0, 4.0}), -5, 0)) == "[2, 3, 4, 1]");
  CHECK(roll(zeros({2, 0}), 1, 1).numel() == 0);
}

TEST_CASE("joining and dividing are inverse") {
  const Tensor x = counted({4, 6, 2});
  for (int axis : {0, 1, -1}) {
    CHECK(elements(concat(split(x, 2, axis), axis)) == elements(x));
    CHECK(elements(stack(unstack(x, axis), axis)) == elements(x));
  }
  const std::vector<std::int64_t> sizes{1, -1, 2};
  const std::vector<Tensor> parts = split(x, std::span(sizes), 1);
  CHECK(parts[1].shape() == Shape({4, 3, 2}));
  CHECK(elements(concat(parts, 1)) == elements(x));
  CHECK(values_text(stack({constant({1.0, 2.0}), constant({3.0, 4.0})}, 1)) == "[[1, 3], [2, 4]]");
  CHECK_THROWS_WITH(concat({zeros({2, 3}), zeros({2, 4})}, 0),
                    contains_text("input 1") && contains_text("[2, 4]"));
  CHECK_THROWS_WITH(stack({zeros({2}), zeros({3})}), contains_text("equal types"));
  CHECK_THROWS_WITH(split(x, 4, 1), contains_text("does not divide"));
  CHECK_THROWS_WITH(concat(std::vector<Tensor>(), 0), contains_text("empty list"));
  CHECK_THROWS_WITH(concat({Tensor(), zeros({2})}, 0), contains_text("None"));
}

TEST_CASE("slices follow Python's rules") {
  const Tensor x = constant({0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0});
  CHECK(values_text(slice(x, {2}, {3})) == "[2, 3, 4]");
  CHECK(values_text(slice(x, {4}, {-1})) == "[4, 5, 6]");
  CHECK(values_text(strided_slice(x, {1}, {6}, {2})) == "[1, 3, 5]");
  CHECK(values_text(strided_slice(x, {-1}, {0}, {-3})) == "[6, 3]");
  CHECK(values_text(strided_slice(x, {5}, {100}, {1})) == "[5, 6]");
  CHECK(values_text(strided_slice(x, {5}, {2}, {1})) == "[]");
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max(), least = -most - 1;
  CHECK(values_text(strided_slice(x, {1}, {most}, {2})) == "[1, 3, 5]");
  CHECK(values_text(strided_slice(x, {least}, {3}, {1})) == "[0, 1, 2]");
  CHECK(values_text(strided_slice(x, {1}, {most}, {most})) == "[1]");
  CHECK(values_text(strided_slice(x, {most}, {least}, {least})) == "[6]");
  CHECK(values_text(strided_slice(x, {most}, {least}, {-2})) == "[6, 4, 2, 0]");
  CHECK(values_text(
            strided_slice(x, {.begin = {0}, .end = {0}, .strides = {-1}, .begin_mask = 1, .end_mask = 1})) ==
        "[6, 5, 4, 3, 2, 1, 0]");
  CHECK(values_text(at(x, -2)) == "5");
  const Tensor y = counted({2, 3, 4});
  CHECK(values_text(at(at(y, 1), 0)) == "[12, 13, 14, 15]");
  // y[..., 1] and y[:, newaxis, 2]
  CHECK(values_text(strided_slice(
            y, {.begin = {0, 1}, .end = {0, 2}, .strides = {1, 1}, .ellipsis_mask = 1, .shrink_mask = 2})) ==
        "[[1, 5, 9], [13, 17, 21]]");
  const Tensor inserted = strided_slice(y, {.begin = {0, 0, 2},
                                            .end = {0, 0, 3},
                                            .strides = {1, 1, 1},
                                            .begin_mask = 1,
                                            .end_mask = 1,
                                            .new_mask = 2,
                                            .shrink_mask = 4});
  CHECK(inserted.shape() == Shape({2, 1, 4}));
  CHECK(values_text(inserted) == "[[[8, 9, 10, 11]], [[20, 21, 22, 23]]]");
  CHECK_THROWS_WITH(at(x, 7), contains_text("index 7 is out of range"));
  CHECK_THROWS_WITH(slice(x, {5}, {3}), contains_text("not within dimension 0"));
  CHECK_THROWS_WITH(strided_slice(x, {0}, {1}, {0}), contains_text("stride 0 is 0"));
}

TEST_CASE("margins") {
  CHECK(values_text(pad(constant({{1.0, 2.0}}), {{1, 0}, {0, 1}})) == "[[0, 0, 0], [1, 2, 0]]");
  CHECK(values_text(pad(constant({1.0, 2.0}), {{1, 1}}, PadMode::constant, 9)) == "[9, 1, 2, 9]");
  CHECK(values_text(pad(constant({1.0, 2.0, 3.0}), {{2, 1}}, PadMode::reflect)) == "[3, 2, 1, 2, 3, 2]");
  CHECK(values_text(pad(constant({1.0, 2.0, 3.0}), {{2, 1}}, PadMode::symmetric)) == "[2, 1, 1, 2, 3, 3]");
  CHECK_THROWS_WITH(pad(constant({1.0, 2.0}), {{2, 0}}, PadMode::reflect), contains_text("mirrors more"));
  CHECK_THROWS_WITH(pad(constant({1.0, 2.0}), {{-1, 0}}), contains_text("negative"));
}

TEST_CASE("gradients of movement are the movement back") {
  check_movement(
      [](const Tensors& x) {
        return Tensors{transpose(x[0], {2, 0, 1})};
      },
      {check_input({2, 3, 4})});
  check_movement([](const Tensors& x) { return Tensors{reshape(x[0], {3, 2})}; }, {check_input({2, 3})});
  check_movement(
      [](const Tensors& x) {
        return Tensors{broadcast_to(x[0], {2, 3, 4})};
      },
      {check_input({3, 1})});
  check_movement([](const Tensors& x) { return Tensors{tile(x[0], {2, 1, 3})}; }, {check_input({2, 2, 2})});
  check_movement([](const Tensors& x) { return Tensors{reverse(x[0], {0, 2})}; }, {check_input({2, 2, 3})});
  check_movement([](const Tensors& x) { return Tensors{roll(x[0], 2, 1)}; }, {check_input({2, 5})});
  check_movement(
      [](const Tensors& x) {
        return Tensors{concat({x[0], x[1]}, 1)};
      },
      {check_input({2, 3}), check_input({2, 1})});
  check_movement([](const Tensors& x) { return split(x[0], 3, 1); }, {check_input({2, 6})});
  check_movement(
      [](const Tensors& x) {
        return Tensors{stack({x[0], x[1]}, 1)};
      },
      {check_input({2, 3}), check_input({2, 3}, -1, 1)});
  check_movement([](const Tensors& x) { return unstack(x[0], 1); }, {check_input({2, 3})});
  check_movement(
      [](const Tensors& x) {
        return Tensors{slice(x[0], {1, 0}, {1, 2})};
      },
      {check_input({2, 3})});
  check_movement(
      [](const Tensors& x) {
        return Tensors{strided_slice(x[0], {-1, 0}, {0, 5}, {-1, 2})};
      },
      {check_input({3, 5})});
  check_movement(
      [](const Tensors& x) {
        return Tensors{pad(x[0], {{1, 2}, {0, 1}}, PadMode::constant, 3)};
      },
      {check_input({2, 3})});
  check_movement(
      [](const Tensors& x) {
        return Tensors{pad(x[0], {{1, 1}, {2, 1}}, PadMode::reflect)};
      },
      {check_input({2, 3})});
  check_movement(
      [](const Tensors& x) {
        return Tensors{pad(x[0], {{1, 1}, {0, 2}}, PadMode::symmetric)};
      },
      {check_input({2, 3})});
  check_movement([](const Tensors& x) { return Tensors{repeat(x[0], 2, 1)}; }, {check_input({2, 3})});
  // Second derivatives of the rows that are gradients themselves.
  check_second_gradients(
      [](const Tensors& x) {
        return Tensors{square(strided_slice(x[0], {0, 0}, {3, 5}, {2, 2}))};
      },
      {check_input({3, 5})});
  check_second_gradients(
      [](const Tensors& x) {
        return Tensors{square(pad(x[0], {{1, 1}}, PadMode::reflect))};
      },
      {check_input({4})});
}

TEST_CASE("part of a split being used gives zeros to the rest") {
  const Tensor x = check_input({2, 4});
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    tape.watch(x);
    y = split(x, 2, 1)[1];
  }
  CHECK(values_text(tape.gradient(y, x)) == "[[0, 0, 1, 1], [0, 0, 1, 1]]");
}

TEST_CASE("stop_gradient gives None") {
  const Tensor x = check_input({2});
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    tape.watch(x);
    y = square(stop_gradient(x));
  }
  CHECK_FALSE(tape.gradient(y, x));
}
