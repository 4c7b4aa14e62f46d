// The steps whose records are kept in full: the last ones, as long as they fit in a budget.
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "viewer/store/step_data.h"

namespace tapescope {

class HeldSteps {
 public:
  struct Held {
    std::shared_ptr<StepData> data;
    std::shared_ptr<const StepView> view;  // made when first wanted
    bool shared = false;                   // a picture or a list holds the data: a change needs a copy
  };

  // At most `steps`, and `bytes` of records; the last one always. One of that number is replaced.
  void add(std::shared_ptr<StepData> data, bool shared, std::size_t steps, std::size_t bytes);
  // Records of a helper thread that came late, the first of them written at `ticks`. How many are the step's
  // that ran at that time; 0 where none did.
  std::size_t add_late(std::uint32_t thread, std::span<const Record> records, std::uint64_t ticks);
  // When the first step after `ticks` began; the latest time where there is none.
  std::uint64_t begin_after(std::uint64_t ticks) const;
  // Made once; knows what the step has in common with the one held before it.
  const std::shared_ptr<const StepView>& view_of(Held& entry);
  // Of the last steps, oldest first: at most so many, and as long as they have no more ops than that
  // together; of the last one always.
  std::vector<std::shared_ptr<const StepView>> last_views(std::size_t steps, std::size_t ops);
  void forget_after(std::uint64_t step);
  void clear();

  bool empty() const { return held_.empty(); }
  std::deque<Held>& all() { return held_; }  // oldest first
  Held& last() { return held_.back(); }

 private:
  std::deque<Held> held_;
  std::size_t records_ = 0;
};

}  // namespace tapescope
