// An append-only array in chunks of 1,024: stable addresses, no copying, chunks kept when cleared.
#pragma once
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace tapescope {

template <class T>
class Chunked {
 public:
  static constexpr std::uint32_t kChunk = 1024;

  Chunked() = default;
  Chunked(const Chunked&) = delete;
  Chunked& operator=(const Chunked&) = delete;
  ~Chunked() {
    clear();
    for (T* chunk : chunks_) ::operator delete(chunk, std::align_val_t(alignof(T)));
  }

  std::uint32_t size() const { return size_; }
  T& operator[](std::uint32_t i) { return chunks_[i / kChunk][i % kChunk]; }
  const T& operator[](std::uint32_t i) const { return chunks_[i / kChunk][i % kChunk]; }

  template <class... Args>
  T& emplace(Args&&... args) {
    if (size_ == chunks_.size() * kChunk) [[unlikely]] {
      chunks_.push_back(static_cast<T*>(::operator new(sizeof(T) * kChunk, std::align_val_t(alignof(T)))));
    }
    T* place = &chunks_[size_ / kChunk][size_ % kChunk];
    new (place) T(std::forward<Args>(args)...);
    ++size_;
    return *place;
  }

  // Destroys the elements and keeps the memory.
  void clear() {
    if constexpr (!std::is_trivially_destructible_v<T>) {
      for (std::uint32_t i = 0; i < size_; ++i) (*this)[i].~T();
    }
    size_ = 0;
  }

 private:
  std::vector<T*> chunks_;
  std::uint32_t size_ = 0;
};

}  // namespace tapescope
