// What a tape leaves in the records, and on the calling thread: for the module's functions and for the hooks.
#pragma once
#include <cstdint>

#include "bridges/native/tapescope_c.h"
#include "bridges/python/module/python.h"

namespace tapescope::bridge {

// Whether any tape of the program is left, of which something may be asked.
bool tapes_left();
std::uint32_t note_tape(bool persistent, bool watches_accessed);
void note_tape_entered(std::uint32_t tape, bool again);
void note_tape_gone(std::uint32_t tape);
// Returns the question's number.
std::uint64_t note_question(std::uint32_t tape, int flags, std::uint32_t targets, std::uint32_t sources);
void note_backward_begin(std::uint32_t tape, std::uint64_t question);
void note_backward_end(std::uint32_t tape, std::uint64_t question, bool raised);
// The answer for the source at `index`; returns what its values hold, as found_in() does.
int note_answer(std::uint32_t index, tapescope_tensor source, std::uint32_t name, int kind,
                PyObject* gradient);
// Bits of what a tensor holds: 1 all zero, 2 NaN, 4 infinity.
int found_in(PyObject* tensor);
// The value of a tensor without dimensions; false for any other.
bool single_value(PyObject* tensor, double& value);
// Whether the walk under way, or the last one, made the tensor for a source that nothing connects: after its
// steps.
bool is_filler(PyObject* tensor);

}  // namespace tapescope::bridge
