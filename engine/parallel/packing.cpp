// Copies, and the conversions of half types.
#include "engine/parallel/packing.h"

#include <cstring>

#include "engine/core/half.h"

namespace tapescope::parallel {
namespace {

void widen(DType dtype, const void* from, float* to, std::int64_t count) {
  const auto* x = static_cast<const std::uint16_t*>(from);
  for (std::int64_t i = 0; i < count; ++i)
    to[i] = dtype == DType::f16 ? half_to_float(x[i]) : bfloat_to_float(x[i]);
}

void narrow(DType dtype, const float* from, void* to, std::int64_t count) {
  auto* y = static_cast<std::uint16_t*>(to);
  for (std::int64_t i = 0; i < count; ++i)
    y[i] = dtype == DType::f16 ? float_to_half(from[i]) : float_to_bfloat(from[i]);
}

void copy(const void* from, void* to, std::int64_t bytes) {
  if (bytes > 0) std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

template <class T>
void divide_all(void* elements, std::int64_t count, int by) {
  auto* y = static_cast<T*>(elements);
  const T divisor = static_cast<T>(by);
  for (std::int64_t i = 0; i < count; ++i) y[i] /= divisor;
}

}  // namespace

Tensor packed(OpInputs tensors) {
  const DType dtype = tensors[0]->type->dtype, inside = is_half(dtype) ? DType::f32 : dtype;
  std::int64_t count = 0;
  for (const TensorImpl* tensor : tensors) count += tensor->type->numel;
  Tensor flat(new_tensor(intern_type(inside, {count})));
  auto* to = static_cast<char*>(flat.impl()->data);
  for (const TensorImpl* tensor : tensors) {
    if (is_half(dtype)) widen(dtype, tensor->data, reinterpret_cast<float*>(to), tensor->type->numel);
    else copy(tensor->data, to, tensor->type->bytes);
    to += static_cast<std::size_t>(tensor->type->numel) * size_of(inside);
  }
  return flat;
}

void unpack(const Tensor& flat, std::span<Tensor> tensors) {
  const char* from = static_cast<const char*>(flat.raw());
  for (Tensor& tensor : tensors) {
    const Type& type = tensor.type();
    if (is_half(type.dtype))
      narrow(type.dtype, reinterpret_cast<const float*>(from), tensor.impl()->data, type.numel);
    else copy(from, tensor.impl()->data, type.bytes);
    from += static_cast<std::size_t>(type.numel) * size_of(flat.dtype());
  }
}

void divide(const Tensor& tensor, int by) {
  void* elements = tensor.impl()->data;
  if (tensor.dtype() == DType::f32) divide_all<float>(elements, tensor.numel(), by);
  else divide_all<double>(elements, tensor.numel(), by);
}

}  // namespace tapescope::parallel
