// Arguments of ops: a tensor, a variable or a number, with the line it was passed on.
//
// Operators and functions take their tensors as `const Arg&`. The conversion happens where the program
// wrote the call, so that `a * b` carries that line without a macro or a trailing argument.
#pragma once
#include <concepts>

#include "engine/core/names.h"
#include "engine/core/tensor.h"

namespace tapescope {

class Variable;

class Arg {
 public:
  Arg(const Tensor& tensor, Location location = Location::current())
      : tensor_(&tensor), location_(location) {}
  // Reads the variable: a separate op on the tape. It is read when the op takes its operands, the first
  // one first, so that reads stand on the tape in the order of the text.
  Arg(const Variable& variable, Location location = Location::current());
  // A number takes the dtype of the tensors it meets; float32 when it meets none.
  template <class T>
  requires std::integral<T> || std::floating_point<T> Arg(T number, Location location = Location::current())
      : number_(static_cast<double>(number)), location_(location) {}
  Arg(const Arg&) = delete;
  Arg& operator=(const Arg&) = delete;

  bool is_number() const { return tensor_ == nullptr && variable_ == nullptr; }
  double number() const { return number_; }
  const Location& location() const { return location_; }
  // The tensor, or the number as a scalar of `dtype`. Throws ValueError for an absent tensor (None).
  const Tensor& tensor(DType dtype = DType::f32) const;

 private:
  mutable const Tensor* tensor_ = nullptr;
  mutable const Variable* variable_ = nullptr;
  Tensor (*read_)(const Variable&, const Location&) = nullptr;
  mutable Tensor held_;
  double number_ = 0;
  Location location_;
};

}  // namespace tapescope
