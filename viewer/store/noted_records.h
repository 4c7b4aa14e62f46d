// What the store reads of single records as they come.
#pragma once
#include <cstdint>
#include <span>

#include "engine/events/records/record.h"

namespace tapescope {

// Kinds that say something besides what a step's records are read for.
bool is_noted(RecordKind kind);
// When the first of them was written that says it; 0 where none does.
std::uint64_t first_ticks_in(std::span<const Record> records);

}  // namespace tapescope
