// What the op table knows of ops that records name.
#pragma once
#include <string_view>

#include "engine/gate/op.h"

namespace tapescope {

// The row of the table, of a fused op, or of the engine's op that computes the same as one of another
// framework: "Rint" has that of Round. Null when there is none.
const OpDef* row_of_op(std::string_view name);

// Whether each element of the result depends on the same elements of the operands and, beside its dtype, on
// nothing else: equal operands give equal results.
bool is_elementwise(const OpDef& row);

}  // namespace tapescope
