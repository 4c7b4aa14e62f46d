// Records of threads other than a step's own. Streams are drained one after the other, so those come sooner
// or later than the step's begin and end, and several steps' at once: their time says whose they are.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "viewer/store/step_data.h"

namespace tapescope {

// How many come before the first that was written after `ticks`. One that does not say its time was written
// with the one before it.
std::size_t written_until(std::span<const Record> records, std::uint64_t ticks);

// What others than `home` wrote after `ticks`: adds it to `to`, and says how many records that are; or takes
// it out.
std::size_t copy_later(const Segments& from, std::uint32_t home, std::uint64_t ticks, Segments& to);
void drop_later(Segments& from, std::uint32_t home, std::uint64_t ticks);

}  // namespace tapescope
