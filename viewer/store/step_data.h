// The raw records of one step, and what is needed to make sense of them.
#pragma once
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "engine/events/records/digests.h"
#include "engine/events/records/steps.h"
#include "viewer/store/step_view.h"
#include "viewer/store/surroundings.h"

namespace tapescope {

// Records of one thread, in order.
struct Segment {
  std::uint32_t thread = 0;
  std::vector<Record> records;
};

// In the order in which the threads came, and found by thread: there may be as many as records.
class Segments : public std::vector<Segment> {
 public:
  std::vector<Record>& of(std::uint32_t thread) {
    if (known_ > size()) known_ = 0;  // what was here went elsewhere
    if (known_ == 0) places_.clear();
    for (; known_ < size(); ++known_) places_.try_emplace((*this)[known_].thread, known_);
    const auto [place, added] = places_.try_emplace(thread, size());
    if (added) emplace_back(Segment{thread, {}}), ++known_;
    return (*this)[place->second].records;
  }

 private:
  std::unordered_map<std::uint32_t, std::size_t> places_;  // of the first `known_`
  std::size_t known_ = 0;
};

struct StepData {
  std::uint64_t step = 0;
  int program = 0;
  std::uint64_t begin = 0, end = 0;  // ticks; end 0 while it runs
  bool complete = false;
  bool unmarked = false;  // all that a program ran so far which marks no steps
  bool abandoned = false;
  std::uint32_t home = 0;  // the thread that began it; its segment is the first
  Segments before;         // what its threads did since the step before
  Segments segments;
  std::weak_ptr<const StepData> former;  // the step before, while it is held
  std::shared_ptr<const Surroundings> surroundings;

  // Its ops were left out on the way here, or were not read: nothing of it can be shown. The last record says
  // so.
  bool without_ops() const {
    if (segments.empty() || segments.front().records.empty()) return false;
    const Record& last = segments.front().records.back();
    return last.is<StepTimesRecord>() || (last.is<LostRecord>() && last.as<LostRecord>().thinned != 0);
  }
  std::size_t records() const {
    std::size_t total = 0;
    for (const Segment& segment : segments) total += segment.records.size();
    return total;
  }
};

// Tables from records; linear in them. Pure: any thread. `lasting` becomes the view's.
std::shared_ptr<const StepView> make_step_view(const StepData& data, std::vector<TensorId> lasting = {});

}  // namespace tapescope
