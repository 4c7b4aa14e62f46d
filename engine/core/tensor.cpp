// Blocks of tensors, their ids, and access to elements by value.
#include "engine/core/tensor.h"

#include <fmt/format.h>

#include <cstring>
#include <new>

#include "engine/core/pool.h"
#include "engine/core/slices.h"
#include "engine/core/tensor_death.h"
#include "engine/core/tensor_ids.h"

namespace tapescope {
namespace {

// Ids are taken from the shared counter in blocks, so that threads do not meet there at every op. A block
// begins one after a multiple of its size and is one thread's alone: readers of records learn from an id
// which thread made it.
constexpr std::uint64_t kIdBlock = 1024;
constinit std::atomic<TensorId> g_next_ids{1};
struct Ids {
  TensorId next = 0;
  TensorId end = 0;
};
constinit thread_local Ids t_ids;

TensorId take_block(std::uint64_t count) {
  const std::uint64_t size = count > kIdBlock ? (count + kIdBlock - 1) / kIdBlock * kIdBlock : kIdBlock;
  const TensorId first = g_next_ids.fetch_add(size, std::memory_order_relaxed);
  t_ids = {first + count, first + size};
  return first;
}

TensorImpl* new_head(const Type* type, std::size_t bytes) {
  const PoolBlock block = pool_acquire(bytes);
  TensorImpl* impl = new (block.memory) TensorImpl;
  impl->references.store(1, std::memory_order_relaxed);
  impl->name = 0;
  impl->id = next_tensor_ids(1);
  impl->type = type;
  impl->data = impl + 1;
  impl->base = nullptr;
  impl->extension = nullptr;
  impl->size_class = block.size_class;
  impl->flags = 0;
  return impl;
}

}  // namespace

TensorId next_tensor_ids(int count) {
  const TensorId first = t_ids.next;
  const TensorId next = first + static_cast<TensorId>(count);
  if (next > t_ids.end) [[unlikely]]
    return take_block(static_cast<std::uint64_t>(count));
  t_ids.next = next;
  return first;
}

// A used-up block is followed by a new one at once: the id returned here must not become another thread's.
TensorId peek_tensor_id() {
  if (t_ids.next == t_ids.end) take_block(0);
  return t_ids.next;
}

TensorId begin_tensor_ids() {
  take_block(0);
  return t_ids.next;
}

TensorImpl* new_tensor(const Type* type) {
  return new_head(type, sizeof(TensorImpl) + static_cast<std::size_t>(type->bytes));
}

TensorImpl* new_view(TensorImpl* base, const Type* type, void* data) {
  TensorImpl* owner = base->base ? base->base : base;
  owner->references.fetch_add(1, std::memory_order_relaxed);
  TensorImpl* impl = new_head(type, sizeof(TensorImpl));
  impl->data = data;
  impl->base = owner;
  return impl;
}

// A loop, not a recursion: the owner a view let go of may be the last one's to destroy.
void destroy_tensor(TensorImpl* impl) {
  while (impl) {
    TensorImpl* base = impl->base;
    if (impl->flags & kTellDeath) tensor_died(impl->id);
    delete impl->extension;
    pool_release({impl, impl->size_class});
    impl = base && base->references.fetch_sub(1, std::memory_order_acq_rel) == 1 ? base : nullptr;
  }
}

constinit TensorNamed tensor_named = nullptr;
constinit ElementsRead elements_read = nullptr;
constinit TensorDied tensor_died = nullptr;

Tensor Tensor::named(std::string_view name) const& { return Tensor(*this).named(name); }

Tensor Tensor::named(std::string_view name) && {
  if (impl_) {
    impl_->name = intern_name(name);
    if (tensor_named) tensor_named(impl_->id, impl_->name);
  }
  return std::move(*this);
}

namespace {

[[noreturn]] void refuse_none(std::string_view what) {
  fail(ErrorKind::value, what,
       "the tensor is None and has no values; a gradient is None where nothing connects it, as the tape's "
       "explain() says");
}

}  // namespace

double element(const Tensor& tensor, std::int64_t i, Location location) {
  if (tensor && (i < 0 || i >= tensor.numel())) [[unlikely]]
    fail(ErrorKind::value, "element",
         fmt::format("the tensor has {} elements, from 0 on, and none at {}", tensor.numel(), i), &location);
  const double value = element_value(tensor, i);
  if (elements_read) elements_read(tensor, i, location);
  return value;
}

std::vector<double> elements(const Tensor& tensor, Location location) {
  std::vector<double> values = element_values(tensor);
  if (elements_read) elements_read(tensor, -1, location);
  return values;
}

double element_value(const Tensor& tensor, std::int64_t i) {
  if (!tensor) [[unlikely]]
    refuse_none("element");
  if (!tensor.raw()) [[unlikely]] {
    if (const SlicesExtension* slices = slices_of(tensor.impl()))
      return slices_element(*slices, tensor.type(), i);
    fail(ErrorKind::attribute, "element",
         "the tensor is symbolic and has no values while its function is traced");
  }
  switch (tensor.dtype()) {
    case DType::f32: return tensor.data<float>()[i];
    case DType::f64: return tensor.data<double>()[i];
    case DType::f16: return tensor.data<Half>()[i];
    case DType::bf16: return tensor.data<BFloat16>()[i];
    case DType::i32: return tensor.data<std::int32_t>()[i];
    case DType::i64: return static_cast<double>(tensor.data<std::int64_t>()[i]);
    case DType::boolean: return tensor.data<std::uint8_t>()[i] != 0;
    case DType::resource: break;
  }
  fail(ErrorKind::type, "element", "a resource tensor has no elements");
}

void set_element(TensorImpl* tensor, std::int64_t i, double value) {
  switch (tensor->type->dtype) {
    case DType::f32: static_cast<float*>(tensor->data)[i] = static_cast<float>(value); return;
    case DType::f64: static_cast<double*>(tensor->data)[i] = value; return;
    case DType::f16: static_cast<Half*>(tensor->data)[i] = Half(static_cast<float>(value)); return;
    case DType::bf16: static_cast<BFloat16*>(tensor->data)[i] = BFloat16(static_cast<float>(value)); return;
    case DType::i32: static_cast<std::int32_t*>(tensor->data)[i] = static_cast<std::int32_t>(value); return;
    case DType::i64: static_cast<std::int64_t*>(tensor->data)[i] = static_cast<std::int64_t>(value); return;
    case DType::boolean: static_cast<std::uint8_t*>(tensor->data)[i] = value != 0; return;
    case DType::resource: break;
  }
  fail(ErrorKind::type, "element", "a resource tensor has no elements");
}

std::vector<double> element_values(const Tensor& tensor) {
  if (!tensor) refuse_none("elements");
  if (const SlicesExtension* slices = slices_of(tensor.impl()))
    return slices_elements(*slices, tensor.type());
  std::vector<double> values(static_cast<std::size_t>(tensor.numel()));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = element_value(tensor, static_cast<std::int64_t>(i));
  return values;
}

Tensor make_tensor(std::span<const double> values, const Shape& shape, DType dtype) {
  const Type* type = intern_type(dtype, shape);
  if (static_cast<std::int64_t>(values.size()) != type->numel) {
    fail(ErrorKind::value, "constant",
         fmt::format("{} needs {} values, got {}", type->text(), type->numel, values.size()));
  }
  Tensor tensor(new_tensor(type));
  for (std::size_t i = 0; i < values.size(); ++i)
    set_element(tensor.impl(), static_cast<std::int64_t>(i), values[i]);
  return tensor;
}

Tensor make_full(const Shape& shape, double value, DType dtype) {
  Tensor tensor(new_tensor(intern_type(dtype, shape)));
  if (tensor.numel() == 0) return tensor;
  // One element is converted, then copied in steps that double.
  set_element(tensor.impl(), 0, value);
  char* data = static_cast<char*>(tensor.impl()->data);
  const std::size_t total = static_cast<std::size_t>(tensor.bytes());
  for (std::size_t done = size_of(dtype); done < total; done *= 2) {
    std::memcpy(data + done, data, done < total - done ? done : total - done);
  }
  return tensor;
}

Tensor make_from_bytes(DType dtype, const Shape& shape, const void* bytes) {
  Tensor tensor(new_tensor(intern_type(dtype, shape)));
  if (tensor.bytes() > 0) std::memcpy(tensor.impl()->data, bytes, static_cast<std::size_t>(tensor.bytes()));
  return tensor;
}

}  // namespace tapescope
