// Where a step's forward pass ends, what its backward passes take and where its update begins.
#pragma once
#include <algorithm>
#include <cstdint>

#include "engine/events/records/ops.h"

namespace tapescope {

// Fed with the records of the step's own thread, in order. Ticks. A pass is a tape's walk, or, where a
// function holds its gradient, backward ops of its graph one after another: nothing else shows where that
// begins.
class StepPhases {
 public:
  void begin_walk(std::uint64_t ticks) {
    close();
    if (depth_++ == 0) open(ticks);
  }
  void end_walk(std::uint64_t ticks) {
    if (depth_ == 0 || --depth_ > 0) return;
    end_ = ticks;
    close();
  }
  void op(const OpRecord& op) {
    if (depth_ > 0 || op.flags & OpRecord::kTraced) return;
    if ((op.flags & OpRecord::kBackward) == 0) return close();
    if (op.ticks == 0) return;
    if (!open_) open(op.ticks - std::min<std::uint64_t>(op.duration, op.ticks));
    end_ = op.ticks;
  }
  // An answer of the last pass was put together until then, as the rows of a Jacobian are.
  void answer(std::uint64_t ticks) {
    if (depth_ > 0 || open_ || last_end_ == 0 || ticks <= last_end_) return;
    backward_ += ticks - last_end_;
    last_end_ = ticks;
  }
  // After the last record; a walk that is cut off does not count.
  void finish() {
    if (depth_ == 0) close();
  }

  bool any() const { return first_ != 0; }
  std::uint64_t first() const { return first_; }        // where the first pass began
  std::uint64_t last_end() const { return last_end_; }  // where the last one ended; 0 where none did
  std::uint64_t backward() const { return backward_; }  // all that ended together

 private:
  void open(std::uint64_t ticks) {
    open_ = true;
    begin_ = end_ = ticks;
    if (first_ == 0) first_ = ticks;
  }
  void close() {
    if (!open_ || depth_ > 0) return;
    open_ = false;
    backward_ += end_ - std::min(begin_, end_);
    last_end_ = std::max(last_end_, end_);
  }

  int depth_ = 0;
  bool open_ = false;
  std::uint64_t begin_ = 0, end_ = 0, first_ = 0, last_end_ = 0, backward_ = 0;
};

}  // namespace tapescope
