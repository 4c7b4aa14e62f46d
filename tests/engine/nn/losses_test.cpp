// Losses: TensorFlow's values and gradients, reductions, weights, and the way back from probabilities to
// logits.
#include "engine/nn/losses.h"

#include <cmath>
#include <functional>
#include <map>

#include "engine/nn/activations.h"
#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "tests/engine/nn/layer_goldens.h"

using namespace tapescope;
using nlohmann::json;

namespace {

std::unique_ptr<Loss> loss_of(const std::string& op, const json& attrs) {
  const bool logits = attrs.value("from_logits", false);
  const double smoothing = attrs.value("label_smoothing", 0.0);
  if (op == "loss:cce") return std::make_unique<CategoricalCrossentropy>(logits, smoothing);
  if (op == "loss:scce") return std::make_unique<SparseCategoricalCrossentropy>(logits);
  if (op == "loss:bce") return std::make_unique<BinaryCrossentropy>(logits, smoothing);
  if (op == "loss:mse") return std::make_unique<MeanSquaredError>();
  if (op == "loss:mae") return std::make_unique<MeanAbsoluteError>();
  if (op == "loss:huber") return std::make_unique<Huber>();
  if (op == "loss:kld") return std::make_unique<KLDivergence>();
  if (op == "loss:hinge") return std::make_unique<Hinge>();
  if (op == "loss:log_cosh") return std::make_unique<LogCosh>();
  return nullptr;
}

double value(const Tensor& loss) { return element(loss, 0); }

}  // namespace

TEST_CASE("losses: every golden case gives TensorFlow's value and gradients") {
  int checked = 0;
  for (const json& c : goldens::layer_cases("loss:")) {
    INFO(c["id"].get<std::string>());
    const std::unique_ptr<Loss> loss_fn = loss_of(c["op"], c["attrs"]);
    REQUIRE(loss_fn);
    const Tensor labels = goldens::tensor_of(c["inputs"][0]),
                 predictions = goldens::tensor_of(c["inputs"][1]);
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      tape.watch(predictions);
      if (is_floating(labels.dtype())) tape.watch(labels);
      loss = (*loss_fn)(labels, predictions);
    }
    goldens::check_close(loss, c["outputs"][0]);
    const GradientOptions options{.output_gradients = {goldens::tensor_of(c["seeds"][0])}};
    const std::vector<Tensor> gradients = tape.gradient(loss, {labels, predictions}, options);
    for (std::size_t i = 0; i < 2; ++i) {
      if (c["grads"][i].is_null()) CHECK_FALSE(gradients[i]);
      else goldens::check_close(gradients[i], c["grads"][i]);
    }
    ++checked;
  }
  CHECK(checked == 14);
}

TEST_CASE("losses: a sum is the mean times the examples, none keeps them apart, weights multiply first") {
  const Tensor labels = constant({{0.0, 1.0}, {1.0, 0.0}, {0.0, 0.0}}),
               predictions = constant({{0.0, 3.0}, {1.0, 1.0}, {2.0, 0.0}});
  const Tensor each = MeanSquaredError(Reduction::none)(labels, predictions);
  CHECK(elements(each) == std::vector<double>{2, 0.5, 2});
  CHECK(value(MeanSquaredError(Reduction::sum)(labels, predictions)) == 4.5);
  CHECK(value(MeanSquaredError()(labels, predictions)) == 1.5);
  CHECK(value(MeanSquaredError()(labels, predictions, constant({1, 0, 0.5}))) ==
        1);  // divides by 3 all the same
}

TEST_CASE("losses: class numbers give what their one-hot rows give, with and without logits") {
  const Tensor logits = stateless_random_normal({5, 4}, {1, 2});
  const Tensor classes = constant({0, 3, 1, 1, 2}, DType::i32), rows = one_hot(classes, 4);
  const Tensor p = softmax(logits);
  CHECK(value(SparseCategoricalCrossentropy(true)(classes, logits)) ==
        Approx(value(CategoricalCrossentropy(true)(rows, logits))).epsilon(1e-6));
  CHECK(value(SparseCategoricalCrossentropy()(classes, p)) ==
        Approx(value(CategoricalCrossentropy()(rows, p))).epsilon(1e-6));
  CHECK(value(SparseCategoricalCrossentropy(true)(expand_dims(classes, -1), logits)) ==
        value(SparseCategoricalCrossentropy(true)(classes, logits)));
}

TEST_CASE(
    "losses: probabilities that a layer's softmax made stand for its logits, a plain softmax's do not") {
  const Tensor logits = constant({{200.0, 0.0}}), labels = constant({{0.0, 1.0}});
  // Clipping cannot distinguish 1 from 1 - 1e-7; the logits can.
  CHECK(value(CategoricalCrossentropy()(labels, softmax(logits))) == Approx(-std::log(1e-7)).epsilon(1e-3));
  CHECK(value(CategoricalCrossentropy()(labels, activate(Activation::softmax, logits))) == 200);
  CHECK(value(BinaryCrossentropy()(constant({{0.0}}), activate(Activation::sigmoid, constant({{50.0}})))) ==
        50);
  const Tensor p = activate(Activation::softmax, logits);
  activate(Activation::softmax, constant({{0.0, 0.0}}));
  CHECK(value(CategoricalCrossentropy()(labels, p)) < 20);  // another came between
}

TEST_CASE("losses: halves give a float32 loss, float64 stays") {
  const Tensor labels = constant({{0.0, 1.0}});
  CHECK(MeanSquaredError()(labels, constant({{1.0, 1.0}}, DType::f16)).dtype() == DType::f32);
  CHECK(MeanSquaredError()(labels, constant({{1.0, 1.0}}, DType::f64)).dtype() == DType::f64);
}

TEST_CASE("losses: Huber and hinge at their corners, labels of the wrong shape are refused") {
  CHECK(value(Huber(2)(constant({0.0}), constant({2.0}))) == 2);
  CHECK(value(Huber(2)(constant({0.0}), constant({3.0}))) == 4);
  CHECK(value(Hinge()(constant({-1.0, 1.0}), constant({0.5, 0.5}))) == 1);
  CHECK(value(Hinge()(constant({0.0, 1.0}), constant({0.5, 0.5}))) == 1);
  CHECK_THROWS_AS(CategoricalCrossentropy()(constant({1, 2}, DType::i32), ones({2, 3})), Error);
}

TEST_CASE("losses: crossentropies take Keras's options by name") {
  const Tensor logits = constant({{2.0, -1.0, 0.5}, {0.0, 1.0, 3.0}}),
               rows = constant({{1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}});
  CHECK(element(CategoricalCrossentropy({.from_logits = true, .label_smoothing = 0.1})(rows, logits), 0) ==
        element(CategoricalCrossentropy(true, 0.1)(rows, logits), 0));
  CHECK(element(BinaryCrossentropy({.from_logits = true, .reduction = Reduction::sum})(rows, logits), 0) ==
        element(BinaryCrossentropy(true, 0, Reduction::sum)(rows, logits), 0));
  CHECK(element(SparseCategoricalCrossentropy({.from_logits = true})(constant({0, 2}), logits), 0) ==
        element(SparseCategoricalCrossentropy(true)(constant({0, 2}), logits), 0));
}
