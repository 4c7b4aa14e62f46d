// Tensors from host values, filled tensors, number sequences and random numbers.
//
// Tensors made of nothing leave a create record, not an op: no tape follows them and no gradient passes.
#pragma once
#include <concepts>
#include <optional>
#include <span>
#include <vector>

#include "engine/core/public.h"
#include "engine/gate/apply.h"
#include "engine/ops/slicing.h"

namespace tapescope TAPESCOPE_PUBLIC {

// A tensor of these values; the nesting gives the shape. As in TensorFlow whole numbers make int32 (int64
// where one is beyond it), bools alone bool, and where one number is real all are float32. Throws ValueError
// for lists of unequal lengths, TypeError for a number that a given dtype has not: 1.5 of int32.
Tensor constant(const Values& values, Location location = Location::current());
Tensor constant(const Values& values, DType dtype, Location location = Location::current());
// The values, row-major, in that shape; a single number fills it. Throws ValueError when the counts differ.
Tensor constant(const Values& values, const Shape& shape, std::optional<DType> dtype = std::nullopt,
                Location location = Location::current());
// Arrays of the host have the dtype of their elements, but for double: float32, unless said.
Tensor constant(std::span<const double> values, const Shape& shape, DType dtype = DType::f32,
                Location location = Location::current());
Tensor constant(std::span<const float> values, const Shape& shape, DType dtype = DType::f32,
                Location location = Location::current());
Tensor constant(std::span<const std::int32_t> values, const Shape& shape, DType dtype = DType::i32,
                Location location = Location::current());
Tensor constant(std::span<const std::int64_t> values, const Shape& shape, DType dtype = DType::i64,
                Location location = Location::current());

template <class T>
requires std::same_as<T, double> || std::same_as<T, float> || std::same_as<T, std::int32_t> ||
    std::same_as<T, std::int64_t>
        Tensor constant(const std::vector<T>& values, Location location = Location::current()) {
  const Shape shape{static_cast<std::int64_t>(values.size())};
  constexpr DType kDType = std::same_as<T, std::int32_t>   ? DType::i32
                           : std::same_as<T, std::int64_t> ? DType::i64
                                                           : DType::f32;
  return constant(std::span<const T>(values), shape, kDType, location);
}

// All elements 0, all 1.
Tensor zeros(const Shape& shape, DType dtype = DType::f32, Location location = Location::current());
Tensor ones(const Shape& shape, DType dtype = DType::f32, Location location = Location::current());
// `value` in every element, in its dtype or the given one. Where it is a tensor its gradient is the sum of
// the output's.
Tensor fill(const Shape& shape, const Arg& value, std::optional<DType> dtype = std::nullopt);
// 0 or 1 in the shape and dtype of x; no gradient.
Tensor zeros_like(const Arg& x);
Tensor ones_like(const Arg& x);

// start, start + delta, ... below limit (above, for a negative delta), in the dtype of the bounds: int32 for
// whole numbers, float32 where one is real, a tensor's own. No gradient: the length depends on the values,
// which the host reads. Throws ValueError for a delta of 0, and for a symbolic bound while a function is
// traced. As an index it takes that part, see ops/slicing.h.
tapescope_inside::RangeTensor range(const Arg& start, const Arg& limit, const Arg& delta,
                                    std::optional<DType> dtype = std::nullopt,
                                    Location location = Location::current());
tapescope_inside::RangeTensor range(const Arg& start, const Arg& limit,
                                    Location location = Location::current());
tapescope_inside::RangeTensor range(const Arg& limit, std::optional<DType> dtype = std::nullopt,
                                    Location location = Location::current());
// `count` numbers from start to stop at equal distances, both included; one number is start. The bounds are
// floating scalars, whose gradients are g weighted by the distance to the other, or numbers.
Tensor linspace(const Arg& start, const Arg& stop, std::int64_t count,
                std::optional<DType> dtype = std::nullopt, Location location = Location::current());
// Ones on the main diagonal; square unless `columns` is given.
Tensor eye(std::int64_t rows, std::int64_t columns = -1, DType dtype = DType::f32,
           Location location = Location::current());

// Names one draw: the same key gives the same numbers on every machine and thread.
struct RandomKey {
  std::uint64_t seed = 0;
  std::uint64_t counter = 0;
};
// Sets the process's seed and restarts its counter.
void set_seed(std::uint64_t seed);
RandomKey next_random_key();
// Writes a key into the attributes of a row with OpDef::kRandom: an executor that runs the row again gives it
// the next key first.
void set_random_key(Attrs& attrs, RandomKey key);

// Draws of the process's generator (set_seed), counter-based: equal on every machine, whatever the threads.
// Uniform in [low, high); integer dtypes draw whole numbers, throw InvalidArgument where there is none and
// take no tensors as bounds. Bounds, mean and stddev may be tensors that broadcast to the shape: they have
// the gradients of draw (high - low) + low and draw stddev + mean. Nothing else has a gradient.
Tensor random_uniform(const Shape& shape, const Arg& low = 0, const Arg& high = 1, DType dtype = DType::f32,
                      Location location = Location::current());
Tensor random_normal(const Shape& shape, const Arg& mean = 0, const Arg& stddev = 1, DType dtype = DType::f32,
                     Location location = Location::current());
// Normal, redrawn until within two standard deviations.
Tensor truncated_normal(const Shape& shape, const Arg& mean = 0, const Arg& stddev = 1,
                        DType dtype = DType::f32, Location location = Location::current());
// The same with a given key: pure functions of it.
Tensor stateless_random_uniform(const Shape& shape, RandomKey key, double low = 0, double high = 1,
                                DType dtype = DType::f32, Location location = Location::current());
Tensor stateless_random_normal(const Shape& shape, RandomKey key, double mean = 0, double stddev = 1,
                               DType dtype = DType::f32, Location location = Location::current());
Tensor stateless_truncated_normal(const Shape& shape, RandomKey key, double mean = 0, double stddev = 1,
                                  DType dtype = DType::f32, Location location = Location::current());

}  // namespace tapescope
