// Softmax and cross entropies, convolution, pooling, normalization.
#include "tests/tools/goldens/ops.h"

namespace tapescope::goldens {
namespace {

template <Tensor (*kFunction)(const Arg&, const Arg&)>
Tensors two(Tensorspan x, const Attributes&) {
  return {kFunction(x[0], x[1])};
}

template <Tensor (*kFunction)(const Arg&, HeightWidth, HeightWidth, ConvPadding)>
Tensors pooled(Tensorspan x, const Attributes& a) {
  return {kFunction(x[0], a.pair("ksize", 2), a.pair("strides", 1), a.padding())};
}

Tensors moments_run(Tensorspan x, const Attributes& a) {
  const auto [mean, variance] = moments(x[0], a.axes("axes"), a.flag("keepdims"));
  return {mean, variance};
}

constexpr NamedRun kRuns[] = {
    {"softmax",
     [](Tensorspan x, const Attributes& a) -> Tensors { return {softmax(x[0], a.integer("axis", -1))}; }},
    {"log_softmax",
     [](Tensorspan x, const Attributes& a) -> Tensors { return {log_softmax(x[0], a.integer("axis", -1))}; }},
    {"softmax_cross_entropy_with_logits",
     [](Tensorspan x, const Attributes& a) -> Tensors {
       return {softmax_cross_entropy_with_logits(x[0], x[1], a.integer("axis", -1))};
     }},
    {"sparse_softmax_cross_entropy_with_logits", two<sparse_softmax_cross_entropy_with_logits>},
    {"sigmoid_cross_entropy_with_logits", two<sigmoid_cross_entropy_with_logits>},
    {"bias_add", two<bias_add>},
    {"l2_loss", [](Tensorspan x, const Attributes&) -> Tensors { return {l2_loss(x[0])}; }},
    {"l2_normalize",
     [](Tensorspan x, const Attributes& a) -> Tensors {
       return {l2_normalize(x[0], a.axes("axis"), a.number("epsilon", 1e-12))};
     }},
    {"moments", moments_run},
    {"conv2d",
     [](Tensorspan x, const Attributes& a) -> Tensors {
       return {conv2d(x[0], x[1], a.pair("strides", 1), a.padding(), a.pair("dilations", 1))};
     }},
    {"conv2d_transpose",
     [](Tensorspan x, const Attributes& a) -> Tensors {
       return {conv2d_transpose(x[0], x[1], a.shape("output_shape"), a.pair("strides", 1), a.padding())};
     }},
    {"depthwise_conv2d",
     [](Tensorspan x, const Attributes& a) -> Tensors {
       return {depthwise_conv2d(x[0], x[1], a.pair("strides", 1), a.padding(), a.pair("dilations", 1))};
     }},
    {"max_pool2d", pooled<max_pool2d>},
    {"avg_pool2d", pooled<avg_pool2d>},
    {"batch_normalization",
     [](Tensorspan x, const Attributes& a) -> Tensors {
       return {batch_normalization(x[0], x[1], x[2], x[3], x[4], a.number("epsilon"))};
     }},
    {"fused_batch_norm_train",
     [](Tensorspan x, const Attributes& a) -> Tensors {
       return {fused_batch_norm_train(x[0], x[1], x[2], a.number("epsilon")).y};
     }},
};

}  // namespace

std::span<const NamedRun> network_runs() { return kRuns; }

}  // namespace tapescope::goldens
