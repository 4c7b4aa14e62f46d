// Batch and layer normalization.
#include "engine/nn/norm_layers.h"

#include <fmt/format.h>

#include "engine/ops/elementwise.h"
#include "engine/ops/nn.h"

namespace tapescope {
namespace {

Shape features_of(const Shape& input, const std::string& name, const Location& location) {
  if (input.rank() < 2) {
    fail(ErrorKind::invalid_argument, name,
         fmt::format("got an input of shape {}, expected at least [batch, features]", input.text()),
         &location);
  }
  return {input[input.rank() - 1]};
}

// Statistics of halves would overflow and lose digits.
DType wide(DType type) { return is_half(type) ? DType::f32 : type; }

}  // namespace

BatchNormalization::BatchNormalization(BatchNormalizationOptions options)
    : Layer(options.name, options.dtype), options_(std::move(options)) {}

void BatchNormalization::make_variables(const Shape& input, const Location& location) {
  const Shape features = features_of(input, name(), location);
  const DType type = policy().variable;
  gamma_ = add_variable("gamma", ones(features, type, location), location);
  beta_ = add_variable("beta", zeros(features, type, location), location);
  moving_mean_ = add_variable("moving_mean", zeros(features, type, location), location, /*trainable=*/false);
  moving_variance_ =
      add_variable("moving_variance", ones(features, type, location), location, /*trainable=*/false);
}

Tensor BatchNormalization::call(const Tensor& x, const Location& location) {
  const DType type = wide(x.dtype());
  const auto in_type = [&](const Tensor& value) { return cast({value, location}, type); };
  const Tensor gamma = in_type(gamma_.value(location)), beta = in_type(beta_.value(location));
  const Tensor input = in_type(x);
  Tensor mean, variance;
  // A frozen layer leaves its statistics alone.
  if (training() && trainable()) {
    int axes[kMaxRank];
    for (int i = 0; i + 1 < x.rank(); ++i) axes[i] = i;
    std::tie(mean, variance) =
        moments({input, location}, Axes(std::span(axes, static_cast<std::size_t>(x.rank() - 1))));
    move(moving_mean_, mean, location);
    move(moving_variance_, variance, location);
  } else {
    mean = in_type(moving_mean_.value(location));
    variance = in_type(moving_variance_.value(location));
  }
  const Tensor y = batch_normalization({input, location}, {mean, location}, {variance, location},
                                       {beta, location}, {gamma, location}, options_.epsilon);
  return cast({y, location}, x.dtype());
}

void BatchNormalization::move(const Variable& moving, const Tensor& batch, const Location& location) const {
  const Tensor kept = multiply({moving, location}, options_.momentum);
  const Tensor batch_in = cast({batch, location}, moving.dtype());
  const Tensor added = multiply({batch_in, location}, 1 - options_.momentum);
  moving.assign(add({kept, location}, {added, location}), location);
}

LayerNormalization::LayerNormalization(LayerNormalizationOptions options)
    : Layer(options.name, options.dtype), options_(std::move(options)) {}

void LayerNormalization::make_variables(const Shape& input, const Location& location) {
  const Shape features = features_of(input, name(), location);
  gamma_ = add_variable("gamma", ones(features, policy().variable, location), location);
  beta_ = add_variable("beta", zeros(features, policy().variable, location), location);
}

Tensor LayerNormalization::call(const Tensor& x, const Location& location) {
  const DType type = wide(x.dtype());
  const Tensor input = cast({x, location}, type);
  const Tensor gamma = cast({gamma_, location}, type), beta = cast({beta_, location}, type);
  const Tensor y =
      layer_normalization({input, location}, {gamma, location}, {beta, location}, options_.epsilon);
  return cast({y, location}, x.dtype());
}

}  // namespace tapescope
