// Calibrates the time-stamp counter against the steady clock.
#include "engine/events/clock.h"

#include <atomic>
#include <chrono>
#include <limits>
#include <thread>

#include "engine/events/tick_rate.h"

namespace tapescope {
namespace {

using SteadyClock = std::chrono::steady_clock;
constexpr auto kLeast = std::chrono::milliseconds(5);

// The same moment on both clocks: the closest of a few pairs, so that an interruption between two readings
// does not count.
struct Anchor {
  SteadyClock::time_point time;
  Ticks at = 0;
};
Anchor read_both() {
  Anchor best;
  Ticks closest = std::numeric_limits<Ticks>::max();
  for (int attempt = 0; attempt < 8; ++attempt) {
    const Ticks before = ticks();
    const auto now = SteadyClock::now();
    const Ticks apart = ticks() - before;
    if (apart >= closest) continue;
    closest = apart;
    best = {now, before + apart / 2};
  }
  return best;
}

// Made when first asked for, which may be while other static objects are made, and before main at the latest.
const Anchor& start() {
  static const Anchor anchor = read_both();
  return anchor;
}
[[maybe_unused]] const Anchor& kStart = start();

constinit std::atomic<double> g_given{-1};  // below zero: none is

}  // namespace

GivenTickRate::GivenTickRate(double nanoseconds) { g_given.store(nanoseconds, std::memory_order_relaxed); }
GivenTickRate::~GivenTickRate() { g_given.store(-1, std::memory_order_relaxed); }

double nanoseconds_per_tick() {
  if (const double given = g_given.load(std::memory_order_relaxed); given >= 0) return given;
  // The first answer is kept, so that equal ticks are equal times for as long as the process runs. Readings 5
  // ms apart are good to about 1e-5.
  static const double rate = [] {
    const auto elapsed = SteadyClock::now() - start().time;
    if (elapsed < kLeast) std::this_thread::sleep_for(kLeast - elapsed);
    const Anchor now = read_both();
    return static_cast<double>(std::chrono::nanoseconds(now.time - start().time).count()) /
           static_cast<double>(now.at - start().at);
  }();
  return rate;
}

}  // namespace tapescope
