// The clock that the processes of a machine share: where each of them stands on it.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/recording/contents.h"
#include "viewer/store/snapshot.h"

namespace tapescope {

// Ticks are the machine's own, and count from its start.
struct ProcessClock {
  std::string name;               // that the program gave for itself
  std::uint64_t pid = 0;          // 0: unknown
  std::uint64_t first_ticks = 0;  // of its first event, from which its own times count; 0: none came yet
  double tick_ns = 0;             // of one tick; 0: unknown
  std::string boot;               // that start of that machine; empty: unknown
};

// Of a program that reports these facts, and of its events so far; the snapshot may be null.
ProcessClock clock_of(const record::ProgramFacts& facts, const Snapshot* snapshot);
bool share_clock(const ProcessClock& a, const ProcessClock& b);

// For each process the µs from the first event of all to its own, among those that share the clock of the one
// at `of`; nothing for the others, and for those without an event.
std::vector<std::optional<double>> offsets_us(std::span<const ProcessClock> clocks, std::size_t of);

}  // namespace tapescope
