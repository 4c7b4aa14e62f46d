// The threads that run ops: which of them listen to what, set from outside.
#pragma once
#include <atomic>
#include <cstdint>
#include <vector>

#include "engine/events/chunk.h"

namespace tapescope {

// What happens after an op; the gate tests the whole word once.
enum Listen : std::uint32_t {
  kListenTapes = 1,     // tapes are active on the thread
  kListenShadow = 2,    // ops that no tape records leave a record of why not
  kListenEvents = 4,    // a session is active: every op leaves a timed record
  kListenGate = 8,      // the debugger may stop the thread
  kListenForward = 16,  // forward accumulators are active on the thread
  kListenFlight = 32,   // what ops make and read is held until the step ends
  kReleaseFlight = 64,  // nothing listens any more: the thread lets go of what it held, once
};

// The part of a thread's state that other threads may touch.
struct ThreadPort {
  std::atomic<std::uint32_t> listen{kListenShadow};
  EventWriter writer{this_thread_id()};

  ThreadPort();   // registers
  ~ThreadPort();  // unregisters
};

// Sets or clears a bit of every thread's word, and of threads to come.
void listen_on_all_threads(Listen bit, bool on);
// What all threads wrote lately, those that ended lately as well.
std::vector<ChunkRef> journals_of_all_threads();
// Calls `visit` with every registered thread's port while none can come or go.
void for_each_thread(void (*visit)(ThreadPort&, void*), void* context);

}  // namespace tapescope
