// How much of a store's time explaining may take while its program runs.
#pragma once

#include <chrono>

namespace tapescope {

/** Allows an explanation when those before took at most a twentieth of the time since the last one. */
class ExplainShare {
 public:
  /** True when an explanation may be made now; then the time begins anew. `seconds`: what the last took, of
      which `times` as much has to pass. */
  bool allows(double seconds, double times = 20) {
    const auto now = std::chrono::steady_clock::now();
    if (explained_ && std::chrono::duration<double>(now - last_).count() <= times * seconds) return false;
    explained_ = true;
    last_ = now;
    return true;
  }

 private:
  bool explained_ = false;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace tapescope
