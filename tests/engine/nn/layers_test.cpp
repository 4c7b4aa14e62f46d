// Layers: names, order of variables, what a tape records, freezing, training, policies, summaries.
#include "engine/nn/layers.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include "engine/nn/conv_layers.h"
#include "engine/nn/norm_layers.h"
#include "engine/nn/recurrent.h"
#include "engine/nn/summary.h"
#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "tests/support/approval.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

std::vector<std::string> names_of(const std::vector<Variable>& variables) {
  std::vector<std::string> names;
  for (const Variable& variable : variables) names.emplace_back(variable.name());
  return names;
}

}  // namespace

TEST_CASE(
    "layers: a Sequential builds on its first call, numbers its layers, lists kernel and bias of each") {
  Sequential model(Flatten(), Dense(128, {.activation = Activation::relu}), Dense(10),
                   Dense(3, {.use_bias = false}));
  CHECK(model.variables().empty());
  CHECK(model(zeros({2, 28, 28})).shape() == Shape{2, 3});
  CHECK(names_of(model.trainable_variables()) == std::vector<std::string>{"dense/kernel", "dense/bias",
                                                                          "dense_1/kernel", "dense_1/bias",
                                                                          "dense_2/kernel"});
  CHECK(model.variables()[0].shape() == Shape{784, 128});
  CHECK(model.output_shape({7, 28, 28}) == Shape{7, 3});
  CHECK_THROWS_AS(model(zeros({2, 14, 14})), Error);
  CHECK_THROWS_AS(model.add(std::make_unique<Dense>(1)), Error);
}

TEST_CASE("layers: a tape of Dense with relu holds two reads and three ops") {
  Dense dense(4, {.activation = Activation::relu});
  const Tensor x = ones({2, 3});
  dense.build({2, 3});
  GradientTape tape;
  {
    auto recording = tape.record();
    dense(x);
  }
  CHECK(tape.counts().recorded == 5);
  CHECK(names_of(tape.watched_variables()) == std::vector<std::string>{"dense/kernel", "dense/bias"});
}

TEST_CASE("layers: the seed and the name decide a kernel's numbers") {
  const auto kernel = [](std::uint64_t seed, const char* name) {
    Dense dense(50, {.name = name, .seed = seed});
    dense.build({1, 70});
    return elements(dense.kernel().peek());
  };
  CHECK(kernel(1, "a") == kernel(1, "a"));
  CHECK(kernel(1, "a") != kernel(2, "a"));
  CHECK(kernel(1, "a") != kernel(1, "b"));
  // glorot_uniform: within sqrt(6 / 120), and filling it.
  const std::vector<double> values = kernel(1, "a");
  const double limit = std::sqrt(6.0 / 120);
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  CHECK(*low >= -limit);
  CHECK(*high <= limit);
  CHECK(*low < -0.98 * limit);
  CHECK(*high > 0.98 * limit);
}

TEST_CASE("initializers: orthogonal matrices are orthonormal along their shorter side") {
  for (const Shape& shape : {Shape{4, 9}, Shape{9, 4}, Shape{6, 6}}) {
    const Tensor q = initial_value(Initializer::orthogonal, shape, {3, 4}, DType::f64);
    const Tensor product = shape[0] <= shape[1] ? matmul(q, q, false, true) : matmul(q, q, true, false);
    const std::int64_t n = product.dim(0);
    for (std::int64_t i = 0; i < n * n; ++i) {
      CHECK(element(product, i) == Approx(i % (n + 1) == 0 ? 1 : 0).margin(1e-12));
    }
  }
  CHECK_THROWS_AS(initial_value(Initializer::orthogonal, {4}, {1, 1}), Error);
}

TEST_CASE("initializers: normal ones have the variance their fans ask for") {
  const Tensor w = initial_value(Initializer::he_normal, {100, 300}, {5, 6});
  double sum = 0;
  for (double value : elements(w)) sum += value * value;
  CHECK(sum / 30000 == Approx(2.0 / 100).epsilon(0.03));
  const FanCounts fans = fans_of({3, 3, 8, 16});
  CHECK(fans.in == 72);
  CHECK(fans.out == 144);
}

