// What stays the same over the steps: variables, names, tapes.
#include "viewer/store/surroundings.h"

#include <bit>
#include <mutex>

#include "engine/events/function_records.h"

namespace tapescope {

void Surroundings::learn(const Record& record) {
  switch (record.kind) {
    case RecordKind::variable: {
      std::unique_lock lock(mutex_);
      if (const auto made = known_.find(record.x); record.z & kTrainableSet && made != known_.end()) {
        made->second.trainable = record.a != 0;
        break;
      }
      known_[record.x] = {.name = record.b,
                          .type = static_cast<std::uint32_t>(record.y),
                          .site = static_cast<SiteId>(record.y >> 32),
                          .has_type = true,
                          .variable = true,
                          .trainable = record.a != 0};
      break;
    }
    case RecordKind::create: learn_tensor(record.x, static_cast<std::uint32_t>(record.y), record.b); break;
    case RecordKind::op: {
      const auto op = std::bit_cast<OpRecord>(record);
      if (!(op.flags & OpRecord::kTraced)) learn_tensor(op.output, op.type, op.site);
      break;
    }
    case RecordKind::output: learn_tensor(record.x, static_cast<std::uint32_t>(record.y), 0); break;
    case RecordKind::tensor_name: {
      std::unique_lock lock(mutex_);
      if (const auto found = known_.find(record.x); found != known_.end()) found->second.name = record.b;
      break;
    }
    default: break;
  }
}

void Surroundings::learn_tensor(TensorId tensor, std::uint32_t type, SiteId site) {
  if (tensor == 0) return;
  std::unique_lock lock(mutex_);
  Known& known = known_[tensor];
  if (known.variable) return;
  if (!known.has_type) tensors_.push_back(tensor);
  known.type = type;
  known.site = site;
  known.has_type = true;
  if (tensors_.size() > kMaxTensors) {
    known_.erase(tensors_.front());
    tensors_.pop_front();
  }
}

std::optional<Surroundings::Known> Surroundings::find(TensorId tensor) const {
  std::shared_lock lock(mutex_);
  const auto found = known_.find(tensor);
  if (found == known_.end()) return std::nullopt;
  return found->second;
}

void Surroundings::clear() {
  std::unique_lock lock(mutex_);
  known_.clear();
  tensors_.clear();
  first_ticks_ = 0;
}

std::uint64_t Surroundings::first_ticks() const {
  std::shared_lock lock(mutex_);
  return first_ticks_;
}

void Surroundings::set_first_ticks(std::uint64_t ticks) {
  std::unique_lock lock(mutex_);
  if (first_ticks_ == 0) first_ticks_ = ticks;
}

}  // namespace tapescope
