// A loop to put into a function.
#pragma once
#include <tuple>

#include "engine/graph/flow.h"
#include "engine/ops/ops.h"
#include "engine/tape/variable.h"

namespace tapescope::test {

// h = tanh(h w), three times, from x on.
inline Tensor three_rounds(const Tensor& x, const Variable& w) {
  return std::get<1>(
      while_loop([](const Tensor& i, const Tensor&) { return i < 3; },
                 [&](const Tensor& i, const Tensor& h) { return std::tuple(i + 1, tanh(matmul(h, w))); },
                 std::tuple(constant(0.0), x)));
}

}  // namespace tapescope::test
