// Ops of a user's own program: rows beside the table, found by name and treated like any other.
#pragma once
#include "engine/core/public.h"
#include "engine/gate/op.h"

namespace tapescope TAPESCOPE_PUBLIC {

// Adds a row; `op.name` is copied and must be new. The row lives as long as the process. Any thread.
// Throws ValueError for an empty name, one that is taken, or a row without inference or kernel.
const OpDef& register_op(OpDef op, Location location = Location::current());

// A registered row; null when there is none of that name. find_op() asks here after the table.
const OpDef* find_registered_op(std::string_view name);

}  // namespace tapescope
