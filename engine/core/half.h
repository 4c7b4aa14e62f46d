// float16 and bfloat16 as storage types: every computation converts to float32 and back.
#pragma once
#include <bit>
#include <cstdint>

#include "engine/core/public.h"

namespace tapescope TAPESCOPE_PUBLIC {

// IEEE 754 binary16 to binary32; exact.
constexpr float half_to_float(std::uint16_t h) {
  const std::uint32_t sign = static_cast<std::uint32_t>(h & 0x8000u) << 16;
  const std::uint32_t exponent = (h >> 10) & 0x1f;
  std::uint32_t mantissa = h & 0x3ff;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
  // A subnormal half is mantissa * 2^-24, which float32 holds exactly.
  const float value = static_cast<float>(mantissa) * 0x1p-24f;
  return sign ? -value : value;
}

// Rounds to nearest, ties to even; overflows to infinity; keeps NaN a NaN.
constexpr std::uint16_t float_to_half(float f) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(f);
  const std::uint16_t sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return sign | 0x7e00u;
  // 65520 is half way between the largest half and the next power of two.
  if (magnitude >= 0x477ff000u) return sign | 0x7c00u;
  if (magnitude < 0x38800000u) {
    // Below 2^-14 the result is subnormal: count units of 2^-24, rounding to even.
    const float scaled = std::bit_cast<float>(magnitude) * 0x1p24f;
    std::uint32_t units = static_cast<std::uint32_t>(scaled);
    const float rest = scaled - static_cast<float>(units);
    if (rest > 0.5f || (rest == 0.5f && (units & 1))) ++units;
    return sign | static_cast<std::uint16_t>(units);
  }
  const std::uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1);
  return sign | static_cast<std::uint16_t>((rounded - 0x38000000u) >> 13);
}

constexpr float bfloat_to_float(std::uint16_t b) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(b) << 16);
}

// Rounds to nearest, ties to even; keeps NaN a NaN.
constexpr std::uint16_t float_to_bfloat(float f) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(f);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1)) >> 16);
}

struct Half {
  std::uint16_t bits = 0;
  constexpr Half() = default;
  explicit constexpr Half(float f) : bits(float_to_half(f)) {}
  constexpr operator float() const { return half_to_float(bits); }
};

struct BFloat16 {
  std::uint16_t bits = 0;
  constexpr BFloat16() = default;
  explicit constexpr BFloat16(float f) : bits(float_to_bfloat(f)) {}
  constexpr operator float() const { return bfloat_to_float(bits); }
};

}  // namespace tapescope
