// The registry of samples.
#include "samples/registry.h"

#include <algorithm>

#include <fmt/format.h>

namespace tapescope {

const std::vector<SampleInfo>& sample_registry() {
  static const std::vector<SampleInfo> samples = {
      preprocessing_sample(),     variable_tracking_sample(),
      graph_function_sample(),    rnn_cell_sample(),
      retracing_sample(),         train_step_sample(),
      low_precision_sample(),     redundant_ops_sample(),
      convolution_sample(),       custom_op_sample(),
      jacobian_sample(),          derivative_sample(),
      multi_variable_sample(),    watch_sample(),
      second_derivative_sample(), persistent_sample(),
      stop_gradient_sample(),     linear_regression_sample(),
      mnist_mlp_sample(),         gradient_clipping_sample(),
      none_gradients_sample(),    binary_classification_sample(),
      hessian_sample(),           momentum_sample(),
      custom_layer_sample(),      checkpointing_sample(),
      nan_hunt_sample(),
  };
  return samples;
}

const SampleInfo& find_sample(std::string_view name) {
  const std::vector<SampleInfo>& samples = sample_registry();
  const auto is_it = [&](const SampleInfo& info) { return info.name == name; };
  const auto found = std::find_if(samples.begin(), samples.end(), is_it);
  if (found != samples.end()) return *found;
  throw Error(ErrorKind::value,
              fmt::format("there is no sample '{}'; 'tapescope list' names all {}", name, samples.size()));
}

}  // namespace tapescope
