// Softmax, losses, convolution, pooling, normalization, dropout.
#include "engine/ops/nn.h"

#include <cmath>

#include "tests/support/gradient_check.h"

using namespace tapescope;

namespace {

void check(const TensorsFunction& f, const Tensors& inputs) {
  check_gradients(f, inputs, 1e-6);
  check_second_gradients(f, inputs, 1e-5);
}

// The definition: one multiplication for each output, tap and channel.
std::vector<double> slow_conv(const Tensor& x, const Tensor& w, int stride, int dilation, int top, int left,
                              const Shape& out) {
  std::vector<double> y(static_cast<std::size_t>(out.numel()));
  const std::int64_t groups = x.dim(3) / w.dim(2), group_out = w.dim(3) / groups;
  std::size_t at = 0;
  for (std::int64_t n = 0; n < out[0]; ++n)
    for (std::int64_t oy = 0; oy < out[1]; ++oy)
      for (std::int64_t ox = 0; ox < out[2]; ++ox)
        for (std::int64_t o = 0; o < out[3]; ++o, ++at)
          for (std::int64_t ky = 0; ky < w.dim(0); ++ky)
            for (std::int64_t kx = 0; kx < w.dim(1); ++kx)
              for (std::int64_t i = 0; i < w.dim(2); ++i) {
                const std::int64_t yy = oy * stride + ky * dilation - top,
                                   xx = ox * stride + kx * dilation - left;
                if (yy < 0 || yy >= x.dim(1) || xx < 0 || xx >= x.dim(2)) continue;
                const std::int64_t channel = o / group_out * w.dim(2) + i;
                y[at] += element(x, ((n * x.dim(1) + yy) * x.dim(2) + xx) * x.dim(3) + channel) *
                         element(w, ((ky * w.dim(1) + kx) * w.dim(2) + i) * w.dim(3) + o);
              }
  return y;
}

void check_close(const Tensor& got, const std::vector<double>& expected, double tolerance) {
  REQUIRE(got.numel() == static_cast<std::int64_t>(expected.size()));
  double worst = 0;
  for (std::size_t i = 0; i < expected.size(); ++i)
    worst = std::max(worst, std::fabs(element(got, static_cast<std::int64_t>(i)) - expected[i]));
  CHECK(worst < tolerance);
}

}  // namespace

TEST_CASE("softmax is stable and sums to one along any axis") {
  const Tensor y = softmax(constant({{1000, 1001, -1000}}, DType::f64));
  CHECK(element(y, 0) == Approx(1 / (1 + std::exp(1.0))));
  CHECK(element(y, 2) == 0);
  for (DType dtype : {DType::f32, DType::f64}) {
    for (int axis : {0, 1, -1}) {
      const Tensor sums = reduce_sum(softmax(cast(check_input({3, 4, 300}), dtype), axis), axis);
      check_close(sums, std::vector<double>(static_cast<std::size_t>(sums.numel()), 1), 1e-6);
    }
  }
  CHECK(std::isnan(element(softmax(constant({std::nan(""), 1})), 1)));
  CHECK(softmax(zeros({0, 3})).numel() == 0);
  CHECK_THROWS_WITH(softmax(constant(1.0)), contains_text("at least one dimension"));
}

TEST_CASE("gradients of softmax and log_softmax, to the third derivative") {
  for (int axis : {0, 1}) {
    check([axis](const Tensors& x) { return Tensors{softmax(x[0], axis)}; }, {check_input({3, 4})});
    check([axis](const Tensors& x) { return Tensors{log_softmax(x[0], axis)}; }, {check_input({3, 4})});
  }
  check([](const Tensors& x) { return Tensors{softmax_grad(x[0], x[1])}; },
        {check_input({2, 3}), check_input({2, 3}, -1, 1, 3)});
  check([](const Tensors& x) { return Tensors{log_softmax_grad(x[0], x[1])}; },
        {check_input({2, 3}), check_input({2, 3}, -1, 1, 3)});
}

TEST_CASE("cross entropies agree with their definition") {
  const Tensor logits = check_input({3, 4}), labels = softmax(check_input({3, 4}, -1, 1, 7));
  const Tensor expected = -reduce_sum(labels * log_softmax(logits), -1);
  check_close(softmax_cross_entropy_with_logits(labels, logits), elements(expected), 1e-12);
  const Tensor classes = constant({0, 3, 1}, DType::i32);
  const Tensor picked = -reduce_sum(one_hot(classes, 4, 1, 0, DType::f64) * log_softmax(logits), -1);
  check_close(sparse_softmax_cross_entropy_with_logits(classes, logits), elements(picked), 1e-12);
  CHECK(sparse_softmax_cross_entropy_with_logits(zeros({2, 3}, DType::i64), zeros({2, 3, 4})).shape() ==
        Shape({2, 3}));
  check_close(softmax_cross_entropy_with_logits(transpose(labels), transpose(logits), 0), elements(expected),
              1e-12);
  CHECK_THROWS_WITH(sparse_softmax_cross_entropy_with_logits(constant({0, 4, 1}, DType::i32), logits),
                    contains_text("label 4 of row 1"));
  CHECK_THROWS_WITH(softmax_cross_entropy_with_logits(classes, logits), contains_text("sparse_softmax"));
}

