// Operands: variables are read, numbers become scalars of a dtype that has them.
#include "engine/gate/arg.h"

#include <limits>

#include <fmt/format.h>

#include "engine/core/error.h"
#include "engine/events/records/tensors.h"
#include "engine/gate/op_record.h"
#include "engine/gate/state.h"

namespace tapescope {
namespace {

using tapescope_inside::Number;

std::string text_of(const Number& number) {
  switch (number.kind()) {
    case Number::Kind::boolean: return number.whole() ? "true" : "false";
    case Number::Kind::whole: return fmt::format("{}", number.whole());
    case Number::Kind::real: break;
  }
  // A real number shows that it is one: "2.0".
  std::string text = fmt::format("{}", number.real());
  return text.find_first_of(".en") == text.npos ? text + ".0" : text;
}

bool within_int32(std::int64_t whole) {
  return whole >= std::numeric_limits<std::int32_t>::min() &&
         whole <= std::numeric_limits<std::int32_t>::max();
}

}  // namespace

DType tapescope_inside::dtype_of(const Number& number) {
  switch (number.kind()) {
    case Number::Kind::boolean: return DType::boolean;
    case Number::Kind::whole: return within_int32(number.whole()) ? DType::i32 : DType::i64;
    case Number::Kind::real: break;
  }
  return DType::f32;
}

DType tapescope_inside::common_dtype(const Number& a, const Number& b) {
  if (a.is_real() || b.is_real()) return DType::f32;
  const DType of_a = dtype_of(a), of_b = dtype_of(b);
  if (of_a == DType::i64 || of_b == DType::i64) return DType::i64;
  return of_a == DType::boolean ? of_b : of_a;
}

bool tapescope_inside::fits(const Number& number, DType dtype) {
  if (is_floating(dtype)) return true;
  switch (number.kind()) {
    case Number::Kind::boolean: return dtype != DType::resource;
    case Number::Kind::whole:
      return dtype == DType::i64 || (dtype == DType::i32 && within_int32(number.whole()));
    case Number::Kind::real: break;
  }
  return false;
}

void tapescope_inside::check_fits(const Number& number, DType dtype, std::string_view op,
                                  const Location& location) {
  if (fits(number, dtype)) return;
  const std::string_view remedy =
      dtype == DType::boolean ? "write true or false, or compare with a number"
      : number.is_real()
          ? "cast the tensor to a floating dtype first, cast(x, DType::f32), or write a whole number"
          : "cast the tensor to a wider dtype first, cast(x, DType::i64)";
  fail(
      ErrorKind::type, op,
      fmt::format("cannot convert {} to {}, the dtype it meets; {}", text_of(number), name_of(dtype), remedy),
      &location);
}

void tapescope_inside::set_number(TensorImpl* tensor, std::int64_t i, const Number& number) {
  if (tensor->type->dtype == DType::i64 && !number.is_real())
    static_cast<std::int64_t*>(tensor->data)[i] = number.whole();
  else set_element(tensor, i, number.real());
}

const Tensor& Arg::made(DType dtype) const {
  held_ = Tensor(new_tensor(intern_type(dtype, Shape{})));
  tapescope_inside::set_number(held_.impl(), 0, number_);
  tensor_ = &held_;
  ThreadState& ts = state();
  if (ts.in_flight()) ts.flight.made(held_);
  if (ts.listen.load(std::memory_order_relaxed) & kListenEvents) {
    ts.note(CreateRecord{.is_number = 1,
                         .mark = values_mark(held_),
                         .site = intern_site(location_, ts.scope),
                         .tensor = held_.id(),
                         .type = held_.type().id,
                         .order = held_.id()});
  }
  return held_;
}

const Tensor& Arg::tensor() const {
  if (variable_) {
    held_ = read_(*variable_, location_);
    variable_ = nullptr;
    tensor_ = &held_;
  }
  if (!tensor_) return made(tapescope_inside::dtype_of(number_));
  if (!*tensor_) {
    fail(ErrorKind::value, "argument",
         "got None (a gradient that does not exist, or a tensor never made) where a tensor is expected; "
         "test the tensor before using it",
         &location_);
  }
  return *tensor_;
}

const Tensor& Arg::tensor(DType dtype, std::string_view op) const {
  if (!is_number_ || tensor_) return tensor();
  tapescope_inside::check_fits(number_, dtype, op, location_);
  return made(dtype);
}

}  // namespace tapescope