TEST_CASE("layers: kernel and bias are read one after the other, with a mixed policy each read is cast") {
  const auto ops = [](DTypePolicy policy) {
    Dense dense(4, {.dtype = policy});
    dense.build({2, 3});
    GradientTape tape;
    auto recording = tape.record();
    const Tensor y = dense(ones({2, 3}));
    CHECK(y.dtype() == policy.compute);
    CHECK(dense.kernel().dtype() == policy.variable);
    return tape.counts().recorded;
  };
  CHECK(ops({}) == 4);
  CHECK(ops(DType::f16) == 4);
  CHECK(ops(DTypePolicy::named("mixed_float16")) == 6);
}

TEST_CASE("layers: a policy is known by its name, which says what it computes in and what it keeps") {
  CHECK(DTypePolicy::named("mixed_bfloat16") == DTypePolicy{DType::bf16, DType::f32});
  CHECK(DTypePolicy::named("float16") == DTypePolicy{DType::f16});
  for (const char* name : {"float32", "float64", "float16", "bfloat16", "mixed_float16", "mixed_bfloat16"}) {
    CHECK(DTypePolicy::named(name).name() == name);
  }
  CHECK(DTypePolicy::named("mixed_float16").needs_loss_scale());
  CHECK_FALSE(DTypePolicy::named("mixed_bfloat16").needs_loss_scale());
  for (const char* name : {"half", "mixed_float32", "int32", ""})
    CHECK_THROWS_AS(DTypePolicy::named(name), Error);
}

TEST_CASE(
    "layers: mixed precision gives float32 gradients, and float64 layers stay float64 in a Sequential") {
  Sequential mixed(Dense(4, {.dtype = DTypePolicy::named("mixed_float16")}));
  const Tensor x = ones({2, 3});
  mixed(x);
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    loss = reduce_sum(mixed(x));
  }
  CHECK(loss.dtype() == DType::f16);
  CHECK(tape.gradient(loss, mixed.variables()[0]).dtype() == DType::f32);
  Sequential wide(Dense(4, {.dtype = DType::f64}));
  const Tensor third = constant(1.0 / 3, Shape{1, 1}, DType::f64);
  wide(third);
  CHECK(element(wide(third), 0) == element(wide.variables()[0].peek(), 0) * (1.0 / 3));
}

TEST_CASE("layers: freezing takes variables from the tape, thawing gives back what each had been") {
  Sequential model(Dense(4), BatchNormalization(), Dense(2));
  model.build({3, 3});
  CHECK(model.variables().size() == 8);
  CHECK(model.trainable_variables().size() == 6);
  model.layers()[0]->set_trainable(false);
  CHECK(names_of(model.trainable_variables()).front() == "batch_normalization/gamma");
  GradientTape tape;
  {
    auto recording = tape.record();
    model(ones({3, 3}));
  }
  CHECK(tape.watched_variables().size() == 4);
  model.set_trainable(false);
  CHECK(model.trainable_variables().empty());
  model.set_trainable(true);
  CHECK(model.trainable_variables().size() == 6);  // not the moving statistics
  Sequential unbuilt(Dense(4));
  unbuilt.set_trainable(false);
  unbuilt.build({1, 2});
  CHECK(unbuilt.trainable_variables().empty());
}

namespace {

// Shares one layer between two places.
struct Twice : Layer {
  Dense shared{3, {.name = "shared"}};
  Dense last{1, {.name = "last"}};
  Variable scale;
  Twice() : Layer("twice") {}
  std::vector<Layer*> sublayers() override { return {&shared, &last, &shared}; }
  void make_variables(const Shape& input, const Location& location) override {
    shared.build(input, location);
    last.build({1, 3}, location);
    scale = add_variable("scale", ones({}), location);
  }
  Tensor call(const Tensor& x, const Location& location) override {
    return last({shared({shared({x, location}), location}), location}) * scale;
  }
};

}  // namespace

TEST_CASE("layers: a layer of one's own lists its variables first, then those inside, each once") {
  Twice layer;
  CHECK(layer(ones({2, 3})).shape() == Shape{2, 1});
  CHECK(names_of(layer.variables()) == std::vector<std::string>{"twice/scale", "twice/shared/kernel",
                                                                "twice/shared/bias", "twice/last/kernel",
                                                                "twice/last/bias"});
}

