// Tensors as rows of their last axis, in the type that the kernels of softmax compute in.
#pragma once
#include <optional>

#include "engine/kernels/map.h"
#include "engine/ops/dispatch.h"

namespace tapescope {

// One operand of a kernel; half types are widened to float32.
template <class T>
class RowsIn {
 public:
  using W = Accumulator<T>;
  RowsIn(const void* from, const Type& type) : data_(static_cast<const W*>(from)) {
    if constexpr (!std::is_same_v<T, W>) {
      wide_.emplace(static_cast<std::size_t>(type.numel));
      kernels::convert(type.dtype, from, DType::f32, wide_->data(), type.numel);
      data_ = wide_->data();
    }
  }
  const W* data() const { return data_; }

 private:
  const W* data_;
  std::optional<ScratchArray<W>> wide_;
};

// One result; half types are rounded where it ends.
template <class T>
class RowsOut {
 public:
  using W = Accumulator<T>;
  RowsOut(void* to, const Type& type) : to_(to), type_(type) {
    if constexpr (!std::is_same_v<T, W>) wide_.emplace(static_cast<std::size_t>(type.numel));
  }
  ~RowsOut() {
    if constexpr (!std::is_same_v<T, W>)
      kernels::convert(DType::f32, wide_->data(), type_.dtype, to_, type_.numel);
  }
  RowsOut(const RowsOut&) = delete;
  RowsOut& operator=(const RowsOut&) = delete;
  W* data() {
    if constexpr (!std::is_same_v<T, W>) return wide_->data();
    else return static_cast<W*>(to_);
  }

 private:
  void* to_;
  const Type& type_;
  std::optional<ScratchArray<W>> wide_;
};

// Calls body(T(), rows, n) once, unless there is no element.
template <class Body>
void with_rows(const Type& type, Body body) {
  if (type.numel == 0) return;
  const std::int64_t n = type.shape[type.shape.rank() - 1];
  dispatch_floating(type.dtype, [&]<class T>(T) { body(T{}, type.numel / n, n); });
}

}  // namespace tapescope
