// The listeners of a thread, away for a while: what runs meanwhile is not theirs to see.
#pragma once

#include <utility>
#include <vector>

#include "engine/gate/state.h"

namespace tapescope {

// Detaches all tapes and accumulators of the thread for a scope, except those that are put into the
// state again.
class ListenersSetAside {
 public:
  explicit ListenersSetAside(ThreadState& ts)
      : ts_(ts), tapes_(std::exchange(ts.tapes, {})), accumulators_(std::exchange(ts.accumulators, {})) {}
  ~ListenersSetAside() {
    ts_.tapes = std::move(tapes_);
    ts_.accumulators = std::move(accumulators_);
    // A tape made for a moment cleared the bit when it was the only one.
    if (!ts_.tapes.empty()) ts_.listen.fetch_or(kListenTapes, std::memory_order_relaxed);
  }
  ListenersSetAside(const ListenersSetAside&) = delete;
  ListenersSetAside& operator=(const ListenersSetAside&) = delete;

  const std::vector<TapeListener*>& tapes() const { return tapes_; }
  const std::vector<ForwardListener*>& accumulators() const { return accumulators_; }

 private:
  ThreadState& ts_;
  std::vector<TapeListener*> tapes_;
  std::vector<ForwardListener*> accumulators_;
};

}  // namespace tapescope
