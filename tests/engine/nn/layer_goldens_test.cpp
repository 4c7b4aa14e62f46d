// Every layer of tests/goldens/layers.json: outputs, gradients, and the weights after the call, as
// TensorFlow's.
#include <memory>

#include "engine/nn/conv_layers.h"
#include "engine/nn/layers.h"
#include "engine/nn/norm_layers.h"
#include "engine/nn/recurrent.h"
#include "engine/tape/tape.h"
#include "tests/engine/nn/layer_goldens.h"

using namespace tapescope;
using nlohmann::json;

namespace {

Activation activation_of(const json& attrs) { return activation_named(attrs.value("activation", "linear")); }

std::unique_ptr<Layer> layer_of(const std::string& op, const json& attrs) {
  if (op == "Dense")
    return std::make_unique<Dense>(attrs["units"], DenseOptions{.activation = activation_of(attrs)});
  if (op == "Conv2D") {
    Conv2DOptions options{.strides = attrs.value("strides", 1), .activation = activation_of(attrs)};
    if (attrs["padding"] == "same") options.padding = ConvPadding::same;
    return std::make_unique<Conv2D>(attrs["filters"], HeightWidth(attrs["kernel_size"].get<int>()), options);
  }
  const RecurrentOptions recurrent{.return_sequences = attrs.value("return_sequences", false)};
  if (op == "SimpleRNN") return std::make_unique<SimpleRNN>(attrs["units"], recurrent);
  if (op == "LSTM") return std::make_unique<LSTM>(attrs["units"], recurrent);
  if (op == "GRU") return std::make_unique<GRU>(attrs["units"], recurrent);
  if (op == "BatchNormalization") return std::make_unique<BatchNormalization>();
  if (op == "LayerNormalization") return std::make_unique<LayerNormalization>();
  if (op == "Embedding") return std::make_unique<Embedding>(attrs["input_dim"], attrs["output_dim"]);
  return nullptr;
}

// What an indexed gradient adds up to; others as they are.
json dense_of(const json& gradient) {
  if (!gradient.contains("indexed_slices")) return gradient;
  const json& slices = gradient["indexed_slices"];
  const auto shape = slices["dense_shape"]["data"].get<std::vector<std::size_t>>();
  const auto values = slices["values"]["data"].get<std::vector<double>>();
  std::vector<double> data(shape[0] * shape[1], 0.0);
  std::size_t from = 0;
  for (std::size_t row : slices["indices"]["data"]) {
    for (std::size_t i = 0; i < shape[1]; ++i) data[row * shape[1] + i] += values[from++];
  }
  return {{"data", data}};
}

}  // namespace

TEST_CASE("layers: every golden case gives TensorFlow's outputs, gradients and weights") {
  int checked = 0;
  for (const json& c : goldens::layer_cases("")) {
    const std::string op = c["op"];
    if (op.starts_with("loss:")) continue;
    INFO(c["id"].get<std::string>());
    const json& attrs = c["attrs"];
    const std::unique_ptr<Layer> layer = layer_of(op, attrs);
    REQUIRE(layer);
    const Tensor x = goldens::tensor_of(c["inputs"][0]);
    layer->build(x.shape());
    const std::vector<Variable> variables = layer->variables();
    REQUIRE(variables.size() == c["weights"].size());
    for (std::size_t i = 0; i < variables.size(); ++i) {
      CHECK(std::string(variables[i].name()).ends_with("/" + c["weights"][i][0].get<std::string>()));
      variables[i].assign(goldens::tensor_of(c["weights"][i][1]));
    }
    GradientTape tape;
    Tensor y;
    {
      auto recording = tape.record();
      tape.watch(x);
      y = attrs.contains("training") ? (*layer)(x, attrs["training"].get<bool>()) : (*layer)(x);
    }
    goldens::check_close(y, c["outputs"][0]);
    std::vector<Traced> sources{x};
    for (const Variable& variable : layer->trainable_variables()) sources.emplace_back(variable);
    REQUIRE(sources.size() == c["weight_grads"].size() + 1);
    const std::vector<Tensor> gradients =
        tape.gradient(y, sources, {.output_gradients = {goldens::tensor_of(c["seeds"][0])}});
    if (c["grads"][0].is_null()) CHECK_FALSE(gradients[0]);
    else goldens::check_close(gradients[0], c["grads"][0]);
    for (std::size_t i = 1; i < gradients.size(); ++i) {
      INFO("gradient of " << sources[i].name());
      goldens::check_close(gradients[i], dense_of(c["weight_grads"][i - 1][1]));
    }
    for (std::size_t i = 0; i < variables.size(); ++i) {
      goldens::check_close(variables[i].peek(), c["weights_after"][i][1]);
    }
    ++checked;
  }
  CHECK(checked == 18);
}
