// The structure of values: what is left of lists, tuples and maps when their tensors are taken out.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "engine/graph/value.h"

namespace tapescope {

// Takes the tensors out, depth first, and leaves placeholders. Variables are read, numbers become tensors,
// rows are made dense. Throws TypeError, in the name of `op`, for None, texts and objects.
std::vector<Tensor> take_tensors(Value& value, std::string_view op, const Location& location);
// The structure with these tensors in its places.
Value with_tensors(Value structure, std::span<const Tensor> tensors);
// "(tensor, [tensor, tensor])"; equal for equal structures.
std::string structure_text(const Value& structure);

}  // namespace tapescope
