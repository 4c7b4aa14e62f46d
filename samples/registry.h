// The samples by file: each gives its line of the registry.
#pragma once
#include "samples/sample.h"

namespace tapescope {

SampleInfo preprocessing_sample();
SampleInfo variable_tracking_sample();
SampleInfo graph_function_sample();
SampleInfo rnn_cell_sample();
SampleInfo retracing_sample();
SampleInfo train_step_sample();
SampleInfo low_precision_sample();
SampleInfo redundant_ops_sample();
SampleInfo convolution_sample();
SampleInfo custom_op_sample();
SampleInfo jacobian_sample();
SampleInfo derivative_sample();
SampleInfo multi_variable_sample();
SampleInfo watch_sample();
SampleInfo second_derivative_sample();
SampleInfo persistent_sample();
SampleInfo stop_gradient_sample();
SampleInfo linear_regression_sample();
SampleInfo mnist_mlp_sample();
SampleInfo gradient_clipping_sample();
SampleInfo none_gradients_sample();
SampleInfo binary_classification_sample();
SampleInfo hessian_sample();
SampleInfo momentum_sample();
SampleInfo custom_layer_sample();
SampleInfo checkpointing_sample();
SampleInfo nan_hunt_sample();

// For SampleInfo::make.
template <class T>
std::unique_ptr<Sample> make_sample(const SampleOptions& options) {
  return std::make_unique<T>(options);
}

}  // namespace tapescope