TEST_CASE("layers: training reaches the layers inside, and inference is the default") {
  Sequential model(Dropout(0.5), BatchNormalization());
  const Tensor x = stateless_random_normal({64, 8}, {1, 2});
  const std::vector<double> plain = elements(model(x));
  auto& batch = static_cast<BatchNormalization&>(*model.layers()[1]);
  CHECK(elements(batch.moving_mean().peek()) == std::vector<double>(8, 0.0));
  CHECK(elements(model(x)) == plain);
  const std::vector<double> dropped = elements(model(x, true));
  CHECK(dropped != plain);
  CHECK(elements(batch.moving_mean().peek()) != std::vector<double>(8, 0.0));
  CHECK(elements(model(x, true)) != dropped);  // other elements each time
  batch.set_trainable(false);
  const std::vector<double> before = elements(batch.moving_mean().peek());
  model(x, true);
  CHECK(elements(batch.moving_mean().peek()) == before);
}

TEST_CASE("layers: dropout keeps the expectation, and drops the same again from the same count") {
  Dropout dropout(0.25, {.seed = 3});
  const Tensor x = ones({100, 100});
  dropout.build(x.shape());
  const std::vector<double> first = elements(dropout(x, true));
  std::int64_t zeros_seen = 0;
  for (double value : first) {
    if (value == 0) ++zeros_seen;
    else CHECK(value == Approx(1 / 0.75).epsilon(1e-6));
  }
  CHECK(zeros_seen == Approx(2500).margin(150));  // three and a half standard deviations
  dropout.variables()[0].assign(zeros({}, DType::i64));
  CHECK(elements(dropout(x, true)) == first);
  CHECK(dropout(x).id() == x.id());
  CHECK_THROWS_AS(Dropout(1.0), Error);
}

TEST_CASE("layers: pooling and convolution say their shapes before they run") {
  const Tensor x = stateless_random_normal({2, 9, 7, 3}, {1, 2});
  const auto agrees = [&](Layer&& layer) { CHECK(layer.output_shape(x.shape()) == layer(x).shape()); };
  agrees(Conv2D(4, 3));
  agrees(Conv2D(4, {3, 2}, {.strides = 2, .padding = ConvPadding::same}));
  agrees(Conv2D(4, 3, {.dilations = 2}));
  agrees(MaxPooling2D());
  agrees(AveragePooling2D({.size = 3, .strides = 1, .padding = ConvPadding::same}));
  const Tensor words = constant({{1, 2, 0}, {3, 9, 4}}, DType::i32);
  CHECK(Embedding(10, 4).output_shape(words.shape()) == Embedding(10, 4)(words).shape());
  CHECK_THROWS_AS(Embedding(9, 4)(words), Error);
  CHECK_THROWS_AS(Conv2D(4, 3)(ones({2, 9, 7})), Error);
}

TEST_CASE("layers: each layer gives the shape that it says, for inputs of any rank, or refuses the input") {
  using Make = std::function<std::unique_ptr<Layer>()>;
  const std::pair<const char*, Make> kinds[] = {
      {"Dense", [] { return std::make_unique<Dense>(3); }},
      {"Flatten", [] { return std::make_unique<Flatten>(); }},
      {"Activation", [] { return std::make_unique<ActivationLayer>(Activation::relu); }},
      {"Embedding", [] { return std::make_unique<Embedding>(4, 3); }},
      {"Dropout", [] { return std::make_unique<Dropout>(0.5); }},
      {"Conv2D", [] { return std::make_unique<Conv2D>(4, 2); }},
      {"MaxPooling2D", [] { return std::make_unique<MaxPooling2D>(); }},
      {"BatchNormalization", [] { return std::make_unique<BatchNormalization>(); }},
      {"LayerNormalization", [] { return std::make_unique<LayerNormalization>(); }},
      {"SimpleRNN", [] { return std::make_unique<SimpleRNN>(2); }},
      {"LSTM", [] { return std::make_unique<LSTM>(2, RecurrentOptions{.return_sequences = true}); }},
      {"GRU", [] { return std::make_unique<GRU>(2); }}};
  const Shape inputs[] = {{}, {3}, {2, 3}, {2, 3, 4}, {2, 3, 4, 5}, {0, 3}, {1, 2, 2, 1}, {1, 1, 1, 1, 1}};
  std::string text;
  for (const auto& [kind, make] : kinds) {
    text += std::string(kind) + ":";
    for (const Shape& shape : inputs) {
      const Tensor x = ones(shape);
      const std::unique_ptr<Layer> layer = make();
      Shape given;
      try {
        given = (*layer)(x).shape();
      } catch (const Error&) {
        text += " " + shape.text() + " no,";
        continue;
      }
      INFO(kind << " of " << shape.text());
      CHECK(layer->output_shape(shape) == given);
      text += " " + shape.text() + " " + given.text() + ",";
    }
    text.back() = '\n';
  }
  approve("engine/approved/nn/shapes.txt", text);
}

