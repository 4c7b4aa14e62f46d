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
  // Elements that there is memory for.
  std::uint32_t room() const { return static_cast<std::uint32_t>(chunks_.size() * kChunk); }
  T& operator[](std::uint32_t i) { return chunks_[i / kChunk][i % kChunk]; }
  const T& operator[](std::uint32_t i) const { return chunks_[i / kChunk][i % kChunk]; }

  template <class... Args>
  T& emplace(Args&&... args) {
    if (next_ == limit_) [[unlikely]]
      next_chunk();
    T* place = next_;
    new (place) T(std::forward<Args>(args)...);
    ++next_;
    ++size_;
    return *place;
  }

  // Destroys the elements and keeps the memory.
  void clear() {
    if constexpr (!std::is_trivially_destructible_v<T>) {
      for (std::uint32_t i = 0; i < size_; ++i) (*this)[i].~T();
    }
    size_ = 0;
    next_ = limit_ = nullptr;
  }

 private:
  [[gnu::noinline]] void next_chunk() {
    if (size_ == chunks_.size() * kChunk) {
      chunks_.push_back(static_cast<T*>(::operator new(sizeof(T) * kChunk, std::align_val_t(alignof(T)))));
    }
    next_ = chunks_[size_ / kChunk];
    limit_ = next_ + kChunk;
  }

  std::vector<T*> chunks_;
  T* next_ = nullptr;  // place of the next element; limit_ where a chunk has to be found for it
  T* limit_ = nullptr;
  std::uint32_t size_ = 0;
};

}  // namespace tapescope
