// Initializers.
#include "engine/nn/initializers.h"

#include <cmath>
#include <vector>

#include "engine/core/error.h"
#include "engine/core/hash.h"

namespace tapescope {
namespace {

// Standard deviation of a normal distribution cut at two of its standard deviations.
constexpr double kTruncatedDeviation = 0.87962566103423978;

Tensor uniform(const Shape& shape, RandomKey key, double variance_fan, DType dtype,
               const Location& location) {
  const double limit = std::sqrt(6 / variance_fan);
  return stateless_random_uniform(shape, key, -limit, limit, dtype, location);
}

Tensor truncated(const Shape& shape, RandomKey key, double fan, DType dtype, const Location& location) {
  return stateless_truncated_normal(shape, key, 0, std::sqrt(2 / fan) / kTruncatedDeviation, dtype, location);
}

// Gram-Schmidt, twice over for accuracy, on the shorter side of a normal matrix.
Tensor orthogonal(const Shape& shape, RandomKey key, DType dtype, const Location& location) {
  if (shape.rank() < 2) {
    fail(
        ErrorKind::value, "orthogonal",
        "got the shape " + shape.text() + ", expected two dimensions or more; use glorot_uniform for vectors",
        &location);
  }
  const std::int64_t columns = shape[shape.rank() - 1], rows = columns > 0 ? shape.numel() / columns : 0;
  const std::int64_t count = std::min(rows, columns), length = std::max(rows, columns);
  std::vector<double> v =
      element_values(stateless_random_normal({count, length}, key, 0, 1, DType::f64, location));
  for (std::int64_t i = 0; i < count; ++i) {
    double* self = v.data() + i * length;
    for (int pass = 0; pass < 2; ++pass) {
      for (std::int64_t j = 0; j < i; ++j) {
        const double* other = v.data() + j * length;
        double dot = 0;
        for (std::int64_t k = 0; k < length; ++k) dot += self[k] * other[k];
        for (std::int64_t k = 0; k < length; ++k) self[k] -= dot * other[k];
      }
    }
    double norm = 0;
    for (std::int64_t k = 0; k < length; ++k) norm += self[k] * self[k];
    for (std::int64_t k = 0; k < length; ++k) self[k] /= std::sqrt(norm);
  }
  if (rows <= columns) return make_tensor(v, shape, dtype);
  std::vector<double> turned(v.size());
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t k = 0; k < length; ++k) turned.data()[k * count + i] = v.data()[i * length + k];
  }
  return make_tensor(turned, shape, dtype);
}

}  // namespace

FanCounts fans_of(const Shape& shape) {
  if (shape.rank() == 0) return {};
  if (shape.rank() == 1) return {static_cast<double>(shape[0]), static_cast<double>(shape[0])};
  double field = 1;
  for (int i = 0; i < shape.rank() - 2; ++i) field *= static_cast<double>(shape[i]);
  return {field * static_cast<double>(shape[shape.rank() - 2]),
          field * static_cast<double>(shape[shape.rank() - 1])};
}

Tensor initial_value(Initializer initializer, const Shape& shape, RandomKey key, DType dtype,
                     Location location) {
  const FanCounts fans = fans_of(shape);
  switch (initializer) {
    case Initializer::zeros: return zeros(shape, dtype, location);
    case Initializer::ones: return ones(shape, dtype, location);
    case Initializer::glorot_uniform: return uniform(shape, key, fans.in + fans.out, dtype, location);
    case Initializer::glorot_normal: return truncated(shape, key, fans.in + fans.out, dtype, location);
    case Initializer::he_normal: return truncated(shape, key, fans.in, dtype, location);
    case Initializer::he_uniform: return uniform(shape, key, fans.in, dtype, location);
    case Initializer::lecun_normal: return truncated(shape, key, 2 * fans.in, dtype, location);
    case Initializer::orthogonal: return orthogonal(shape, key, dtype, location);
    case Initializer::uniform: return stateless_random_uniform(shape, key, -0.05, 0.05, dtype, location);
  }
  fail(ErrorKind::value, "initial_value", "unknown initializer", &location);
}

RandomKey key_of(std::uint64_t seed, std::string_view name) {
  return {seed, hash_of(name)};
}

}  // namespace tapescope
