// Lets viewers attach to this program while it runs: TAPESCOPE_LISTEN=1 program, or a call of listen().
//
// TAPESCOPE_LISTEN=wait stands before main until a viewer lets it go on; else it waits for no viewer. Until a
// viewer attaches a thread sleeps and the program's own threads do nothing more than before; afterwards they
// leave the records a recording would get. A viewer that hangs or dies leaves the program running.
#pragma once
#include <string>

#include "engine/core/public.h"

namespace tapescope {
namespace live TAPESCOPE_PUBLIC {

// From now on, until the program ends. The socket is in a folder that this user alone can enter, and viewers
// of other users are refused. Does nothing the second time. Throws Error (surroundings) when there is no such
// folder. A process that was forked from this one does not listen before it calls listen() itself.
void listen();
// As listen(); then the program stands until a viewer has attached and lets it go on. Returns false where the
// thread was interrupted before (GateWaiter).
bool listen_and_stand();
bool listening();
// Whether a viewer is attached.
bool attached();
// The socket; empty while the program does not listen.
std::string listening_at();

}  // namespace live
}  // namespace tapescope

// Does so before main where the environment asks for it. The library's link options name it, so that the
// linker takes it along.
extern "C" TAPESCOPE_PUBLIC void tapescope_listen_from_environment();
