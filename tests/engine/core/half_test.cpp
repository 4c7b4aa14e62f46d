// float16 and bfloat16 conversions against a reference that rounds in double.
#include "engine/core/half.h"

#include <bit>
#include <cmath>
#include <limits>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "tests/support/catch.h"

using namespace tapescope;

namespace {

// A thread that ran an op flushes denormals to zero, as TensorFlow's do; these tests are about them too.
class WithDenormals {
#if defined(__x86_64__)
 public:
  WithDenormals() { _mm_setcsr(before_ & ~kFlushes); }
  ~WithDenormals() { _mm_setcsr(before_); }
  WithDenormals(const WithDenormals&) = delete;
  WithDenormals& operator=(const WithDenormals&) = delete;

 private:
  static constexpr unsigned kFlushes = 0x8040;
  unsigned before_ = _mm_getcsr();
#else
 public:
  WithDenormals() {}
#endif
};

struct Format {
  int mantissa_bits;
  int min_exponent;  // of the smallest normal number
  double largest;
};
constexpr Format kHalf{10, -14, 65504.0};
constexpr Format kBFloat{7, -126, 0x1.fep127};

// Nearest value of the format, ties to even; nearbyint does so in the default rounding mode.
double reference_round(double x, const Format& format) {
  if (!std::isfinite(x) || x == 0) return x;
  int exponent;
  std::frexp(x, &exponent);
  const int unit = std::max(exponent - 1, format.min_exponent) - format.mantissa_bits;
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(x, -unit)), unit);
  return std::fabs(rounded) > format.largest ? std::copysign(std::numeric_limits<double>::infinity(), x)
                                             : rounded;
}

double reference_value(std::uint16_t bits, int mantissa_bits, int exponent_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = (bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
  const int mantissa = bits & ((1 << mantissa_bits) - 1);
  double value;
  if (exponent == (1 << exponent_bits) - 1) {
    value = mantissa ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  } else if (exponent == 0) {
    value = std::ldexp(mantissa, 1 - bias - mantissa_bits);
  } else {
    value = std::ldexp((1 << mantissa_bits) + mantissa, exponent - bias - mantissa_bits);
  }
  return bits & 0x8000 ? -value : value;
}

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

// Counts instead of asserting in the loop: an assertion costs a microsecond.
template <class Check>
int failures_around_every_pattern(float (*widen)(std::uint16_t), Check check) {
  int failures = 0;
  for (std::uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const float value = widen(static_cast<std::uint16_t>(bits));
    if (std::isnan(value)) continue;
    const std::uint32_t raw = std::bit_cast<std::uint32_t>(value);
    // The value, the ties on either side of it (at most 2^29 float32 steps away), and their neighbours.
    for (int shift : {-1, 11, 12, 13, 14, 15, 16, 17, 23}) {
      for (int nudge : {-1, 0, 1}) {
        const std::uint32_t near = raw + (shift < 0 ? 0u : (1u << shift)) + static_cast<std::uint32_t>(nudge);
        if (!check(std::bit_cast<float>(near))) ++failures;
      }
    }
    if (!std::isinf(value)) {
      const float next = widen(static_cast<std::uint16_t>(bits + 1));
      if (!std::isnan(next) && !std::isinf(next)) {
        const float middle = static_cast<float>((static_cast<double>(value) + next) / 2);
        for (float x : {middle, std::nextafter(middle, value), std::nextafter(middle, next)}) {
          if (!check(x)) ++failures;
        }
      }
    }
  }
  return failures;
}

}  // namespace

TEST_CASE("every half and bfloat16 pattern widens to its value") {
  const WithDenormals denormals;
  int failures = 0;
  for (std::uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const auto pattern = static_cast<std::uint16_t>(bits);
    failures += !same(half_to_float(pattern), reference_value(pattern, 10, 5));
    failures += !same(bfloat_to_float(pattern), reference_value(pattern, 7, 8));
  }
  CHECK(failures == 0);
}

TEST_CASE("narrowing rounds to nearest, ties to even, around every pattern") {
  const WithDenormals denormals;
  CHECK(failures_around_every_pattern(half_to_float, [](float x) {
          return same(half_to_float(float_to_half(x)), reference_round(x, kHalf));
        }) == 0);
  CHECK(failures_around_every_pattern(bfloat_to_float, [](float x) {
          return same(bfloat_to_float(float_to_bfloat(x)), reference_round(x, kBFloat));
        }) == 0);
}

TEST_CASE("narrowing agrees with the reference all over float32") {
  const WithDenormals denormals;
  int failures = 0;
  for (std::uint64_t bits = 0; bits <= 0xffffffffu; bits += 4099) {  // a prime stride meets every residue
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    failures += !same(half_to_float(float_to_half(x)), reference_round(x, kHalf));
    failures += !same(bfloat_to_float(float_to_bfloat(x)), reference_round(x, kBFloat));
  }
  CHECK(failures == 0);
}

TEST_CASE("half limits: overflow at 65520, smallest subnormal, signed zero, NaN") {
  CHECK(float_to_half(65519.996f) == 0x7bff);
  CHECK(float_to_half(65520.0f) == 0x7c00);
  CHECK(float_to_half(0x1p-24f) == 1);
  CHECK(float_to_half(0x1p-25f) == 0);  // a tie, to even
  CHECK(float_to_half(-0.0f) == 0x8000);
  CHECK(std::isnan(half_to_float(float_to_half(std::nanf("")))));
  // A signalling NaN whose payload is in the low bits must not round to infinity.
  CHECK(std::isnan(bfloat_to_float(float_to_bfloat(std::bit_cast<float>(0x7f800001u)))));
}
