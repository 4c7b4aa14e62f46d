// Tensors that agree but for rounding, and random ones to compare.
#pragma once
#include "engine/ops/ops.h"
#include "tests/support/catch.h"

namespace tapescope::test {

// From -1 to 1, float64; the same ones for the same shape and seed.
inline Tensor numbers(const Shape& shape, std::uint64_t seed) {
  return stateless_random_uniform(shape, {seed, 1}, -1, 1, DType::f64);
}

// Of one shape and dtype, each element within `tolerance`, relative and absolute.
inline void check_close(const Tensor& got, const Tensor& want, double tolerance = 1e-12) {
  REQUIRE(got);
  REQUIRE(want);
  REQUIRE(got.type().text() == want.type().text());
  for (std::int64_t i = 0; i < got.numel(); ++i)
    REQUIRE(element(got, i) == Approx(element(want, i)).epsilon(tolerance).margin(tolerance));
}

}  // namespace tapescope::test
