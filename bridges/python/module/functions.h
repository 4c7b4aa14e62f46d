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

// A method's arguments as the original takes them; null with an error.
inline Ref with_self(PyObject* self, PyObject* arguments) {
  const Py_ssize_t count = PyTuple_Size(arguments);
  Ref all(PyTuple_New(count + 1));
  if (!all) return all;
  PyTuple_SetItem(all.get(), 0, Ref::share(self).release());
  for (Py_ssize_t i = 0; i < count; ++i)
    PyTuple_SetItem(all.get(), i + 1, Ref::share(PyTuple_GetItem(arguments, i)).release());
  return all;
}

template <class F>
constexpr PyCFunction with_keywords(F function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}
constexpr int kKeywords = METH_VARARGS | METH_KEYWORDS;

// Tapes, questions, functions and steps.
PyMethodDef* tape_methods();
// Hooks around TensorFlow's tapes.
PyMethodDef* question_methods();
// Hooks around the calls of TensorFlow's functions.
PyMethodDef* call_methods();
// Training steps as Python's hooks see them.
PyMethodDef* step_methods();
// Findings of hooks that are written in Python, and ops that they timed themselves.
PyMethodDef* finding_methods();
// Reads by NumPy's functions.
PyMethodDef* buffer_methods();
// The C interface for what is built later.
PyMethodDef* table_methods();

}  // namespace tapescope::bridge
