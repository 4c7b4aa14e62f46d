// The module's functions, and what they are made with.
#pragma once
#include <cstdint>

#include "bridges/native/tapescope_c.h"
#include "bridges/python/module/python.h"

namespace tapescope::bridge {

// As the format letter K wants it.
using Id = unsigned long long;

inline PyObject* number(std::uint64_t value) { return PyLong_FromUnsignedLongLong(value); }
inline std::uint32_t name_id(const char* text, Py_ssize_t size) {
  return text ? tapescope_name(text, static_cast<std::size_t>(size)) : 0;
}

// None, unless a signal handler raised while the thread stood at the debugger's gate.
inline PyObject* done() {
  if (PyErr_Occurred()) return nullptr;
  Py_RETURN_NONE;
}

// Tapes, questions, functions and steps.
PyMethodDef* tape_methods();
// Hooks around TensorFlow's tapes.
PyMethodDef* question_methods();
// Training steps as Python's hooks see them.
PyMethodDef* step_methods();
// Findings of hooks that are written in Python, and ops that they timed themselves.
PyMethodDef* finding_methods();
// Reads by NumPy's functions.
PyMethodDef* buffer_methods();
// The C interface for what is built later.
PyMethodDef* table_methods();

}  // namespace tapescope::bridge
