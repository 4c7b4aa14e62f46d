// Which steps are held, and late records of their helpers.
#include "viewer/store/held_steps.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "viewer/store/helper_threads.h"
#include "viewer/store/rounds.h"

namespace tapescope {

// A replayed step takes the place of its former run.
void HeldSteps::add(std::shared_ptr<StepData> data, bool shared, std::size_t steps, std::size_t bytes) {
  if (data->without_ops()) return;
  if (!held_.empty() && held_.back().data->step >= data->step)
    std::erase_if(held_, [&](const Held& entry) { return entry.data->step == data->step; });
  records_ += data->records();
  held_.push_back({std::move(data), nullptr, shared});
  while (held_.size() > 1 && (held_.size() > steps || records_ * sizeof(Record) > bytes)) {
    records_ -= std::min(records_, held_.front().data->records());
    held_.pop_front();
  }
}

std::size_t HeldSteps::add_late(std::uint32_t thread, std::span<const Record> records, std::uint64_t ticks) {
  if (held_.empty() || held_.back().data->home == thread || ticks == 0) return 0;
  for (auto entry = held_.rbegin(); entry != held_.rend(); ++entry) {
    if (ticks < entry->data->begin || ticks > entry->data->end) continue;
    if (std::exchange(entry->shared, false)) entry->data = std::make_shared<StepData>(*entry->data);
    const auto of_it = records.first(written_until(records, entry->data->end));
    auto& into = entry->data->segments.of(thread);
    into.insert(into.end(), of_it.begin(), of_it.end());
    records_ += of_it.size();
    entry->view.reset();
    return of_it.size();
  }
  return 0;
}

std::uint64_t HeldSteps::begin_after(std::uint64_t ticks) const {
  for (const Held& entry : held_) {
    if (entry.data->begin > ticks) return entry.data->begin;
  }
  return std::numeric_limits<std::uint64_t>::max();
}

const std::shared_ptr<const StepView>& HeldSteps::view_of(Held& entry) {
  if (entry.view) return entry.view;
  std::vector<TensorId> lasting;
  const auto at = std::ranges::find(held_, entry.data, &Held::data);
  if (at != held_.begin() && at != held_.end()) {
    const Segments &former = std::prev(at)->data->segments, &now = entry.data->segments;
    if (!former.empty() && !now.empty() && former.front().thread == now.front().thread)
      lasting = lasting_operands(former.front().records, now.front().records);
  }
  return entry.view = make_step_view(*entry.data, std::move(lasting));
}

std::vector<std::shared_ptr<const StepView>> HeldSteps::last_views(std::size_t steps, std::size_t ops) {
  std::vector<std::shared_ptr<const StepView>> views;
  std::size_t taken = 0;
  for (std::size_t i = held_.size(); i-- > 0 && views.size() < steps;) {
    // Two records an op, at least.
    if (taken + held_[i].data->records() / 2 > ops && !views.empty()) break;
    views.push_back(view_of(held_[i]));
    taken += views.back()->ops.size();
  }
  std::ranges::reverse(views);
  return views;
}

void HeldSteps::forget_after(std::uint64_t step) {
  std::erase_if(held_, [&](const Held& entry) { return entry.data->step > step; });
  records_ = 0;
  for (const Held& entry : held_) records_ += entry.data->records();
}

void HeldSteps::clear() {
  held_.clear();
  records_ = 0;
}

}  // namespace tapescope
