// Shapes, and the table that makes one Type of each (dtype, shape).
#include "engine/core/type.h"

#include <fmt/format.h>

#include <atomic>
#include <mutex>
#include <ostream>

#include "engine/core/append_table.h"
#include "engine/core/error.h"

namespace tapescope {

Shape::Shape(std::span<const std::int64_t> dims) {
  for (std::int64_t dim : dims) push_back(dim);
}

void Shape::push_back(std::int64_t dim) {
  if (rank_ == kMaxRank)
    fail(ErrorKind::value, "shape", fmt::format("more than {} dimensions after {}", kMaxRank, text()));
  if (dim < 0)
    fail(ErrorKind::value, "shape", fmt::format("dimension {} has the negative size {}", rank_, dim));
  dims_[rank_++] = dim;
}

std::int64_t Shape::numel() const {
  std::int64_t count = 1;
  for (int i = 0; i < rank_; ++i) count *= dims_[i];
  return count;
}

bool Shape::operator==(const Shape& other) const {
  if (rank_ != other.rank_) return false;
  for (int i = 0; i < rank_; ++i) {
    if (dims_[i] != other.dims_[i]) return false;
  }
  return true;
}

std::ostream& operator<<(std::ostream& to, const Shape& shape) { return to << shape.text(); }

std::string Shape::text() const { return fmt::format("[{}]", fmt::join(dims(), ", ")); }

std::string Type::text() const { return std::string(name_of(dtype)) + shape.text(); }

namespace {

// Open addressing. A table is never written after a larger one replaced it, and is kept: readers may
// still be in it, and the sizes double, so all old ones together are smaller than the present one.
struct Slots {
  explicit Slots(std::size_t count) : mask(count - 1), slots(new std::atomic<const Type*>[count] {}) {}
  std::size_t mask;
  std::atomic<const Type*>* slots;
  Slots* older = nullptr;
};

constinit std::atomic<Slots*> g_slots{nullptr};
constinit AppendTable<const Type*> g_types;
constinit std::mutex g_mutex;

std::uint64_t hash_of(DType dtype, const Shape& shape) {
  // Multiplication by an odd constant (2^64 divided by the golden ratio) spreads small sizes.
  constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15u;
  std::uint64_t hash = static_cast<std::uint64_t>(dtype) * 16 + static_cast<std::uint64_t>(shape.rank()) + 1;
  for (int i = 0; i < shape.rank(); ++i) hash = (hash ^ static_cast<std::uint64_t>(shape[i])) * kSpread + 1;
  hash *= kSpread;
  return hash ^ (hash >> 32);
}

// The type, or null; `place` is where it is or would go.
const Type* find(const Slots& table, std::uint64_t hash, DType dtype, const Shape& shape,
                 std::size_t& place) {
  for (place = hash & table.mask;; place = (place + 1) & table.mask) {
    const Type* type = table.slots[place].load(std::memory_order_acquire);
    if (!type || (type->dtype == dtype && type->shape == shape)) return type;
  }
}

Slots* grown(Slots* old) {
  Slots* table = new Slots(old ? (old->mask + 1) * 2 : 1024);
  table->older = old;
  for (std::uint32_t id = 0; id < g_types.size(); ++id) {
    const Type* type = g_types[id];
    std::size_t place;
    find(*table, hash_of(type->dtype, type->shape), type->dtype, type->shape, place);
    table->slots[place].store(type, std::memory_order_relaxed);
  }
  g_slots.store(table, std::memory_order_release);
  return table;
}

const Type* insert(std::uint64_t hash, DType dtype, const Shape& shape) {
  std::int64_t numel = 1;
  bool empty = false, too_large = false;
  for (std::int64_t dim : shape.dims()) {
    if (dim == 0) empty = true;
    else too_large |= __builtin_mul_overflow(numel, dim, &numel);
  }
  // 2^56 bytes is beyond the address space; refusing here keeps every later product in range.
  if (!empty && (too_large || numel > (std::int64_t{1} << 53))) {
    fail(ErrorKind::invalid_argument, "shape",
         fmt::format("{}{} has more elements than memory can hold", name_of(dtype), shape.text()));
  }
  if (empty) numel = 0;

  std::lock_guard lock(g_mutex);
  Slots* table = g_slots.load(std::memory_order_relaxed);
  if (!table || (g_types.size() + 1) * 2 > table->mask + 1) table = grown(table);
  std::size_t place;
  if (const Type* type = find(*table, hash, dtype, shape, place)) return type;
  const std::int64_t bytes = numel * static_cast<std::int64_t>(size_of(dtype));
  const Type* type = new Type{dtype, shape, numel, bytes, g_types.size()};
  g_types.append(type);
  table->slots[place].store(type, std::memory_order_release);
  return type;
}

}  // namespace

const Type* intern_type(DType dtype, const Shape& shape) {
  const std::uint64_t hash = hash_of(dtype, shape);
  if (const Slots* table = g_slots.load(std::memory_order_acquire)) {
    std::size_t place;
    if (const Type* type = find(*table, hash, dtype, shape, place)) return type;
  }
  return insert(hash, dtype, shape);
}

const Type* type_with_id(std::uint32_t id) { return id < g_types.size() ? g_types[id] : nullptr; }

Shape broadcast_shapes(const Shape& a, const Shape& b) {
  const Shape& longer = a.rank() >= b.rank() ? a : b;
  const Shape& shorter = a.rank() >= b.rank() ? b : a;
  Shape out = longer;
  const int offset = longer.rank() - shorter.rank();
  for (int i = 0; i < shorter.rank(); ++i) {
    const std::int64_t x = longer[i + offset], y = shorter[i];
    if (x == y || y == 1) continue;
    if (x != 1) {
      fail(ErrorKind::invalid_argument, "broadcast",
           fmt::format("shapes {} and {} do not broadcast: sizes {} and {} of dimension {} from the end "
                       "differ and neither is 1",
                       a.text(), b.text(), a.rank() >= b.rank() ? x : y, a.rank() >= b.rank() ? y : x,
                       shorter.rank() - i));
    }
    out[i + offset] = y;
  }
  return out;
}

}  // namespace tapescope
