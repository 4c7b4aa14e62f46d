// Starting values of variables. The same key gives the same numbers on every machine.
#pragma once
#include <string_view>

#include "engine/core/public.h"
#include "engine/ops/creation.h"

namespace tapescope TAPESCOPE_PUBLIC {

enum class Initializer : std::uint8_t {
  zeros,
  ones,
  glorot_uniform,
  glorot_normal,
  he_normal,
  he_uniform,
  lecun_normal,
  orthogonal,
  uniform
};

// Fans of a kernel [in, out], or [.., in, out] where each is multiplied by the receptive field (the sizes
// before).
struct FanCounts {
  double in = 1, out = 1;
};
FanCounts fans_of(const Shape& shape);

// glorot_uniform: U(-L, L), L = sqrt(6 / (in + out)). glorot_normal, he_normal: normal, truncated at two
// standard deviations and scaled so that the variance is 2 / (in + out), 2 / in; lecun_normal: 1 / in.
// he_uniform: L = sqrt(6 / in). uniform: U(-0.05, 0.05), Keras's for embeddings.
// orthogonal: rows or columns, whichever are fewer, are orthonormal; needs two dimensions or more.
Tensor initial_value(Initializer initializer, const Shape& shape, RandomKey key, DType dtype = DType::f32,
                     Location location = Location::current());

// The key of a variable: other names draw other numbers from the same seed.
RandomKey key_of(std::uint64_t seed, std::string_view name);

}  // namespace tapescope
