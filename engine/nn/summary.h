// A model's layers as a table.
#pragma once
#include <string>

#include "engine/core/public.h"
#include "engine/nn/layer.h"

namespace tapescope TAPESCOPE_PUBLIC {

// Layers, their output shapes and numbers of parameters, then the totals. Builds the model for inputs of that
// shape; the first size is the batch and shown as "None".
std::string summary(Layer& model, const Shape& input);

// Elements of all these variables.
std::int64_t parameter_count(std::span<const Variable> variables);

}  // namespace tapescope
