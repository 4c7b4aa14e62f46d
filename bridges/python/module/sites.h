// The line of the user's code that led to a hook.
#pragma once
#include <cstdint>
#include <span>

#include "bridges/python/module/python.h"

namespace tapescope::bridge {

// The innermost frame of the calling thread whose code is the user's, as a site in `scope`; 0 where there is
// none. Costs one look-up a frame once a code object has been seen.
std::uint32_t user_site(std::uint32_t scope);
// The same for an op that runs, and records which lines of the user's led to it where those are others than
// before.
std::uint32_t called_site(std::uint32_t scope);
// Records them for the op of a graph that comes next at `site`, the innermost first.
void note_callers(std::uint32_t site, std::span<const std::uint32_t> callers);
// Likewise while a function is traced: of the code that the framework made of the user's, the line that it
// was made of.
std::uint32_t traced_site(std::uint32_t scope);
// `callable` decides, by a code object's file, whether it is the user's: None where it was generated from the
// user's. Called once for each. `origin`, or null: (file, line) of such code -> (file, function, line) of the
// user's, or None.
void set_is_user(PyObject* callable, PyObject* origin);
// The frame itself, a new reference; null where there is none.
PyObject* user_frame();
// Whether the innermost frame is of the module that runs tf.py_function.
bool called_by_py_function();
// Whether the user's code reads a tensor itself, by a method of it or a function of NumPy's: no other
// library's frame stands in between.
bool called_by_user();

}  // namespace tapescope::bridge
