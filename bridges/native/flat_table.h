// A table by whole numbers, in one piece of memory: an op looks up several, and a node for each would cost
// more than the look.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tapescope::bridge {

// Where an entry is looked for first. Fibonacci hashing: addresses come in steps.
struct Scattered {
  std::size_t operator()(std::uint64_t key) const { return key * 0x9E3779B97F4A7C15u >> 20; }
};
// Of keys that were counted out: eight neighbours stay together, as what was made one after the other is
// looked up so, too. Longer runs would meet older ones in the table, and be looked for to their end.
struct InRuns {
  std::size_t operator()(std::uint64_t key) const { return (Scattered()(key >> 3) << 3) | (key & 7); }
};

// Open addressing with linear probing; key 0 stands for an empty place, so that no entry may have it.
// References last until the next insertion.
template <class Value, class Hash = Scattered>
class FlatTable {
 public:
  Value* find(std::uint64_t key) {
    if (size_ == 0) return nullptr;
    for (std::size_t at = place(key);; at = (at + 1) & mask()) {
      if (places_[at].first == key) return &places_[at].second;
      if (places_[at].first == 0) return nullptr;
    }
  }
  const Value* find(std::uint64_t key) const { return const_cast<FlatTable*>(this)->find(key); }
  bool contains(std::uint64_t key) const { return find(key) != nullptr; }

  // The entry, made where there is none; and whether it was.
  std::pair<Value*, bool> insert(std::uint64_t key) {
    if ((size_ + 1) * 2 > places_.size()) grow(places_.empty() ? kLeast : places_.size() * 2);
    for (std::size_t at = place(key);; at = (at + 1) & mask()) {
      if (places_[at].first == key) return {&places_[at].second, false};
      if (places_[at].first != 0) continue;
      places_[at].first = key;
      ++size_;
      return {&places_[at].second, true};
    }
  }

  // Entries for which `gone(key, value)` is true leave.
  template <class Gone>
  void erase_if(Gone&& gone) {
    Places all;
    all.swap(places_);
    size_ = 0;
    for (auto& [key, value] : all) {
      if (key != 0 && !gone(key, value)) *insert(key).first = std::move(value);
    }
  }
  // Keeps its memory unless that is large beside what it held: clearing costs what the memory is.
  void clear() {
    if (places_.size() > kMost || places_.size() > kLeast + 16 * size_) {
      Places().swap(places_);
    } else if (size_ > 0) {
      for (auto& entry : places_) entry = {};
    }
    size_ = 0;
  }
  std::size_t size() const { return size_; }

 private:
  using Places = std::vector<std::pair<std::uint64_t, Value>>;
  static constexpr std::size_t kLeast = 64, kMost = 1 << 14;

  std::size_t mask() const { return places_.size() - 1; }
  std::size_t place(std::uint64_t key) const { return Hash()(key) & mask(); }
  void grow(std::size_t size) {
    Places old(size);
    old.swap(places_);
    size_ = 0;
    for (auto& [key, value] : old) {
      if (key != 0) *insert(key).first = std::move(value);
    }
  }

  Places places_;
  std::size_t size_ = 0;
};

}  // namespace tapescope::bridge
