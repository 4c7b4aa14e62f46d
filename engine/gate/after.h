// What follows a call that did not pass apply(): for executors, tracers and functions, which run calls
// themselves and then record them as the gate does.
#pragma once
#include <span>

#include "engine/gate/state.h"

namespace tapescope {

// The call ran: tapes and accumulators are offered it, its event is written, the debugger may stop.
void call_ran(const OpCall& call, Ticks begin);

// The call became a node of a graph: the tapes and accumulators that became active since the trace began are
// offered it; the event says that nothing ran.
void call_traced(const OpCall& call, std::span<TapeListener* const> outside_tapes,
                 std::span<ForwardListener* const> outside_accumulators);

}  // namespace tapescope
