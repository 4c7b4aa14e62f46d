// What stays the same over the steps: variables, names, tapes.
#include "viewer/store/surroundings.h"

#include <mutex>

#include "engine/events/records/ops.h"
#include "engine/events/records/tensors.h"

namespace tapescope {

void Surroundings::learn(const Record& record) {
  switch (record.kind) {
    case VariableRecord::kKind: {
      const auto made = record.as<VariableRecord>();
      std::unique_lock lock(mutex_);
      known_[made.handle] = {.name = made.name,
                             .type = made.type,
                             .site = made.site,
                             .has_type = true,
                             .variable = true,
                             .trainable = made.trainable != 0};
      break;
    }
    case TrainableRecord::kKind: {
      const auto set = record.as<TrainableRecord>();
      std::unique_lock lock(mutex_);
      Known& known = known_[set.variable];
      if (!known.variable) {  // its making was not recorded
        known = {.name = set.name, .type = set.type, .site = set.site, .has_type = true, .variable = true};
      }
      known.trainable = set.trainable != 0;
      break;
    }
    case CreateRecord::kKind: {
      const auto made = record.as<CreateRecord>();
      learn_tensor(made.tensor, made.type, made.site);
      break;
    }
    case OpRecord::kKind: {
      const auto op = record.as<OpRecord>();
      if (!(op.flags & OpRecord::kTraced)) learn_tensor(op.output, op.type, op.site);
      break;
    }
    case EarlierTensorRecord::kKind: {
      const auto earlier = record.as<EarlierTensorRecord>();
      if (!find(earlier.tensor)) learn_tensor(earlier.tensor, earlier.type, 0);
      break;
    }
    case OutputRecord::kKind: {
      const auto output = record.as<OutputRecord>();
      learn_tensor(output.tensor, output.type, 0);
      break;
    }
    case TensorNameRecord::kKind: {
      const auto given = record.as<TensorNameRecord>();
      std::unique_lock lock(mutex_);
      if (const auto found = known_.find(given.tensor); found != known_.end())
        found->second.name = given.name;
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
