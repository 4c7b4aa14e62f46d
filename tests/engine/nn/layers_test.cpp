// Layers and losses: names, order of variables, what a tape records, TensorFlow's values.
#include "engine/nn/layers.h"

#include <algorithm>
#include <cmath>
#include <fstream>

#include <nlohmann/json.hpp>

#include "engine/nn/losses.h"
#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"

using namespace tapescope;
using nlohmann::json;

namespace {

Tensor tensor_of(const json& j) {
  Shape shape;
  for (std::int64_t size : j["shape"]) shape.push_back(size);
  const auto values = j["data"].get<std::vector<double>>();
  return make_tensor(values, shape, dtype_named(j["dtype"].get<std::string>()));
}

void check_close(const Tensor& got, const json& expected) {
  REQUIRE(got);
  const auto wanted = expected["data"].get<std::vector<double>>();
  REQUIRE(got.numel() == static_cast<std::int64_t>(wanted.size()));
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    INFO("element " << i);
    CHECK(element(got, static_cast<std::int64_t>(i)) == Approx(wanted[i]).epsilon(1e-5).margin(1e-5));
  }
}

json golden_cases(const std::string& op) {
  std::ifstream file(std::string(TAPESCOPE_TESTS_DIR) + "/goldens/layers.json");
  REQUIRE(file.good());
  json cases = json::array();
  const json all = json::parse(file);
  for (const json& c : all["cases"]) {
    if (c["op"] == op) cases.push_back(c);
  }
  REQUIRE_FALSE(cases.empty());
  return cases;
}

std::vector<std::string> names_of(const std::vector<Variable>& variables) {
  std::vector<std::string> names;
  for (const Variable& variable : variables) names.emplace_back(variable.name());
  return names;
}

Activation activation_named(const std::string& name) {
  for (int i = 0; i <= static_cast<int>(Activation::leaky_relu); ++i) {
    if (name_of(static_cast<Activation>(i)) == name) return static_cast<Activation>(i);
  }
  FAIL("no activation " << name);
  return Activation::linear;
}

}  // namespace

TEST_CASE("layers: Dense gives TensorFlow's outputs and gradients") {
  for (const json& c : golden_cases("Dense")) {
    INFO(c["id"].get<std::string>());
    const Tensor x = tensor_of(c["inputs"][0]);
    Dense dense(c["attrs"]["units"].get<int>(), {.activation = activation_named(c["attrs"]["activation"])});
    dense.build(x.shape());
    const std::vector<Variable> variables = dense.variables();
    for (std::size_t i = 0; i < variables.size(); ++i) variables[i].assign(tensor_of(c["weights"][i][1]));
    GradientTape tape;
    Tensor y;
    {
      auto recording = tape.record();
      tape.watch(x);
      y = dense(x);
    }
    check_close(y, c["outputs"][0]);
    GradientOptions options;
    options.output_gradients = {tensor_of(c["seeds"][0])};
    const std::vector<Tensor> gradients = tape.gradient(y, {x, variables[0], variables[1]}, options);
    check_close(gradients[0], c["grads"][0]);
    check_close(gradients[1], c["weight_grads"][0][1]);
    check_close(gradients[2], c["weight_grads"][1][1]);
  }
}

TEST_CASE("layers: a Sequential builds on its first call, numbers its layers, lists kernel and bias of each") {
  Sequential model(Flatten(), Dense(128, {.activation = Activation::relu}), Dense(10), Dense(3, {.use_bias = false}));
  CHECK(model.variables().empty());
  CHECK(model(zeros({2, 28, 28})).shape() == Shape{2, 3});
  CHECK(names_of(model.trainable_variables()) ==
        std::vector<std::string>{"dense/kernel", "dense/bias", "dense_1/kernel", "dense_1/bias", "dense_2/kernel"});
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
  const Fans fans = fans_of({3, 3, 8, 16});
  CHECK(fans.in == 72);
  CHECK(fans.out == 144);
}

TEST_CASE("losses: categorical cross-entropy and mean squared error give TensorFlow's values") {
  for (const char* op : {"loss:cce", "loss:mse"}) {
    for (const json& c : golden_cases(op)) {
      INFO(c["id"].get<std::string>());
      const Tensor labels = tensor_of(c["inputs"][0]), predictions = tensor_of(c["inputs"][1]);
      GradientTape tape;
      Tensor loss;
      {
        auto recording = tape.record();
        tape.watch({labels, predictions});
        loss = std::string(op) == "loss:mse"
                   ? MeanSquaredError()(labels, predictions)
                   : CategoricalCrossentropy(c["attrs"].value("from_logits", false),
                                             c["attrs"].value("label_smoothing", 0.0))(labels, predictions);
      }
      check_close(loss, c["outputs"][0]);
      GradientOptions options;
      options.output_gradients = {tensor_of(c["seeds"][0])};
      const std::vector<Tensor> gradients = tape.gradient(loss, {labels, predictions}, options);
      if (!c["grads"][0].is_null()) check_close(gradients[0], c["grads"][0]);
      check_close(gradients[1], c["grads"][1]);
    }
  }
}