TEST_CASE("an impossible class with label 0 adds nothing to the loss") {
  const Tensor loss = softmax_cross_entropy_with_logits(constant({{1.0, 0.0}}), constant({{2, -HUGE_VAL}}));
  CHECK(element(loss, 0) == 0);
}

TEST_CASE("gradients of the losses") {
  const Tensor classes = constant({0, 3, 1}, DType::i32);
  // The second derivative by labels is zero in TensorFlow, so labels are held here.
  const Tensor labels = softmax(check_input({3, 4}, -1, 1, 7));
  check([&](const Tensors& x) { return Tensors{softmax_cross_entropy_with_logits(labels, x[0])}; },
        {check_input({3, 4})});
  check_gradients([](const Tensors& x) { return Tensors{softmax_cross_entropy_with_logits(x[0], x[1])}; },
                  {labels, check_input({3, 4})});
  check([&](const Tensors& x) { return Tensors{sparse_softmax_cross_entropy_with_logits(classes, x[0])}; },
        {check_input({3, 4})});
  check([](const Tensors& x) { return Tensors{sigmoid_cross_entropy_with_logits(x[0], x[1])}; },
        {check_input({5}, 0, 1), check_input({5}, -3, 3, 4)});
  check([](const Tensors& x) { return Tensors{weighted_cross_entropy_with_logits(x[0], x[1], 2.5)}; },
        {check_input({5}, 0, 1), check_input({5}, -3, 3, 4)});
  check([](const Tensors& x) { return Tensors{l2_loss(x[0])}; }, {check_input({3, 3})});
}

TEST_CASE("labels that do not sum to one are not renormalized") {
  const Tensor logits = constant({{0, 0}}, DType::f64);
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    tape.watch(logits);
    loss = softmax_cross_entropy_with_logits(constant({{2, 2}}, DType::f64), logits);
  }
  CHECK(element(loss, 0) == Approx(2.772588722239781));
  CHECK(values_text(tape.gradient(loss, logits)) == "[[-1.5, -1.5]]");
}

TEST_CASE("bias_add adds along the last dimension") {
  CHECK(values_text(bias_add(constant({{1.0, 2.0}, {3.0, 4.0}}), constant({10.0, 20.0}))) ==
        "[[11, 22], [13, 24]]");
  check([](const Tensors& x) { return Tensors{square(bias_add(x[0], x[1]))}; },
        {check_input({2, 2, 3}), check_input({3})});
  CHECK_THROWS_WITH(bias_add(zeros({2, 3}), zeros({2})), contains_text("[BiasAdd]"));
  const Tensor many = ones({1000, 3});
  CHECK(values_text(bias_add_grad(many)) == "[1000, 1000, 1000]");
}

TEST_CASE("conv2d is its definition: strides, dilation, groups, one by one, in every dtype") {
  struct Case {
    Shape x, w;
    int stride, dilation;
    ConvPadding padding;
    int top, left;
  };
  const Case cases[] = {{{2, 5, 6, 2}, {3, 2, 2, 3}, 1, 1, ConvPadding::same, 1, 0},
                        {{2, 5, 6, 2}, {3, 2, 2, 3}, 2, 1, ConvPadding::same, 1, 0},
                        {{2, 5, 6, 2}, {3, 2, 2, 3}, 1, 1, ConvPadding::valid, 0, 0},
                        {{1, 7, 7, 1}, {3, 3, 1, 2}, 1, 2, ConvPadding::same, 2, 2},
                        {{1, 3, 3, 4}, {1, 1, 4, 2}, 1, 1, ConvPadding::same, 0, 0},
                        {{2, 5, 5, 4}, {3, 3, 2, 6}, 1, 1, ConvPadding::same, 1, 1},
                        {{1, 4, 4, 3}, {3, 3, 1, 6}, 1, 1, ConvPadding::same, 1, 1},
                        {{3, 20, 20, 8}, {5, 5, 8, 16}, 1, 1, ConvPadding::same, 2, 2}};
  for (const Case& k : cases) {
    const Tensor x = check_input(k.x), w = check_input(k.w, -1, 1, 2);
    const Tensor y = conv2d(x, w, k.stride, k.padding, k.dilation);
    const std::vector<double> expected = slow_conv(x, w, k.stride, k.dilation, k.top, k.left, y.shape());
    check_close(y, expected, 1e-10);
    check_close(conv2d(cast(x, DType::f32), cast(w, DType::f32), k.stride, k.padding, k.dilation), expected,
                1e-3);
  }
  const Tensor half =
      conv2d(ones({1, 3, 3, 1}, DType::f16), ones({2, 2, 1, 1}, DType::f16), 1, ConvPadding::valid);
  CHECK(values_text(reshape(half, {4})) == "[4, 4, 4, 4]");
  CHECK(half.dtype() == DType::f16);
  CHECK_THROWS_WITH(conv2d(zeros({1, 2, 2, 1}), zeros({3, 3, 1, 1}), 1, ConvPadding::valid),
                    contains_text("larger than the padded image"));
  CHECK_THROWS_WITH(conv2d(zeros({1, 4, 4, 3}), zeros({3, 3, 2, 1})),
                    contains_text("does not fit 3 channels"));
  CHECK_THROWS_WITH(conv2d(zeros({4, 4, 3}), zeros({3, 3, 3, 1})), contains_text("[Conv2D]"));
}

