// Programs that link the engine are recorded without a change: TAPESCOPE_RECORD=FILE program.
// TAPESCOPE_RECORD_VALUES=RULE names steps whose values are kept (ValueRule), TAPESCOPE_RECORD_BUDGET=MB how
// much of them.
#pragma once
#include <sys/types.h>

#include <string>
#include <string_view>

#include "engine/core/public.h"
#include "engine/recording/step_values.h"

namespace tapescope::record {

// FILE with "%p" replaced by the process's id, "%h" by the host's name and "%r" by the process's rank in its
// job (0 where it is none's), so that the processes of one job do not write over each other. `process` 0 is
// this one.
std::string recording_path(std::string path, pid_t process = 0);
// The values that the environment asks for; none where it says nothing. Throws Error (value) that names the
// variable.
ValueOptions values_from_environment();
// The exit code that the recording of this process ends with, where it has one and has not ended.
void note_exit_code(int code);

}  // namespace tapescope::record

// Begins what the environment asks for, before main. The library's link options name it, so that the linker
// takes it along.
extern "C" TAPESCOPE_PUBLIC void tapescope_begin_from_environment();
// A program that opens its sessions itself defines this; then nothing is begun for it.
extern "C" TAPESCOPE_PUBLIC __attribute__((weak)) void tapescope_has_its_own_sessions();
