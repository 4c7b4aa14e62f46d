// The rows of the nn family, in the files that define them; nn.cpp lists them.
#pragma once
#include "engine/gate/op.h"

namespace tapescope {

extern const OpDef kSoftmax, kLogSoftmax, kSoftmaxGrad, kLogSoftmaxGrad;       // nn_softmax.cpp
extern const OpDef kSoftmaxCrossEntropy, kSparseSoftmaxCrossEntropy, kL2Loss;  // nn_losses.cpp
extern const OpDef kBiasAdd, kBiasAddGrad;                                     // nn_bias.cpp
extern const OpDef kConv2D, kConv2DBackpropInput, kConv2DBackpropFilter;       // nn_conv.cpp
extern const OpDef kDepthwise, kDepthwiseBackpropInput, kDepthwiseBackpropFilter;
extern const OpDef kMaxPool, kMaxPoolGrad, kMaxPoolGradGrad, kAvgPool, kAvgPoolGrad;  // nn_pool.cpp
extern const OpDef kFusedBatchNorm, kFusedBatchNormGrad;                              // nn_batch_norm.cpp

}  // namespace tapescope
