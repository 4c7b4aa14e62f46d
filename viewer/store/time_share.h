// How much of a store's time a long piece of work may take while its program runs.
#pragma once

#include <chrono>

namespace tapescope {

/** Allows the work again once `times` as long as it took last has passed since it began. */
class TimeShare {
 public:
  explicit TimeShare(double times) : times_(times) {}

  /** True when it may be done now; then the time begins anew. `seconds`: what it took last. */
  bool allows(double seconds) {
    const auto now = std::chrono::steady_clock::now();
    if (done_ && std::chrono::duration<double>(now - last_).count() <= times_ * seconds) return false;
    done_ = true;
    last_ = now;
    return true;
  }

 private:
  double times_;
  bool done_ = false;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace tapescope
