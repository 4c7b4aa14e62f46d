// A growing list whose copies are cheap: full blocks are shared, so a snapshot copies pointers, not numbers.
// Where it is bounded it keeps its beginning and its end.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tapescope {

template <class T>
class Series {
 public:
  std::size_t size() const { return full_.size() * kBlock + tail_.size(); }
  bool empty() const { return size() == 0; }
  // Entries that bound() dropped, from the end of the first block on, and all that there ever were.
  std::uint64_t left() const { return left_; }
  std::uint64_t count() const { return size() + left_; }
  // i < size().
  const T& operator[](std::size_t i) const {
    const std::size_t block = i / kBlock;
    return block < full_.size() ? (*full_[block])[i % kBlock] : tail_[i % kBlock];
  }
  // How many of the first entries both have.
  std::size_t common(const Series& other) const {
    std::size_t count = 0;
    for (std::size_t i = 0;; ++i) {
      const std::span<const T> mine = block(i), theirs = other.block(i);
      const auto same = static_cast<std::size_t>(std::ranges::mismatch(mine, theirs).in1 - mine.begin());
      count += same;
      if (same < kBlock) return count;
    }
  }
  const T& back() const { return (*this)[size() - 1]; }

  void push_back(T value) {
    tail_.push_back(std::move(value));
    if (tail_.size() < kBlock) return;
    full_.push_back(std::make_shared<const std::vector<T>>(std::move(tail_)));
    tail_ = {};
    tail_.reserve(kBlock);
  }
  // Drops the oldest entries but the first 512, a block at a time, until at most `most` are kept, or 1,024
  // where that is more.
  void bound(std::size_t most) {
    while (size() > std::max(most, 2 * kBlock) && full_.size() > 1) {
      full_.erase(full_.begin() + 1);
      left_ += kBlock;
    }
  }
  // Replaces entry i; a block that copies share is copied first.
  void set(std::size_t i, T value) {
    const std::size_t block = i / kBlock;
    if (block < full_.size()) {
      auto changed = std::make_shared<std::vector<T>>(*full_[block]);
      (*changed)[i % kBlock] = std::move(value);
      full_[block] = std::move(changed);
    } else {
      tail_[i % kBlock] = std::move(value);
    }
  }
  // Keeps the first `count` entries.
  void truncate(std::size_t count) {
    if (count >= size()) return;
    if (count <= kBlock) left_ = 0;  // what left came later
    const std::size_t block = count / kBlock;
    if (block < full_.size()) {
      tail_.assign(full_[block]->begin(),
                   full_[block]->begin() + static_cast<std::ptrdiff_t>(count % kBlock));
      full_.resize(block);
    } else {
      tail_.resize(count % kBlock);
    }
  }

 private:
  // Entry i * kBlock and those after it; empty beyond the last.
  std::span<const T> block(std::size_t i) const {
    if (i < full_.size()) return *full_[i];
    return i == full_.size() ? std::span<const T>(tail_) : std::span<const T>();
  }

  static constexpr std::size_t kBlock = 512;  // a copy moves at most this many entries besides the pointers
  std::vector<std::shared_ptr<const std::vector<T>>> full_;
  std::vector<T> tail_;
  std::uint64_t left_ = 0;
};

}  // namespace tapescope
