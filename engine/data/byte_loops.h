// Bytes to numbers: the pixels of a batch, which a training step waits for.
#pragma once
#include <cstdint>

namespace tapescope::bytes {

// to[i] = from[i] / divisor, correctly rounded; so both instruction sets give the same bits.
using DivideLoop = void (*)(const std::uint8_t* from, float divisor, float* to, std::int64_t n);
void divide_baseline(const std::uint8_t* from, float divisor, float* to, std::int64_t n);
void divide_avx2(const std::uint8_t* from, float divisor, float* to, std::int64_t n);

}  // namespace tapescope::bytes
