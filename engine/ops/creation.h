// Tensors from host values, filled tensors, number sequences and random numbers.
//
// Tensors made of nothing leave a create record, not an op: no tape follows them and no gradient passes.
#pragma once
#include <concepts>
#include <initializer_list>
#include <span>

#include "engine/gate/apply.h"

namespace tapescope {

// A number or a nested list of numbers, as in constant({{1, 2}, {3, 4}}). Lives as long as the call it is
// written in.
class Values {
 public:
  template <class T>
  requires std::integral<T> || std::floating_point<T>
  constexpr Values(T number) : number_(static_cast<double>(number)) {}
  constexpr Values(std::initializer_list<Values> items)
      : items_(std::data(items)), count_(items.size()), is_list_(true) {}

  bool is_list() const { return is_list_; }
  double number() const { return number_; }
  std::span<const Values> items() const { return {items_, count_}; }

 private:
  double number_ = 0;
  const Values* items_ = nullptr;
  std::size_t count_ = 0;
  bool is_list_ = false;
};

// A tensor of these values; the nesting gives the shape. Throws ValueError for lists of unequal lengths.
Tensor constant(const Values& values, DType dtype = DType::f32, Location location = Location::current());
// The values, row-major, in that shape; a single number fills it. Throws ValueError when the counts differ.
Tensor constant(const Values& values, const Shape& shape, DType dtype = DType::f32,
                Location location = Location::current());
Tensor constant(std::span<const double> values, const Shape& shape, DType dtype = DType::f32,
                Location location = Location::current());
Tensor constant(std::span<const float> values, const Shape& shape, DType dtype = DType::f32,
                Location location = Location::current());
Tensor constant(std::span<const std::int32_t> values, const Shape& shape, DType dtype = DType::i32,
                Location location = Location::current());
Tensor constant(std::span<const std::int64_t> values, const Shape& shape, DType dtype = DType::i64,
                Location location = Location::current());

// All elements 0, all 1.
Tensor zeros(const Shape& shape, DType dtype = DType::f32, Location location = Location::current());
Tensor ones(const Shape& shape, DType dtype = DType::f32, Location location = Location::current());
// `value` in every element. A tensor is taken as a scalar, and its gradient is the sum of the output's.
Tensor fill(const Shape& shape, const Arg& value, DType dtype = DType::f32);
// 0 or 1 in the shape and dtype of x; no gradient.
Tensor zeros_like(const Arg& x);
Tensor ones_like(const Arg& x);

// start, start + delta, ... below limit (above, for a negative delta). Throws ValueError for a delta of 0.
Tensor range(double start, double limit, double delta = 1, DType dtype = DType::i32,
             Location location = Location::current());
Tensor range(double limit, DType dtype = DType::i32, Location location = Location::current());
// `count` numbers from start to stop at equal distances, both included; one number is start.
Tensor linspace(double start, double stop, int count, DType dtype = DType::f32,
                Location location = Location::current());
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
// No gradient. Uniform in [low, high); integer dtypes draw whole numbers and throw InvalidArgument where
// there is none.
Tensor random_uniform(const Shape& shape, double low = 0, double high = 1, DType dtype = DType::f32,
                      Location location = Location::current());
Tensor random_normal(const Shape& shape, double mean = 0, double stddev = 1, DType dtype = DType::f32,
                     Location location = Location::current());
// Normal, redrawn until within two standard deviations.
Tensor truncated_normal(const Shape& shape, double mean = 0, double stddev = 1, DType dtype = DType::f32,
                        Location location = Location::current());
// The same with a given key: pure functions of it.
Tensor stateless_random_uniform(const Shape& shape, RandomKey key, double low = 0, double high = 1,
                                DType dtype = DType::f32, Location location = Location::current());
Tensor stateless_random_normal(const Shape& shape, RandomKey key, double mean = 0, double stddev = 1,
                               DType dtype = DType::f32, Location location = Location::current());
Tensor stateless_truncated_normal(const Shape& shape, RandomKey key, double mean = 0, double stddev = 1,
                                  DType dtype = DType::f32, Location location = Location::current());

}  // namespace tapescope
