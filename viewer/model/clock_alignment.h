// Where processes of several machines stand on one clock, and how far off that may be.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "viewer/model/job_clock.h"
#include "viewer/store/snapshot.h"

namespace tapescope {

// The last exchange among all ranks that a process took part in in a step, in µs since its own first event.
struct ExchangeTime {
  std::uint64_t step = 0;
  double begin_us = 0;  // when this process gave its part
  double end_us = 0;    // when it had what the others gave
};

// Of the last held steps, at most kAlignedSteps of them: clocks drift. Steps whose last exchange does not
// wait for all ranks (a broadcast), or whose end was not seen, are left out.
inline constexpr std::size_t kAlignedSteps = 32;
std::vector<ExchangeTime> exchange_times(const Snapshot& snapshot);

struct ClockMember {
  ProcessClock clock;
  std::string job;  // of a rank; empty for others, which are not aligned with other machines
};

struct ClockPlace {
  std::optional<double> offset_us;  // from the first event of all to its own; nothing where that is unknown
  double error_us = 0;              // the offset is off by at most so much; 0 on one clock
  std::size_t exchanges = 0;        // that bound it; 0 on one clock
};

// Relative to the clock of the one at `of`. Members of other clocks are placed by the exchanges of their job:
// none ends, on any machine, before it has begun on all. Each exchange thus bounds the offset from below and
// above; the place is the middle of what all leave open, and the error half its width.
// `exchanges_of(i)` is asked only for members that are needed.
std::vector<ClockPlace> place_clocks(
    std::span<const ClockMember> members, std::size_t of,
    const std::function<std::vector<ExchangeTime>(std::size_t)>& exchanges_of);

}  // namespace tapescope
