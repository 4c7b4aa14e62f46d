// The raw records of one step, and what is needed to make sense of them.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/events/records/record.h"
#include "viewer/store/step_view.h"
#include "viewer/store/surroundings.h"

namespace tapescope {

// Records of one thread, in order.
struct Segment {
  std::uint32_t thread = 0;
  std::vector<Record> records;
};

struct StepData {
  std::uint64_t step = 0;
  int program = 0;
  std::uint64_t begin = 0, end = 0;  // ticks; end 0 while it runs
  bool complete = false;
  bool abandoned = false;
  std::uint32_t home = 0;       // the thread that began it; its segment is the first
  std::vector<Segment> before;  // what its threads did since the step before
  std::vector<Segment> segments;
  std::shared_ptr<const Surroundings> surroundings;

  std::size_t records() const {
    std::size_t total = 0;
    for (const Segment& segment : segments) total += segment.records.size();
    return total;
  }
};

// Tables from records; linear in them. Pure: any thread.
std::shared_ptr<const StepView> make_step_view(const StepData& data);

}  // namespace tapescope
