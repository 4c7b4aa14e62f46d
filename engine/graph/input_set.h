// Some of a call's inputs or results. Sets of up to 64 allocate nothing.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tapescope {

class InputSet {
 public:
  explicit InputSet(std::size_t size, bool all = false) : size_(size) {
    if (size > kWord) more_.assign((size - 1) / kWord, 0);
    if (!all) return;
    for (std::size_t i = 0; i < size; ++i) insert(i);
  }
  explicit InputSet(const std::vector<bool>& flags) : InputSet(flags.size()) {
    for (std::size_t i = 0; i < flags.size(); ++i) {
      if (flags[i]) insert(i);
    }
  }

  void insert(std::size_t i) { word(i) |= std::uint64_t{1} << i % kWord; }
  bool contains(std::size_t i) const { return (i < kWord ? first_ : more_[i / kWord - 1]) >> i % kWord & 1; }
  std::size_t size() const { return size_; }  // how many there are to choose from
  std::vector<bool> flags() const {
    std::vector<bool> flags(size_);
    for (std::size_t i = 0; i < size_; ++i) flags[i] = contains(i);
    return flags;
  }
  bool operator==(const InputSet&) const = default;

 private:
  static constexpr std::size_t kWord = 64;
  std::uint64_t& word(std::size_t i) { return i < kWord ? first_ : more_[i / kWord - 1]; }

  std::size_t size_;
  std::uint64_t first_ = 0;
  std::vector<std::uint64_t> more_;
};

}  // namespace tapescope
