// What later steps need to know of the functions that were traced in a step.
#pragma once
#include <span>
#include <vector>

#include "engine/events/records/record.h"

namespace tapescope {

// Of one thread's records in a step: traced ops, with what the host read meanwhile, gradient calls inside of
// traces, and what variables, parameters and results are. In their order.
std::vector<Record> lasting_trace_records(std::span<const Record> records);

}  // namespace tapescope
