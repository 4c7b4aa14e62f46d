// Checks the gradient of one op, as it stands at the debugger's gate, against central differences.
#pragma once
#include <cstdint>
#include <string>

#include "engine/debug/gate.h"

namespace tapescope {

struct OpCheck {
  std::string why_not;        // why it could not be done; empty when it was
  std::int64_t compared = 0;  // elements, over all floating inputs
  double largest = 0;         // largest |analytic - numeric| / max(1, |analytic|, |numeric|)
  int input = -1;             // where that is
  std::int64_t element = 0;
  double analytic = 0, numeric = 0;
  bool exact = true;  // differences were taken in float64
};

// With a forward frame the op's vjp runs on the frame's inputs, for a cotangent that differs in each element;
// with a backward one its cotangents are taken as they are. Numeric values are (L(x + h) - L(x - h)) / 2h, L
// the sum of cotangent times output, in float64 where the op takes it, h = 1e-6 max(1, |x|) (float32: 1e-2).
// Elements are spread over each input, up to `most`, and fewer where that would take longer than some 50 ms.
// Nothing is recorded on tapes or in events.
OpCheck check_op(const Frame& frame, std::int64_t most = 64);

}  // namespace tapescope