TEST_CASE("layers: recurrent layers build their cell, whose forget gate starts open") {
  LSTM lstm(2, {.return_sequences = true});
  const Tensor x = stateless_random_normal({3, 5, 4}, {1, 2});
  CHECK(lstm(x).shape() == lstm.output_shape(x.shape()));
  CHECK(names_of(lstm.variables()) == std::vector<std::string>{"lstm/lstm_cell/kernel",
                                                               "lstm/lstm_cell/recurrent_kernel",
                                                               "lstm/lstm_cell/bias"});
  CHECK(elements(lstm.cell().bias().peek()) == std::vector<double>{0, 0, 1, 1, 0, 0, 0, 0});
  CHECK_THROWS_AS(GRU(2)(ones({3, 4})), Error);
  // Backwards over a sequence is forwards over the reversed one.
  GRU forwards(2), backwards(2, {.go_backwards = true});
  CHECK(elements(forwards(reverse(x, 1))) == elements(backwards(x)));
}

TEST_CASE("layers: a GRU that resets before its product differs, and is the formula") {
  GRUCell cell(1, {.use_bias = false, .reset_after = false});
  cell.build({1, 1});
  cell.kernel().assign(constant({{0.1, 0.2, 0.3}}));
  cell.recurrent_kernel().assign(constant({{0.4, 0.5, 0.6}}));
  RecurrentState state{constant({{0.7}}), {}};
  cell(constant({{0.9}}), state);
  const auto sigma = [](double v) { return 1 / (1 + std::exp(-v)); };
  const double z = sigma(0.09 + 0.28), r = sigma(0.18 + 0.35), g = std::tanh(0.27 + r * 0.7 * 0.6);
  CHECK(element(state.h, 0) == Approx(z * 0.7 + (1 - z) * g).epsilon(1e-6));
}

TEST_CASE("layers: a summary shows layers, shapes and numbers of parameters") {
  Sequential model(Flatten(), Dense(128, {.activation = Activation::relu}), BatchNormalization(), Dense(10));
  const std::string text = summary(model, {1, 28, 28});
  for (const char* part : {"flatten (Flatten)", "(None, 784)", "dense (Dense)", "(None, 128)", "100,480",
                           "batch_normalization (BatchNormalization)", "dense_1 (Dense)", "1,290",
                           "Total params: 102,282 (399.54 KiB)", "Trainable params: 102,026 (398.54 KiB)",
                           "Non-trainable params: 256 (1.00 KiB)"}) {
    CHECK_THAT(text, contains_text(part));
  }
}

TEST_CASE("layers: summaries of a chain, of one layer and of layers inside one another are as approved") {
  Sequential chain(Flatten(), Dense(128, {.activation = Activation::relu}), BatchNormalization(), Dense(10));
  Dense one(3);
  Sequential nested(Sequential(Dense(4), Dense(4)), Dense(2));
  approve("engine/approved/nn/summaries.txt",
          summary(chain, {1, 28, 28}) + "\n" + summary(one, {1, 4}) + "\n" + summary(nested, {1, 3}));
}

TEST_CASE("layers: a model of layers in braces, whose variables a const one lists") {
  Sequential listed({Dense(3, {.activation = Activation::relu}), Dense(2)});
  listed.build({1, 4});
  const Sequential& model = listed;
  CHECK(model.layers().size() == 2);
  REQUIRE(model.trainable_variables().size() == 4);
  CHECK(model.variables()[2].name() == "dense_1/kernel");
}
