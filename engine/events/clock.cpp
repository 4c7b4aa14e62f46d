// Calibrates the time-stamp counter against the steady clock.
#include "engine/events/clock.h"

#include <atomic>
#include <chrono>
#include <thread>

namespace tapescope {
namespace {

using SteadyClock = std::chrono::steady_clock;

struct Anchor {
  SteadyClock::time_point time = SteadyClock::now();
  Ticks at = ticks();
};
// Made when first asked for, which may be while other static objects are made, and before main at the latest.
const Anchor& start() {
  static const Anchor anchor;
  return anchor;
}
[[maybe_unused]] const Anchor& kStart = start();

}  // namespace

double nanoseconds_per_tick() {
  // Once a tenth of a second has passed the rate is good to 1e-6 and is kept, so that times already
  // computed do not move.
  static std::atomic<double> settled{0};
  if (const double known = settled.load(std::memory_order_relaxed); known > 0) return known;
  auto elapsed = SteadyClock::now() - start().time;
  if (elapsed < std::chrono::milliseconds(5)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5) - elapsed);
    elapsed = SteadyClock::now() - start().time;
  }
  const double rate = static_cast<double>(std::chrono::nanoseconds(elapsed).count()) /
                      static_cast<double>(ticks() - start().at);
  if (elapsed > std::chrono::milliseconds(100)) settled.store(rate, std::memory_order_relaxed);
  return rate;
}

}  // namespace tapescope
