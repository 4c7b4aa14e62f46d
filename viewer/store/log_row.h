// Lines of the log, made of records.
#pragma once
#include "engine/events/records/record.h"
#include "viewer/store/snapshot.h"

namespace tapescope {

// A message of the program, or the warning that an op ran once for each row of a batch.
LogRow log_row(const Record& record, std::uint64_t step);

}  // namespace tapescope
