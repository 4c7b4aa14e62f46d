// The rows of the creation family, in the files that define them; creation.cpp lists them.
#pragma once
#include "engine/gate/op.h"

namespace tapescope {

extern const OpDef kZerosLike, kOnesLike, kFill;                                        // creation.cpp
extern const OpDef kRandomUniform, kRandomUniformInt, kRandomNormal, kTruncatedNormal;  // random.cpp
extern const OpDef kStatelessUniform, kStatelessUniformInt, kStatelessNormal, kStatelessTruncatedNormal;

}  // namespace tapescope
