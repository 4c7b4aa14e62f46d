// The op that assigns to a variable, for graphs: outside of a trace Variable::assign() writes directly.
#pragma once
#include "engine/gate/op.h"

namespace tapescope {

// AssignVariableOp: handle, value of the variable's type -> nothing. No gradient; no tape records it.
extern const OpDef kAssignVariable;

}  // namespace tapescope
