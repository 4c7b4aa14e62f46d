// Each option alone, as designated initializers name it: the others have their defaults, and no compiler
// warns.
#include "engine/tapescope.h"

using namespace tapescope;

const FunctionOptions function_options{.arguments = {"x"}};
const FunctionOptions signature_options{.input_signature = {{TensorSpec{.dims = {2}}}}};
const TapeOptions tape_options{.persistent = true};
const VariableOptions variable_options{.trainable = false};
const GradientOptions gradient_options{.unconnected = Unconnected::zero};
const JacobianOptions jacobian_options{.vectorized = false};
const GradientsOptions gradients_options{.unconnected = Unconnected::zero};
const WhileLoopOptions loop_options{.maximum_iterations = 3};
const ScanOptions scan_options{.reverse = true};
const TensorSpec spec{.dtype = DType::f64};
const DenseOptions dense_options{.activation = Activation::relu};
const Conv2DOptions conv_options{.strides = 2};
const PoolingOptions pooling_options{.size = 3};
const DropoutOptions dropout_options{.seed = 1};
const EmbeddingOptions embedding_options{.seed = 1};
const RecurrentOptions recurrent_options{.return_sequences = true};
const BatchNormalizationOptions batch_norm_options{.momentum = 0.9};
const LayerNormalizationOptions layer_norm_options{.epsilon = 1e-5};
const SgdOptions sgd_options{.momentum = 0.9};
const AdamOptions adam_options{.clipnorm = 1};
const AdamWOptions adamw_options{.weight_decay = 0.01};
const RmsPropOptions rmsprop_options{.rho = 0.8};
const AdagradOptions adagrad_options{.epsilon = 1e-6};
const CrossentropyOptions crossentropy_options{.from_logits = true};
const LossScaleOptions scale_options{.initial_scale = 8};
const FitOptions fit_options{.epochs = 2};
const VariableGradients variable_gradients{.variables = {}};
const WithGradient with_gradient{.outputs = {}};
