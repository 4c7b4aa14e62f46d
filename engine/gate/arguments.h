// Checks of plain-number arguments that the shape, index and nn families share.
#pragma once
#include <fmt/format.h>

#include "engine/core/error.h"
#include "engine/gate/apply.h"

namespace tapescope {

// Throws InvalidArgument with the op's name and the caller's line.
[[noreturn]] inline void refuse(std::string_view op, const std::string& message, const Location& location) {
  fail(ErrorKind::invalid_argument, op, message, &location);
}

// The axis counted from the front, for a tensor of `rank` dimensions.
inline int front_axis(std::string_view op, int axis, int rank, const Type& type, const Location& location) {
  if (axis < -rank || axis >= rank) {
    refuse(
        op,
        fmt::format("axis {} is out of range for {}, expected {} to {}", axis, type.text(), -rank, rank - 1),
        location);
  }
  return axis < 0 ? axis + rank : axis;
}
inline int front_axis(std::string_view op, int axis, const Tensor& x, const Location& location) {
  return front_axis(op, axis, x.rank(), x.type(), location);
}

// A borrowed list of inputs from tensors. Throws ValueError for an absent one, as apply does, and for none at
// all.
class InputList {
 public:
  InputList(std::string_view op, std::span<const Tensor> tensors, const Location& location)
      : size_(tensors.size()) {
    if (tensors.empty())
      fail(ErrorKind::value, op, "got an empty list, expected at least one tensor", &location);
    if (size_ > kInline) heap_ = new TensorImpl*[size_];
    TensorImpl** to = heap_ ? heap_ : inline_;
    for (const Tensor& tensor : tensors) *to++ = tensor.impl();
  }
  ~InputList() { delete[] heap_; }
  InputList(const InputList&) = delete;
  InputList& operator=(const InputList&) = delete;
  OpInputs inputs() const { return {heap_ ? heap_ : inline_, size_}; }

 private:
  static constexpr std::size_t kInline = 8;
  TensorImpl* inline_[kInline];
  TensorImpl** heap_ = nullptr;
  std::size_t size_;
};

// A number for an attribute, which hold 32 bits: no tensor has more elements along a dimension.
inline std::int64_t in_32_bits(std::string_view op, std::int64_t value, const Location& location) {
  if (value != static_cast<std::int32_t>(value))
    refuse(op, fmt::format("{} does not fit into 32 bits, as sizes and places must", value), location);
  return value;
}

inline Attrs attrs_of(std::string_view op, std::span<const std::int64_t> values, const Location& location) {
  Attrs attrs;
  for (std::int64_t value : values) attrs.push(in_32_bits(op, value, location));
  return attrs;
}

}  // namespace tapescope
