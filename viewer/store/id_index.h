// From tensor ids to op indices: ids of one step lie close together, so a plain array serves nearly always.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "engine/core/tensor.h"

namespace tapescope {

template <class Value>
class IdIndex {
 public:
  explicit IdIndex(Value none) : none_(none) {}

  // Prepares for ids of low..high, about `count` of them.
  void prepare(TensorId low, TensorId high, std::size_t count) {
    base_ = low;
    sparse_.clear();
    // A thread takes ids in blocks, so that two threads leave gaps of some thousands.
    dense_ = high >= low && high - low < 16 * count + 65536;
    if (dense_) array_.assign(static_cast<std::size_t>(high - low + 1), none_);
  }
  void set(TensorId id, Value value) {
    if (dense_) {
      if (id - base_ < array_.size()) array_[static_cast<std::size_t>(id - base_)] = value;
    } else {
      sparse_[id] = value;
    }
  }
  Value find(TensorId id) const {
    if (dense_) return id - base_ < array_.size() ? array_[static_cast<std::size_t>(id - base_)] : none_;
    const auto found = sparse_.find(id);
    return found == sparse_.end() ? none_ : found->second;
  }

 private:
  Value none_;
  bool dense_ = false;
  TensorId base_ = 0;
  std::vector<Value> array_;
  std::unordered_map<TensorId, Value> sparse_;
};

}  // namespace tapescope
