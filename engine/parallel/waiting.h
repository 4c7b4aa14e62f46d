// Waiting for the other processes, which may stand in a debugger meanwhile.
#pragma once
#include "engine/core/names.h"
#include "engine/events/records/record.h"
#include "engine/parallel/transport.h"

namespace tapescope::parallel {

// Returns once the exchange is over. Where a debugger asks for a pause meanwhile, the thread stands at its
// gate, in an op of that name and place, and the exchange goes on beside it: another process may be stepped
// over its end. Throws what the exchange throws, and StepAbandoned.
void wait_at_gate(StartedExchange& exchange, OpNameId op, SiteId site = 0);

}  // namespace tapescope::parallel
