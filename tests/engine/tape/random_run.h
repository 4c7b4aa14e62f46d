// Random programs run by the engine's ops.
#pragma once
#include <vector>

#include "tests/engine/tape/random_program.h"

namespace tapescope::random_programs {

// `values` holds the leaves; each instruction's result is appended.
void run_program(const Program& program, std::vector<Tensor>& values);

}  // namespace tapescope::random_programs
