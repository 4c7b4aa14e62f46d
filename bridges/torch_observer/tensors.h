// Ids and types of PyTorch's tensors. A tensor is known by its implementation's address, which a weak
// reference keeps from becoming another's.
#pragma once
#include <ATen/core/TensorBase.h>
#include <c10/core/TensorImpl.h>
#include <c10/util/intrusive_ptr.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "bridges/native/tapescope_table.h"

namespace tapescope_observer {

// The name of a type of elements as the C interface wants it.
inline const char* name_of(c10::ScalarType type) {
  switch (type) {
    case c10::ScalarType::Float: return "float32";
    case c10::ScalarType::Double: return "float64";
    case c10::ScalarType::Half: return "float16";
    case c10::ScalarType::BFloat16: return "bfloat16";
    case c10::ScalarType::Int: return "int32";
    case c10::ScalarType::Long: return "int64";
    case c10::ScalarType::Short: return "int16";
    case c10::ScalarType::Char: return "int8";
    case c10::ScalarType::Byte: return "uint8";
    case c10::ScalarType::Bool: return "bool";
    case c10::ScalarType::ComplexFloat: return "complex64";
    case c10::ScalarType::ComplexDouble: return "complex128";
    default: return "variant";
  }
}

struct Operand {
  tapescope_tensor id = 0;
  std::uint32_t type = 0;
};

class Types {
 public:
  explicit Types(const tapescope_table& table) : table_(table) {}

  std::uint32_t of(const at::TensorBase& tensor) {
    const c10::TensorImpl* const impl = tensor.unsafeGetTensorImpl();
    if (impl->has_symbolic_sizes_strides() || tensor.is_nested()) return table_.type("variant", 0, nullptr);
    const c10::IntArrayRef sizes = tensor.sizes();
    if (sizes.size() > kMostSizes)
      return table_.type(name_of(tensor.scalar_type()), static_cast<int>(sizes.size()), sizes.data());
    std::uint64_t hash = static_cast<std::uint64_t>(tensor.scalar_type()) + sizes.size() * 64;
    for (const std::int64_t size : sizes)
      hash = (hash ^ static_cast<std::uint64_t>(size)) * 0x9e3779b97f4a7c15ull;
    Entry& entry = entries_[hash >> 54];
    if (entry.rank == sizes.size() && entry.dtype == tensor.scalar_type() &&
        std::equal(sizes.begin(), sizes.end(), entry.sizes.begin()))
      return entry.id;
    entry.dtype = tensor.scalar_type();
    entry.rank = sizes.size();
    std::copy(sizes.begin(), sizes.end(), entry.sizes.begin());
    return entry.id = table_.type(name_of(entry.dtype), static_cast<int>(sizes.size()), sizes.data());
  }

 private:
  static constexpr std::size_t kMostSizes = 6;
  struct Entry {
    c10::ScalarType dtype = c10::ScalarType::Undefined;
    std::size_t rank = kMostSizes + 1;  // of no type
    std::array<std::int64_t, kMostSizes> sizes{};
    std::uint32_t id = 0;
  };
  const tapescope_table& table_;
  std::array<Entry, 1024> entries_;
};

// One table for all threads; the caller holds the lock.
class Tensors {
 public:
  struct Slot {
    c10::TensorImpl* impl = nullptr;
    Operand known;
    std::uint32_t tape = 0;  // that a leaf was put on last
    bool leaf = false;       // that wants a gradient: a parameter
    bool named = false;      // the program was asked for its name, which is empty where it has none
    std::uint32_t name = 0;
  };

  Tensors() : slots_(kLeast) {}
  ~Tensors() { clear(); }

  Slot* find(c10::TensorImpl* impl) {
    Slot* const slot = place_for(impl);
    return slot->impl ? slot : nullptr;
  }

  // As put(), for what an op made: a parameter that it wrote into stays what it is. Forgets what was made a
  // few ops ago and is gone, so that its memory is soon used again.
  void put_made(c10::TensorImpl* impl, Operand known) {
    Slot* const place = place_for(impl);
    if (place->impl && place->leaf) return;
    fill(place, impl, known);
    c10::TensorImpl*& before = made_[next_made_++ % std::size(made_)];
    if (before != impl && before) erase_if_gone(before);
    before = impl;
  }

  Slot& put(c10::TensorImpl* impl, Operand known) { return *fill(place_for(impl), impl, known); }

  void clear() {
    for (Slot& slot : slots_)
      if (slot.impl) c10::raw::weak_intrusive_ptr::decref(slot.impl);
    slots_.assign(kLeast, {});
    used_ = 0;
  }

 private:
  static constexpr std::size_t kLeast = 1024;  // what is gone is let go of soon; a power of two

  static bool alive(c10::TensorImpl* impl) { return c10::raw::weak_intrusive_ptr::use_count(impl) > 0; }
  std::size_t place(const c10::TensorImpl* impl) const {
    return (reinterpret_cast<std::uintptr_t>(impl) * 0x9e3779b97f4a7c15ull >> 32) & (slots_.size() - 1);
  }
  // Its own slot, or the free one that it would get.
  Slot* place_for(const c10::TensorImpl* impl) {
    std::size_t at = place(impl);
    while (slots_[at].impl && slots_[at].impl != impl) at = (at + 1) & (slots_.size() - 1);
    return &slots_[at];
  }
  Slot* fill(Slot* slot, c10::TensorImpl* impl, Operand known) {
    if (slot->impl) {
      slot->known = known;
      slot->named = false;
      return slot;
    }
    if (2 * ++used_ > slots_.size()) {
      sweep();
      slot = place_for(impl);
    }
    c10::raw::weak_intrusive_ptr::incref(impl);
    slot->impl = impl;  // a free slot is an empty one
    slot->known.id = known.id;
    slot->known.type = known.type;
    return slot;
  }
  void erase_if_gone(c10::TensorImpl* impl) {
    const Slot* const known = find(impl);
    if (!known || alive(impl)) return;
    const std::size_t mask = slots_.size() - 1;
    std::size_t hole = static_cast<std::size_t>(known - slots_.data());
    for (std::size_t at = (hole + 1) & mask; slots_[at].impl; at = (at + 1) & mask) {
      // One whose own place lies behind the hole stays where it is.
      if (((at - place(slots_[at].impl)) & mask) < ((at - hole) & mask)) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole] = {};
    --used_;
    c10::raw::weak_intrusive_ptr::decref(impl);
  }
  // Forgets tensors that are gone.
  void sweep() {
    std::vector<Slot> before;
    before.swap(slots_);
    std::size_t live = 0;
    for (const Slot& slot : before) live += slot.impl && alive(slot.impl);
    std::size_t size = kLeast;
    while (size < 4 * live) size *= 2;
    slots_.assign(size, {});
    used_ = live + 1;
    for (const Slot& slot : before) {
      if (!slot.impl) continue;
      if (alive(slot.impl)) *place_for(slot.impl) = slot;
      else c10::raw::weak_intrusive_ptr::decref(slot.impl);
    }
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
  std::array<c10::TensorImpl*, 8> made_{};  // last; what is not in the table may be gone
  std::size_t next_made_ = 0;
};

}  // namespace tapescope_observer
