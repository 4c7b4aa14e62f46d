// Arguments of ops: a tensor, a variable or a number, with the line it was passed on.
//
// Operators and functions take their tensors as `const Arg&`. The conversion happens where the program
// wrote the call, so that `a * b` carries that line without a macro or a trailing argument.
#pragma once
#include <concepts>
#include <string_view>

#include "engine/core/names.h"
#include "engine/core/public.h"
#include "engine/core/tensor.h"
#include "engine/core/values.h"

namespace tapescope TAPESCOPE_PUBLIC {

class Variable;

class Arg {
 public:
  Arg(const Tensor& tensor, Location location = Location::current())
      : tensor_(&tensor), location_(location) {}
  // Reads the variable: a separate op on the tape. It is read when the op takes its operands, the first
  // one first, so that reads stand on the tape in the order of the text.
  Arg(const Variable& variable, Location location = Location::current());
  // A number takes the dtype of the tensor it meets, as in TensorFlow: a whole number any, a bool any, a real
  // one a floating dtype only. Where it meets none it is int32 (int64 beyond that), bool or float32.
  template <class T>
  requires std::integral<T> || std::floating_point<T> Arg(T number, Location location = Location::current())
      : is_number_(true), number_(number), location_(location) {}
  Arg(const Arg&) = delete;
  Arg& operator=(const Arg&) = delete;

  bool is_number() const { return is_number_; }
  const tapescope_inside::Number& number() const { return number_; }
  const Location& location() const { return location_; }
  // The tensor, or the number as a scalar. Throws ValueError for an absent tensor (None).
  const Tensor& tensor() const;
  // The number as a scalar of `dtype`; a tensor keeps its own. Throws TypeError, in the name of `op`, for a
  // number that is none of that dtype: 0.5 of int32.
  const Tensor& tensor(DType dtype, std::string_view op = "argument") const;

 private:
  const Tensor& made(DType dtype) const;
  mutable const Tensor* tensor_ = nullptr;
  mutable const Variable* variable_ = nullptr;
  Tensor (*read_)(const Variable&, const Location&) = nullptr;
  mutable Tensor held_;
  bool is_number_ = false;
  tapescope_inside::Number number_;
  Location location_;
};

namespace tapescope_inside {

// The dtype of a number that meets no tensor, and of two that meet each other.
DType dtype_of(const Number& number);
DType common_dtype(const Number& a, const Number& b);
// Whether the dtype has the number without a change that TensorFlow refuses.
bool fits(const Number& number, DType dtype);
// Throws TypeError unless it fits.
void check_fits(const Number& number, DType dtype, std::string_view op, const Location& location);
// Writes element i of a tensor that no other code can read yet; int64 keeps all digits.
void set_number(TensorImpl* tensor, std::int64_t i, const Number& number);

}  // namespace tapescope_inside

}  // namespace tapescope
