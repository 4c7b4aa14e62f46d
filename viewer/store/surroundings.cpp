// What stays the same over the steps: variables, names, tapes.
#include "viewer/store/surroundings.h"

#include <algorithm>
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
    case CallersRecord::kKind: learn_callers(record.as<CallersRecord>()); break;
    default: break;
  }
}

void Surroundings::learn_callers(const CallersRecord& record) {
  const CallSite site = site_with_id(record.site);
  std::unique_lock lock(mutex_);
  std::vector<Called>& calls = called_[{intern_name(site.file), site.line}];
  if (record.first == 0) {
    if (calls.size() == kMaxCalls) calls.erase(calls.begin(), calls.begin() + kMaxCalls / 2);
    calls.push_back({record.order, {}});
  }
  if (calls.empty()) return;
  for (const SiteId caller : {record.nearest, record.second, record.third, record.fourth})
    if (caller != 0) calls.back().callers.push_back(caller);
  knows_callers_ = true;
}

std::vector<SiteId> Surroundings::callers(std::string_view file, std::uint32_t line, TensorId at) const {
  if (!knows_callers_) return {};
  std::shared_lock lock(mutex_);
  const auto calls = called_.find({intern_name(file), line});
  if (calls == called_.end()) return {};
  // An op without an output is taken for the last one.
  const auto last = std::find_if(calls->second.rbegin(), calls->second.rend(),
                                 [&](const Called& call) { return at == 0 || call.since <= at; });
  return last != calls->second.rend() ? last->callers : std::vector<SiteId>();
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
  called_.clear();
  knows_callers_ = false;
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
