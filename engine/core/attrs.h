// An op call's attributes: plain data of one fixed form, so that they hash, compare and serialize bytewise.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>

#include "engine/core/public.h"

namespace tapescope TAPESCOPE_PUBLIC {

// Each op's family file says which slot means what.
struct Attrs {
  static constexpr int kMaxInts = 32;  // begin, end and strides of rank 8 and their masks

  double f[2] = {0, 0};
  std::uint32_t text = 0;    // an interned string, such as an einsum's equation
  std::uint32_t flags = 0;   // booleans of the op, bit by bit
  std::uint64_t object = 0;  // id of a run-time object, such as a custom gradient
  std::int32_t count = 0;    // how many of `i` are in use
  std::array<std::int32_t, kMaxInts> i;

  Attrs() = default;
  Attrs(const Attrs& other) { *this = other; }
  Attrs& operator=(const Attrs& other) {
    std::memcpy(static_cast<void*>(this), &other, other.bytes());
    return *this;
  }
  void push(std::int64_t value) { i[count++] = static_cast<std::int32_t>(value); }
  std::span<const std::int32_t> ints() const { return {i.data(), static_cast<std::size_t>(count)}; }
  // Bytes that are in use: the head and the used ints.
  std::size_t bytes() const {
    return offsetof(Attrs, i) + sizeof(std::int32_t) * static_cast<std::size_t>(count);
  }
  bool operator==(const Attrs& other) const {
    return count == other.count && std::memcmp(this, &other, bytes()) == 0;
  }
};

inline const Attrs kNoAttrs{};

}  // namespace tapescope
