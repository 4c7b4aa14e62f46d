// Which id of ours a tensor of the framework has. The framework never reuses its identities, so that an entry
// may outlive its tensor; entries that no op touched for a few steps are dropped.
#pragma once
#include <cstdint>
#include <unordered_map>

#include "engine/core/tensor.h"

namespace tapescope::bridge {

struct KnownTensor {
  TensorId id = 0;  // 0: not known
  std::uint32_t type = 0;
  std::uint32_t touched = 0;  // the step that used it last
};

class ForeignIds {
 public:
  KnownTensor find(std::int64_t identity) {
    const auto known = table_.find(identity);
    if (known == table_.end()) return {};
    if (known->second.touched != kForever) known->second.touched = step_;
    return known->second;
  }
  void set(std::int64_t identity, TensorId id, std::uint32_t type) { table_[identity] = {id, type, step_}; }
  // Handles of variables stay.
  void keep(std::int64_t identity) {
    if (const auto known = table_.find(identity); known != table_.end()) known->second.touched = kForever;
  }
  void next_step();
  std::size_t size() const { return table_.size(); }

 private:
  static constexpr std::uint32_t kForever = ~std::uint32_t{0};
  static constexpr std::uint32_t kSteps = 4;
  // A walk over all entries once so many came together.
  std::size_t sweep_at_ = 1 << 14;
  std::uint32_t step_ = 0;
  std::unordered_map<std::int64_t, KnownTensor> table_;
};

}  // namespace tapescope::bridge
