// Normalization layers.
#pragma once
#include "engine/core/public.h"
#include "engine/nn/layer.h"

namespace tapescope TAPESCOPE_PUBLIC {

struct BatchNormalizationOptions {
  double momentum = 0.99;
  double epsilon = 1e-3;
  std::string name = "batch_normalization";
  DTypePolicy dtype = {};
};

// (x - mean) / sqrt(variance + epsilon) gamma + beta for each of the last dimension's features. While
// training, mean and variance (over n) are the batch's, and the moving ones become moving momentum + batch (1
// - momentum); otherwise the moving ones are used. Halves are normalized in float32. The moving ones are not
// trainable. Throws InvalidArgument for an x of fewer than two dimensions.
class BatchNormalization : public Layer {
 public:
  explicit BatchNormalization(BatchNormalizationOptions options = {});
  std::string_view kind() const override { return "BatchNormalization"; }
  const Variable& moving_mean() const { return moving_mean_; }
  const Variable& moving_variance() const { return moving_variance_; }

 private:
  void make_variables(const Shape& input, const Location& location) override;
  Tensor call(const Tensor& x, const Location& location) override;
  void move(const Variable& moving, const Tensor& batch, const Location& location) const;
  BatchNormalizationOptions options_;
  Variable gamma_, beta_, moving_mean_, moving_variance_;
};

struct LayerNormalizationOptions {
  double epsilon = 1e-3;
  std::string name = "layer_normalization";
  DTypePolicy dtype = {};
};

// The same by the mean and variance of each example's last dimension, training or not.
class LayerNormalization : public Layer {
 public:
  explicit LayerNormalization(LayerNormalizationOptions options = {});
  std::string_view kind() const override { return "LayerNormalization"; }

 private:
  void make_variables(const Shape& input, const Location& location) override;
  Tensor call(const Tensor& x, const Location& location) override;
  LayerNormalizationOptions options_;
  Variable gamma_, beta_;
};

}  // namespace tapescope
