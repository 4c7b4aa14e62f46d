// The types a node's outputs will have, from types alone.
#pragma once
#include <span>
#include <vector>

#include "engine/gate/op.h"

namespace tapescope {

// Throws Error as the op's inference does. Not for ops that look at a variable behind a handle.
std::vector<const Type*> infer_types(const OpDef& op, std::span<const Type* const> inputs, const Attrs& attrs,
                                     const Location& location = Location::current());

}  // namespace tapescope
