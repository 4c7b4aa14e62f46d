// Losses with the default reduction: labels first, then predictions.
#include "engine/nn/losses.h"

#include "tests/tools/goldens/ops.h"

namespace tapescope::goldens {
namespace {

template <class Made>
Tensors plain(Tensorspan x, const Attributes&) {
  return {Made()(x[0], x[1])};
}

constexpr NamedRun kRuns[] = {
    {"loss:cce",
     [](Tensorspan x, const Attributes& a) -> Tensors {
       return {CategoricalCrossentropy(a.flag("from_logits"), a.number("label_smoothing", 0))(x[0], x[1])};
     }},
    {"loss:scce",
     [](Tensorspan x, const Attributes& a) -> Tensors {
       return {SparseCategoricalCrossentropy(a.flag("from_logits"))(x[0], x[1])};
     }},
    {"loss:bce",
     [](Tensorspan x, const Attributes& a) -> Tensors {
       return {BinaryCrossentropy(a.flag("from_logits"), a.number("label_smoothing", 0))(x[0], x[1])};
     }},
    {"loss:mse", plain<MeanSquaredError>},
    {"loss:mae", plain<MeanAbsoluteError>},
    {"loss:huber",
     [](Tensorspan x, const Attributes& a) -> Tensors { return {Huber(a.number("delta", 1))(x[0], x[1])}; }},
    {"loss:kld", plain<KLDivergence>},
    {"loss:hinge", plain<Hinge>},
    {"loss:log_cosh", plain<LogCosh>},
};

}  // namespace

std::span<const NamedRun> loss_runs() { return kRuns; }

}  // namespace tapescope::goldens
