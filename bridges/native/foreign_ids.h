// Which id of ours a tensor of the framework has. The framework never reuses its identities, so that an entry
// may outlive its tensor; entries that no op touched for a few steps are dropped.
#pragma once
#include <cstdint>

#include "bridges/native/flat_table.h"
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
    KnownTensor* known = table_.find(key_of(identity));
    if (!known) return {};
    if (known->touched != kForever) known->touched = step_;
    return *known;
  }
  void set(std::int64_t identity, TensorId id, std::uint32_t type) {
    if (identity < 0) return;
    *table_.insert(key_of(identity)).first = {id, type, step_};
    // A program that never ends a step ages by what it makes.
    if (++set_in_step_ >= kLongStep) next_step();
  }
  // Handles of variables stay.
  void keep(std::int64_t identity) {
    if (KnownTensor* known = table_.find(key_of(identity))) known->touched = kForever;
  }
  void next_step();
  std::size_t size() const { return table_.size(); }

 private:
  // Identities begin with 0.
  static std::uint64_t key_of(std::int64_t identity) { return static_cast<std::uint64_t>(identity) + 1; }

  static constexpr std::uint32_t kForever = ~std::uint32_t{0};
  static constexpr std::uint32_t kSteps = 4;
  // A walk over all entries once so many came together.
  std::size_t sweep_at_ = 1 << 14;
  static constexpr std::uint32_t kLongStep = 1 << 18;
  std::uint32_t step_ = 0, set_in_step_ = 0;
  FlatTable<KnownTensor, InRuns> table_;
};

}  // namespace tapescope::bridge
