// Bytes to numbers, for processors with AVX2.
#include "engine/data/byte_loops.h"

// Each needs those before it.
// clang-format off
#include "engine/kernels/avx2.inl"
#include "engine/kernels/vector.inl"
#include "engine/data/byte_loops.inl"
// clang-format on

namespace tapescope::bytes {
void divide_avx2(const std::uint8_t* from, float divisor, float* to, std::int64_t n) {
  divide_bytes(from, divisor, to, n);
}
}  // namespace tapescope::bytes
#if defined(__clang__) && defined(__x86_64__)
#pragma clang attribute pop
#endif
