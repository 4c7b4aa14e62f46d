// Keras layers with given weights.
#include <functional>
#include <memory>

#include <fmt/format.h>

#include "engine/nn/conv_layers.h"
#include "engine/nn/layers.h"
#include "engine/nn/norm_layers.h"
#include "engine/nn/recurrent.h"
#include "engine/tape/tape.h"
#include "tests/tools/goldens/check.h"
#include "tests/tools/goldens/ops.h"

namespace tapescope::goldens {
namespace {

Activation activation_of(const Attributes& attrs, std::string_view otherwise = "linear") {
  const std::string name = attrs.text("activation", otherwise);
  for (int i = 0; i <= static_cast<int>(Activation::leaky_relu); ++i) {
    if (name_of(static_cast<Activation>(i)) == name) return static_cast<Activation>(i);
  }
  fail(ErrorKind::value, "goldens", fmt::format("activation '{}' is not known", name));
}

// A new layer for each use; null when its kind is not known.
std::unique_ptr<Layer> make_layer(std::string_view kind, const Attributes& attrs) {
  if (kind == "Dense")
    return std::make_unique<Dense>(attrs.integer("units"), DenseOptions{.activation = activation_of(attrs)});
  if (kind == "Conv2D") {
    return std::make_unique<Conv2D>(attrs.integer("filters"), attrs.pair("kernel_size", 1),
                                    Conv2DOptions{.strides = attrs.pair("strides", 1),
                                                  .padding = attrs.padding(),
                                                  .dilations = attrs.pair("dilation_rate", 1),
                                                  .activation = activation_of(attrs)});
  }
  if (kind == "SimpleRNN" || kind == "LSTM" || kind == "GRU") {
    const int units = attrs.integer("units");
    const RecurrentOptions options{.activation = activation_of(attrs, "tanh"),
                                   .return_sequences = attrs.flag("return_sequences")};
    if (kind == "LSTM") return std::make_unique<LSTM>(units, options);
    if (kind == "GRU") return std::make_unique<GRU>(units, options);
    return std::make_unique<SimpleRNN>(units, options);
  }
  if (kind == "BatchNormalization") {
    return std::make_unique<BatchNormalization>(BatchNormalizationOptions{
        .momentum = attrs.number("momentum", 0.99), .epsilon = attrs.number("epsilon", 1e-3)});
  }
  if (kind == "LayerNormalization") {
    return std::make_unique<LayerNormalization>(
        LayerNormalizationOptions{.epsilon = attrs.number("epsilon", 1e-3)});
  }
  if (kind == "Embedding")
    return std::make_unique<Embedding>(attrs.integer("input_dim"), attrs.integer("output_dim"));
  return nullptr;
}

// Keras lists what is trained first, whatever the order of creation.
std::vector<Variable> weights_of(Layer& layer) {
  std::vector<Variable> weights = layer.trainable_variables();
  for (const Variable& variable : layer.variables()) {
    if (!variable.trainable()) weights.push_back(variable);
  }
  return weights;
}

std::string last_part(std::string_view name) { return std::string(name.substr(name.rfind('/') + 1)); }

}  // namespace

Known check_layer(const Json& test, Driver& driver, Comparison& comparison) {
  const Attributes attrs(test);
  const std::unique_ptr<Layer> layer = make_layer(test.at("op").get<std::string>(), attrs);
  if (!layer) return Known::no;
  const Tensor x = read_tensor(test.at("inputs").at(0));
  layer->build(x.shape());
  const std::vector<Variable> weights = weights_of(*layer);
  const Json& given = test.at("weights");
  if (weights.size() != given.size()) {
    comparison.differs("weights", fmt::format("expected {} variables, got {}", given.size(), weights.size()));
    return Known::yes;
  }
  for (std::size_t w = 0; w < weights.size(); ++w) {
    const std::string name = given[w].at(0).get<std::string>();
    if (last_part(weights[w].name()) != name) {
      comparison.differs("weights", fmt::format("expected '{}' at {}, got '{}'", name, w, weights[w].name()));
      return Known::yes;
    }
    weights[w].assign(read_tensor(given[w].at(1)));
  }
  const bool training = attrs.flag("training");
  GradientTape tape;
  Tensors outputs;
  Tensor loss;
  {
    const auto recording = tape.record();
    driver.given(x);
    tape.watch(x);
    outputs =
        driver.call([&](std::span<const Tensor> in) { return Tensors{(*layer)(in[0], training)}; }, {&x, 1});
    loss = reduce_sum(outputs[0] * read_tensor(test.at("seeds").at(0)));
  }
  comparison.tensors("outputs", test.at("outputs"), outputs);
  std::vector<Traced> sources{x};
  const std::vector<Variable> trained = layer->trainable_variables();
  sources.insert(sources.end(), trained.begin(), trained.end());
  const Tensors gradients = driver.gradient(tape, std::vector<Traced>{loss}, sources, {});
  comparison.tensor("grads[0]", test.at("grads").at(0), gradients[0]);
  const Json& expected = test.at("weight_grads");
  for (std::size_t w = 0; w < expected.size() && w + 1 < gradients.size(); ++w) {
    comparison.tensor(fmt::format("weight_grads[{}]", expected[w].at(0).get<std::string>()),
                      expected[w].at(1), gradients[w + 1]);
  }
  if (expected.size() != trained.size()) comparison.differs("weight_grads", "other variables are trained");
  for (std::size_t w = 0; w < weights.size(); ++w) {
    const Json& after = test.at("weights_after").at(w);
    comparison.tensor(fmt::format("weights_after[{}]", after.at(0).get<std::string>()), after.at(1),
                      weights[w].peek());
  }
  return Known::yes;
}

}  // namespace tapescope::goldens
