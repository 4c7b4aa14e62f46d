// Training steps: marked by the program, or recognized.
//
// A step ends when an outermost tape is entered again at the same place after a question, or a function that
// asks inside is called again: programs with several tapes in one step (an actor and a critic) have steps of
// all of them. Where the program updates what it asks about, it also waits for an update: a loop that adds up
// the gradients of many examples is one step.
//
// Of several threads that train, one has the steps, and what the others ask falls into them. Another takes
// them over when that one has ended, or asks no more.
//
// Processes of a job that train replicas end a step with their update: what one of them does alone is not to
// shift its numbers.
#pragma once
#include <span>

#include "bridges/native/tapescope_c.h"
#include "bridges/python/module/python.h"

namespace tapescope::bridge {

// Each may leave an error set: a signal handler raised it at the debugger's gate.

// An outermost tape is entered, or a function called that asks inside, at `place`, which is any object with a
// hash. `whole`: it updates what it asks about itself.
void arrive_in_step(PyObject* place, bool whole = false);
// A question was put about these variables; returns whether it is the step's first.
bool ask_in_step(std::span<const tapescope_tensor> sources);
// A scalar of the step under way, where it has none of that name.
void note_in_step(std::uint32_t name, double value);

}  // namespace tapescope::bridge
