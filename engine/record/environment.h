// Programs that link the engine are recorded without a change: TAPESCOPE_RECORD=FILE program.
#pragma once
#include <string>

#include "engine/record/contents.h"

namespace tapescope::record {

// FILE with "%p" replaced by the process's id, so that the processes of one job do not write over each other.
std::string recording_path(std::string path);
// The facts every program has: its name, process and start.
ProgramFacts process_facts();

}  // namespace tapescope::record

// Begins what the environment asks for, before main. The library's link options name it, so that the linker takes it along.
extern "C" void tapescope_begin_from_environment();
// A program that has sessions of its own defines this; then nothing is begun for it.
extern "C" __attribute__((weak)) void tapescope_has_its_own_sessions();
