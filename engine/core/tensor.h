// Tensors: reference-counted, immutable once made, contiguous in row-major order.
//
// A view (reshape, a leading slice, a variable's snapshot) shares the elements of its base. An absent
// tensor stands for None. Tensors may be passed between threads; their elements are never written
// after the op that made them, except by the variable that solely owns them.
#pragma once
#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/error.h"
#include "engine/core/half.h"
#include "engine/core/ids.h"
#include "engine/core/names.h"
#include "engine/core/public.h"
#include "engine/core/type.h"

namespace tapescope TAPESCOPE_PUBLIC {

// What a tensor that is not plain data stands for: a traced symbol, a batch of tensors, a variable's handle,
// rows of a larger tensor (IndexedSlices).
struct TensorExtension {
  enum class Kind : std::uint8_t { symbol, batch, handle, slices } kind;
  explicit TensorExtension(Kind k) : kind(k) {}
  virtual ~TensorExtension() = default;
};

// The head of a tensor's block; owned elements follow it directly. One cache line.
struct TensorImpl {
  std::atomic<std::uint32_t> references;
  NameId name;
  TensorId id;
  const Type* type;
  void* data;
  TensorImpl* base;  // the tensor whose elements a view shares; holds a reference
  TensorExtension* extension;
  std::uint8_t size_class;
  std::uint8_t flags;
  std::uint8_t unused[14];

  static constexpr std::uint8_t kWatched = 1;  // watched by a tape: look the id up
};
static_assert(sizeof(TensorImpl) == 64);

// A new id for each of `count` tensors, consecutive; from a block of ids that the thread holds.
TensorId next_tensor_ids(int count);
// The id the thread would give next: orders what happens between ops.
TensorId peek_tensor_id();
// An uninitialized tensor of that type with a new id.
TensorImpl* new_tensor(const Type* type);
// A tensor of `type` over the elements of `base` from `data` on, with a new id; takes a reference to base's
// owner.
TensorImpl* new_view(TensorImpl* base, const Type* type, void* data);
void destroy_tensor(TensorImpl* impl);

class Index;
class Variable;

class Tensor {
 public:
  Tensor() = default;
  // The variable's present value, read by an op on that line: a variable goes wherever a tensor goes.
  Tensor(const Variable& variable, Location location = Location::current());
  // Takes over one reference.
  explicit Tensor(TensorImpl* impl) : impl_(impl) {}
  Tensor(const Tensor& other) : impl_(other.impl_) {
    if (impl_) impl_->references.fetch_add(1, std::memory_order_relaxed);
  }
  Tensor(Tensor&& other) noexcept : impl_(std::exchange(other.impl_, nullptr)) {}
  Tensor& operator=(Tensor other) noexcept {
    std::swap(impl_, other.impl_);
    return *this;
  }
  ~Tensor() {
    if (impl_ && impl_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy_tensor(impl_);
  }
  // Another reference to an impl that is already held.
  static Tensor share(TensorImpl* impl) {
    if (impl) impl->references.fetch_add(1, std::memory_order_relaxed);
    return Tensor(impl);
  }

  // False for None.
  explicit operator bool() const { return impl_ != nullptr; }
  TensorImpl* impl() const { return impl_; }
  TensorId id() const { return impl_ ? impl_->id : 0; }
  const Type& type() const { return *impl_->type; }
  DType dtype() const { return impl_->type->dtype; }
  const Shape& shape() const { return impl_->type->shape; }
  int rank() const { return impl_->type->shape.rank(); }
  std::int64_t dim(int i) const { return shape()[i < 0 ? i + rank() : i]; }
  std::int64_t numel() const { return impl_->type->numel; }
  std::int64_t bytes() const { return impl_->type->bytes; }

  // A part, as x[..] in Python: x[0], x[-1], x(all, 0), x(range(1, 3)), x(ellipsis, newaxis); ops/slicing.h.
  Tensor operator[](const Index& index) const;
  Tensor operator()(const Index& first) const;
  Tensor operator()(const Index& first, const Index& second) const;
  Tensor operator()(const Index& first, const Index& second, const Index& third) const;
  Tensor operator()(const Index& first, const Index& second, const Index& third, const Index& fourth) const;

  // The elements as they lie in memory, without any check or event.
  const void* raw() const { return impl_->data; }
  template <class T>
  const T* data() const {
    return static_cast<const T*>(impl_->data);
  }

  // A name for messages and panels, "images"; an unnamed tensor is called after its op and line. Leaves a
  // record.
  Tensor named(std::string_view name) const&;
  Tensor named(std::string_view name) &&;
  std::string_view name() const { return impl_ ? name_text(impl_->name) : std::string_view(); }

 private:
  TensorImpl* impl_ = nullptr;
};

// Called with each tensor that is given a name; set once, by what writes records.
using TensorNamed = void (*)(TensorId, NameId);
extern constinit TensorNamed tensor_named;

// Called with each tensor whose elements the program reads: the one at `i`, or all where i is negative. Set
// once, by what writes records.
using ElementsRead = void (*)(const Tensor&, std::int64_t i, const Location&);
extern constinit ElementsRead elements_read;

// Element i, row-major, as a double, of any dtype; leaves a record, since what is made of it no tape can
// follow. Throws ValueError where the tensor has no such element.
double element(const Tensor& tensor, std::int64_t i, Location location = Location::current());
// Every element as a double, row-major; leaves a record.
std::vector<double> elements(const Tensor& tensor, Location location = Location::current());

// The same for the library: no bounds check, no record.
double element_value(const Tensor& tensor, std::int64_t i);
std::vector<double> element_values(const Tensor& tensor);
// Writes element i of a tensor that no other code can read yet.
void set_element(TensorImpl* tensor, std::int64_t i, double value);

// New tensors from host values; programs use constant() of ops/ops.h, which also leaves an event.
// Throws ValueError when the number of values is not the shape's.
Tensor make_tensor(std::span<const double> values, const Shape& shape, DType dtype);
Tensor make_full(const Shape& shape, double value, DType dtype);
// Copies the type's number of bytes.
Tensor make_from_bytes(DType dtype, const Shape& shape, const void* bytes);

// "[[1, 2], [3, 4]]", at most `limit` elements, the rest as "…".
std::string values_text(const Tensor& tensor, std::int64_t limit = 64);
// values_text() and the type: "[1, 2] float32[2]"; "None" for an absent tensor. Leaves no record.
std::ostream& operator<<(std::ostream& to, const Tensor& tensor);

}  // namespace tapescope
