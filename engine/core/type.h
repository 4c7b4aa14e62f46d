// Shapes, and tensor types: a dtype with a shape, interned once so that equality is one comparison.
#pragma once
#include <array>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <span>
#include <string>

#include "engine/core/dtype.h"
#include "engine/core/public.h"

namespace tapescope TAPESCOPE_PUBLIC {

inline constexpr int kMaxRank = 8;

// Sizes of up to eight dimensions, outermost first. A size of 0 is allowed.
class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<std::int64_t> dims) : Shape(std::span(dims.begin(), dims.size())) {}
  // Throws ValueError when there are more than eight dimensions or one is negative.
  explicit Shape(std::span<const std::int64_t> dims);

  int rank() const { return rank_; }
  std::int64_t operator[](int i) const { return dims_[i]; }
  std::int64_t& operator[](int i) { return dims_[i]; }
  std::span<const std::int64_t> dims() const { return {dims_.data(), static_cast<std::size_t>(rank_)}; }
  void push_back(std::int64_t dim);
  // Number of elements: 1 for rank 0.
  std::int64_t numel() const;
  bool operator==(const Shape& other) const;
  // "[64, 784]", "[]" for a scalar.
  std::string text() const;

 private:
  std::array<std::int64_t, kMaxRank> dims_{};
  int rank_ = 0;
};

// shape.text().
std::ostream& operator<<(std::ostream& to, const Shape& shape);

// One per distinct (dtype, shape); lives as long as the process. Compare by address.
struct Type {
  DType dtype;
  Shape shape;
  std::int64_t numel;
  std::int64_t bytes;
  std::uint32_t id;  // dense, from 0, in order of first use

  // "float32[64, 784]"
  std::string text() const;
};

// The type of that dtype and shape. Thread-safe; costs a hash look-up without a lock when it exists.
const Type* intern_type(DType dtype, const Shape& shape);
// The type with that id; null when there is none.
const Type* type_with_id(std::uint32_t id);

// The shape both broadcast to (NumPy's rule); throws InvalidArgument naming both shapes when there is none.
Shape broadcast_shapes(const Shape& a, const Shape& b);

}  // namespace tapescope
