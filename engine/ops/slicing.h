// Parts of tensors and variables, as x[..] in Python:
//
//   x[0]   x[-1]   x(0, 1)   x(all, 0)   x(ellipsis, -1)   x(range(1, 3))   x(all, newaxis)   x[x > 0.0]
//   x(range(1, nullopt))   x(range(nullopt, -1))   x(range(nullopt, nullopt, 2))       x[1:], x[:-1], x[::2]
//
// Results and gradients are those of strided_slice: a range beyond an end takes what is there, an index
// beyond it throws InvalidArgument. A scalar int32 or int64 tensor as index picks by gather and gets no
// gradient. A boolean tensor alone takes the elements where it is true, as boolean_mask. Throws TypeError for
// other tensors.
#pragma once
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>

#include "engine/core/public.h"
#include "engine/gate/arg.h"

namespace tapescope TAPESCOPE_PUBLIC {

namespace tapescope_inside {

struct IndexWord {
  enum class Kind : std::uint8_t { all, newaxis, ellipsis } kind;
};
// A range whose ends may be open, for slices alone.
struct OpenRange {
  std::optional<std::int64_t> begin, end;
  std::int64_t step = 1;
};
// What range() makes: a tensor that remembers the numbers it was made of, so that it can be a slice.
class RangeTensor : public Tensor {
 public:
  RangeTensor(Tensor tensor) : Tensor(std::move(tensor)) {}
  RangeTensor(Tensor tensor, const OpenRange& bounds) : Tensor(std::move(tensor)), bounds_(bounds) {}
  // None where a bound was a tensor or not whole.
  const std::optional<OpenRange>& bounds() const { return bounds_; }

 private:
  std::optional<OpenRange> bounds_;
};

}  // namespace tapescope_inside

// Words among indices: a whole dimension, a new one of size 1, all dimensions that are not mentioned. They
// are functions, as std::endl is, so that a program's own function of that name is another overload.
inline tapescope_inside::IndexWord all(tapescope_inside::IndexWord) {
  return {tapescope_inside::IndexWord::Kind::all};
}
inline tapescope_inside::IndexWord newaxis(tapescope_inside::IndexWord) {
  return {tapescope_inside::IndexWord::Kind::newaxis};
}
inline tapescope_inside::IndexWord ellipsis(tapescope_inside::IndexWord) {
  return {tapescope_inside::IndexWord::Kind::ellipsis};
}

inline tapescope_inside::OpenRange range(std::int64_t begin, std::nullopt_t, std::int64_t step = 1) {
  return {begin, std::nullopt, step};
}
inline tapescope_inside::OpenRange range(std::nullopt_t, std::int64_t end, std::int64_t step = 1) {
  return {std::nullopt, end, step};
}
inline tapescope_inside::OpenRange range(std::nullopt_t, std::nullopt_t, std::int64_t step = 1) {
  return {std::nullopt, std::nullopt, step};
}

// One of the indices in x(..); lives as long as the call it is written in.
class Index {
 public:
  enum class Kind : std::uint8_t { position, range, word, tensor };

  template <std::integral T>
  requires(!std::same_as<T, bool>) Index(T position, Location location = Location::current())
      : position_(static_cast<std::int64_t>(position)), location_(location) {}
  template <std::floating_point T>
  Index(T an_index_is_a_whole_number, Location location = Location::current()) = delete;
  Index(tapescope_inside::IndexWord (*word)(tapescope_inside::IndexWord),
        Location location = Location::current())
      : kind_(Kind::word), word_(word({}).kind), location_(location) {}
  Index(const tapescope_inside::OpenRange& range, Location location = Location::current())
      : kind_(Kind::range), range_(range), location_(location) {}
  Index(const tapescope_inside::RangeTensor& range, Location location = Location::current())
      : kind_(range.bounds() ? Kind::range : Kind::tensor), tensor_(range), location_(location) {
    if (range.bounds()) range_ = *range.bounds();
  }
  Index(const Tensor& tensor, Location location = Location::current())
      : kind_(Kind::tensor), tensor_(tensor), location_(location) {}
  Index(const Variable& variable, Location location = Location::current())
      : Index(Tensor(variable, location), location) {}

  Kind kind() const { return kind_; }
  std::int64_t position() const { return position_; }
  const tapescope_inside::OpenRange& range() const { return range_; }
  tapescope_inside::IndexWord::Kind word() const { return word_; }
  const Tensor& tensor() const { return tensor_; }
  const Location& location() const { return location_; }

 private:
  Kind kind_ = Kind::position;
  tapescope_inside::IndexWord::Kind word_ = tapescope_inside::IndexWord::Kind::all;
  std::int64_t position_ = 0;
  tapescope_inside::OpenRange range_;
  Tensor tensor_;
  Location location_;
};

// x at these indices, one for each of its first dimensions.
Tensor index(const Arg& x, std::initializer_list<const Index*> indices);

}  // namespace tapescope
