// An append-only table: a mutex orders the writers, readers look up by id without a lock.
#pragma once
#include <atomic>
#include <bit>
#include <cstdint>
#include <utility>

namespace tapescope {

// Chunks double in size and never move, so a reference stays good. Entries live as long as the process:
// destructors of other statics may still read them. Constant-initialized, hence usable before main.
template <class T>
class AppendTable {
 public:
  constexpr AppendTable() = default;
  AppendTable(const AppendTable&) = delete;
  AppendTable& operator=(const AppendTable&) = delete;

  std::uint32_t size() const { return size_.load(std::memory_order_acquire); }

  // `id` came from append() or is below size().
  const T& operator[](std::uint32_t id) const {
    const auto [chunk, offset] = place(id);
    return chunks_[chunk].load(std::memory_order_acquire)[offset];
  }

  // The caller holds the lock that orders writers.
  std::uint32_t append(T value) {
    const std::uint32_t id = size_.load(std::memory_order_relaxed);
    const auto [chunk, offset] = place(id);
    T* entries = chunks_[chunk].load(std::memory_order_relaxed);
    if (!entries) {
      entries = new T[kFirst << chunk];
      chunks_[chunk].store(entries, std::memory_order_release);
    }
    entries[offset] = std::move(value);
    size_.store(id + 1, std::memory_order_release);
    return id;
  }

 private:
  static constexpr std::uint32_t kFirst = 256;  // entries of the first chunk; 24 chunks hold 2^32

  struct Place {
    std::uint32_t chunk;
    std::uint32_t offset;
  };
  static Place place(std::uint32_t id) {
    const std::uint64_t shifted = static_cast<std::uint64_t>(id) + kFirst;
    const std::uint32_t chunk = static_cast<std::uint32_t>(std::bit_width(shifted) - std::bit_width(kFirst));
    return {chunk, static_cast<std::uint32_t>(shifted - (static_cast<std::uint64_t>(kFirst) << chunk))};
  }

  std::atomic<T*> chunks_[25]{};
  std::atomic<std::uint32_t> size_{0};
};

}  // namespace tapescope
