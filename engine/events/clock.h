// The event clock: the processor's time-stamp counter where it is invariant, else the steady clock.
#pragma once
#include <cstdint>

#if !defined(__x86_64__)
#include <chrono>
#endif

namespace tapescope {

using Ticks = std::uint64_t;

#if defined(__x86_64__)
// The builtin, since <x86intrin.h> takes a second to compile. rdtsc, not rdtscp: half the cost, and a
// reordering of a few instructions does not matter here.
inline Ticks ticks() { return __builtin_ia32_rdtsc(); }
#else
inline Ticks ticks() {
  return static_cast<Ticks>(std::chrono::steady_clock::now().time_since_epoch().count());
}
#endif

// Nanoseconds of one tick, measured once against the steady clock and then kept: equal ticks are equal times
// throughout a process. The first call waits until 5 ms have passed since start.
double nanoseconds_per_tick();
inline double microseconds(Ticks difference) {
  return static_cast<double>(difference) * nanoseconds_per_tick() * 1e-3;
}

}  // namespace tapescope
