// Losses with the default reduction: labels first, then predictions.
#include "engine/nn/losses.h"

#include "tests/tools/goldens/ops.h"

namespace tapescope::goldens {
namespace {

constexpr NamedRun kRuns[] = {
    {"loss:cce", [](Tensorspan x, const Attributes& a) -> Tensors { return {CategoricalCrossentropy(a.flag("from_logits"), a.number("label_smoothing", 0))(x[0], x[1])}; }},
    {"loss:mse", [](Tensorspan x, const Attributes&) -> Tensors { return {MeanSquaredError()(x[0], x[1])}; }},
};

}  // namespace

std::span<const NamedRun> loss_runs() { return kRuns; }

}  // namespace tapescope::goldens