TEST_CASE("conv2d and its gradients in half types are those of float32, rounded once") {
  for (const DType dtype : {DType::f16, DType::bf16}) {
    const Tensor x = cast(check_input({2, 5, 6, 4}), dtype),
                 w = cast(check_input({3, 2, 2, 6}, -1, 1, 2), dtype);
    const auto run = [&](DType computed) {
      const Tensor image = cast(x, computed), filter = cast(w, computed);
      GradientTape tape;
      Tensor y;
      {
        const auto recording = tape.record();
        tape.watch(image);
        tape.watch(filter);
        y = conv2d(image, filter);
      }
      Tensors results = tape.gradient(y, Tensors{image, filter});
      results.push_back(y);
      return results;
    };
    const Tensors half = run(dtype), wide = run(DType::f32);
    for (std::size_t i = 0; i < half.size(); ++i) {
      CHECK(half[i].dtype() == dtype);
      CHECK(elements(half[i]) == elements(cast(wide[i], dtype)));
    }
  }
}

TEST_CASE("depthwise_conv2d is conv2d with as many groups as channels") {
  const Tensor x = check_input({2, 5, 5, 3}), w = check_input({3, 3, 3, 2}, -1, 1, 2);
  const Tensor grouped = conv2d(x, reshape(w, {3, 3, 1, 6}), 2);
  check_close(depthwise_conv2d(x, w, 2), elements(grouped), 1e-12);
}

TEST_CASE("gradients of convolution, and of its gradients") {
  const auto conv = [](int stride, ConvPadding padding, int dilation) {
    return [=](const Tensors& x) { return Tensors{conv2d(x[0], x[1], stride, padding, dilation)}; };
  };
  check(conv(1, ConvPadding::same, 1), {check_input({1, 3, 4, 2}), check_input({2, 2, 2, 2}, -1, 1, 2)});
  check(conv(2, ConvPadding::same, 1), {check_input({1, 4, 3, 1}), check_input({3, 2, 1, 2}, -1, 1, 2)});
  check(conv(1, ConvPadding::valid, 2), {check_input({1, 4, 4, 1}), check_input({2, 2, 1, 2}, -1, 1, 2)});
  check(conv(1, ConvPadding::same, 1), {check_input({1, 3, 3, 4}), check_input({2, 2, 2, 2}, -1, 1, 2)});
  check(conv(1, ConvPadding::same, 1), {check_input({2, 2, 2, 3}), check_input({1, 1, 3, 2}, -1, 1, 2)});
  check([](const Tensors& x) { return Tensors{depthwise_conv2d(x[0], x[1])}; },
        {check_input({1, 3, 3, 2}), check_input({2, 2, 2, 2}, -1, 1, 2)});
  check(
      [](const Tensors& x) {
        return Tensors{conv2d_transpose(x[0], x[1], {1, 4, 4, 2}, 2)};
      },
      {check_input({1, 2, 2, 1}), check_input({3, 3, 2, 1}, -1, 1, 2)});
  CHECK_THROWS_WITH(conv2d_transpose(zeros({1, 3, 3, 1}), zeros({3, 3, 2, 1}), {1, 4, 4, 2}, 2),
                    contains_text("[1, 2, 2, 1]"));
}

