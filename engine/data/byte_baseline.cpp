// Bytes to numbers, for every processor of the architecture.
#include "engine/data/byte_loops.h"

namespace {
constexpr int kVectorBytes = 16;
}
// Each needs those before it.
// clang-format off
#include "engine/kernels/vector.inl"
#include "engine/data/byte_loops.inl"
// clang-format on

namespace tapescope::bytes {
void divide_baseline(const std::uint8_t* from, float divisor, float* to, std::int64_t n) {
  divide_bytes(from, divisor, to, n);
}
}  // namespace tapescope::bytes
