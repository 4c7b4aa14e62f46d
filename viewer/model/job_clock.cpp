// What lies between the first events of two processes is the difference of their ticks.
#include "viewer/model/job_clock.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tapescope {
namespace {

// Two processes measure the same clock with less than this between them.
constexpr double kSameClock = 1e-3;

template <class T>
T fact(const record::ProgramFacts& facts, const char* key) {
  T value{};
  if (const auto found = facts.find(key); found != facts.end()) {
    std::from_chars(found->second.data(), found->second.data() + found->second.size(), value);
  }
  return value;
}

std::string text_of(const record::ProgramFacts& facts, const char* key) {
  const auto found = facts.find(key);
  return found == facts.end() ? std::string() : found->second;
}

}  // namespace

ProcessClock clock_of(const record::ProgramFacts& facts, const Snapshot* snapshot) {
  return {.name = text_of(facts, "name"),
          .pid = fact<std::uint64_t>(facts, "pid"),
          .first_ticks = snapshot != nullptr ? snapshot->first_ticks : 0,
          .tick_ns = fact<double>(facts, "tick_ns"),
          .boot = text_of(facts, "boot")};
}

bool share_clock(const ProcessClock& a, const ProcessClock& b) {
  if (!(a.tick_ns > 0) || !(b.tick_ns > 0) || !(std::abs(b.tick_ns / a.tick_ns - 1) <= kSameClock))
    return false;
  return a.boot.empty() || b.boot.empty() || a.boot == b.boot;
}

std::vector<std::optional<double>> offsets_us(std::span<const ProcessClock> clocks, std::size_t of) {
  std::vector<std::optional<double>> offsets(clocks.size());
  const auto counts = [&](const ProcessClock& clock) {
    return clock.first_ticks != 0 && share_clock(clocks[of], clock);
  };
  std::uint64_t first = ~std::uint64_t{0};
  for (const ProcessClock& clock : clocks) {
    if (counts(clock)) first = std::min(first, clock.first_ticks);
  }
  for (std::size_t i = 0; i < clocks.size(); ++i) {
    if (counts(clocks[i]))
      offsets[i] = static_cast<double>(clocks[i].first_ticks - first) * clocks[of].tick_ns * 1e-3;
  }
  return offsets;
}

}  // namespace tapescope
