// The drivers that run a case, or its backward pass, twice at once by the batching rules.
#pragma once
#include "tests/tools/goldens/driver.h"

namespace tapescope::goldens {

// The function of a case on rows: its inputs twice, as a vectorized map calls it.
std::unique_ptr<Driver> batched_driver();
// The backward pass on rows: the output gradients twice, as a Jacobian takes them.
std::unique_ptr<Driver> batched_gradients_driver();

}  // namespace tapescope::goldens