TEST_CASE("pooling ignores the margins, and a tie goes to the first") {
  const Tensor x = constant({{{{1.0}, {2.0}, {3.0}}, {{4.0}, {5.0}, {6.0}}, {{7.0}, {8.0}, {9.0}}}});
  CHECK(values_text(reshape(max_pool2d(x, 2, 2, ConvPadding::same), {4})) == "[5, 6, 8, 9]");
  CHECK(values_text(reshape(avg_pool2d(x, 2, 2, ConvPadding::same), {4})) == "[3, 4.5, 7.5, 9]");
  CHECK(values_text(max_pool2d(-x, 3, 3, ConvPadding::same)) == "[[[[-1]]]]");
  const Tensor flat = ones({1, 4, 4, 1}, DType::f64);
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    tape.watch(flat);
    y = max_pool2d(flat, 2, 2);
  }
  CHECK(values_text(reshape(tape.gradient(y, flat), {16})) ==
        "[1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0]");
  for (ConvPadding padding : {ConvPadding::same, ConvPadding::valid}) {
    check([=](const Tensors& t) { return Tensors{square(max_pool2d(t[0], 2, 2, padding))}; },
          {check_input({1, 5, 5, 2})});
    check([=](const Tensors& t) { return Tensors{square(avg_pool2d(t[0], 3, 1, padding))}; },
          {check_input({1, 4, 4, 2})});
  }
}

TEST_CASE("a window that is larger than the image in either direction is refused") {
  const Tensor image = ones({1, 3, 2, 1});
  CHECK_THROWS_WITH(max_pool2d(image, HeightWidth(4, 1), 1), contains_text("the window 4x1 is larger than"));
  CHECK_THROWS_WITH(avg_pool2d(image, HeightWidth(1, 3), 1), contains_text("the window 1x3 is larger than"));
  CHECK(max_pool2d(image, HeightWidth(3, 2), 1).shape() == Shape({1, 1, 1, 1}));
}

TEST_CASE("moments, layer and batch normalization") {
  const Tensor x = check_input({4, 3});
  const auto [mean, variance] = moments(x, 0);
  check_close(mean, elements(reduce_mean(x, 0)), 1e-12);
  check_close(variance, elements(reduce_variance(x, 0)), 1e-12);
  const Tensor normal = layer_normalization(x, ones({3}, DType::f64), zeros({3}, DType::f64), 0);
  check_close(reduce_mean(normal, -1), {0, 0, 0, 0}, 1e-12);
  check_close(reduce_variance(normal, -1), {1, 1, 1, 1}, 1e-9);
  check_gradients([](const Tensors& t) { return Tensors{layer_normalization(t[0], t[1], t[2])}; },
                  {x, check_input({3}), check_input({3}, -1, 1, 2)}, 1e-6);
  check([](const Tensors& t) { return Tensors{l2_normalize(t[0], -1)}; }, {check_input({2, 3})});
}

TEST_CASE("fused batch normalization equals the composite, with its gradients") {
  const Tensor x = check_input({2, 3, 2, 2}), scale = check_input({2}, 0.5, 2),
               offset = check_input({2}, -1, 1, 2);
  const auto [mean, variance] = moments(x, {0, 1, 2});
  const BatchNormResult fused = fused_batch_norm_train(x, scale, offset);
  check_close(fused.y, elements(batch_normalization(x, mean, variance, offset, scale, 1e-3)), 1e-12);
  check_close(fused.mean, elements(mean), 1e-12);
  check_close(fused.variance, elements(variance * (12.0 / 11.0)), 1e-12);  // over n - 1
  check([](const Tensors& t) { return Tensors{fused_batch_norm_train(t[0], t[1], t[2]).y}; },
        {x, scale, offset});
  const Tensor known_mean = check_input({2}), known_variance = check_input({2}, 0.5, 2, 3);
  check(
      [&](const Tensors& t) {
        return Tensors{fused_batch_norm_inference(t[0], t[1], t[2], known_mean, known_variance)};
      },
      {x, scale, offset});
}

TEST_CASE("dropout keeps the expectation and repeats with its key") {
  const Tensor x = ones({10000});
  const Tensor y = dropout(x, 0.25, {1, 2});
  CHECK(elements(y) == elements(dropout(x, 0.25, {1, 2})));
  int dropped = 0;
  for (double value : elements(y)) {
    if (value == 0) ++dropped;
    else if (value != Approx(4.0 / 3)) FAIL("neither dropped nor scaled: " << value);
  }
  CHECK(std::abs(dropped - 2500) < 5 * std::sqrt(10000 * 0.25 * 0.75));
  CHECK(dropout(x, 0).id() == x.id());
  CHECK_THROWS_WITH(dropout(x, 1), contains_text("rate 1"));
  check_gradients([](const Tensors& t) { return Tensors{dropout(t[0], 0.5, {1, 2})}; }, {check_input({10})});
}
