// CPython's limited interface, with owned references.
#pragma once
#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030B0000
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstdint>
#include <string_view>
#include <utility>

namespace tapescope::bridge {

// Holds one reference, or nothing.
class Ref {
 public:
  Ref() = default;
  explicit Ref(PyObject* owned) : object_(owned) {}
  static Ref share(PyObject* borrowed) {
    Py_XINCREF(borrowed);
    return Ref(borrowed);
  }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() { Py_XDECREF(object_); }
  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

inline std::uint64_t address_of(PyObject* object) { return reinterpret_cast<std::uintptr_t>(object); }

// The text of a str or bytes object; empty for any other.
inline std::string_view text_of(PyObject* object) {
  Py_ssize_t size = 0;
  if (PyUnicode_Check(object)) {
    const char* text = PyUnicode_AsUTF8AndSize(object, &size);
    return text ? std::string_view(text, static_cast<std::size_t>(size)) : std::string_view();
  }
  char* bytes = nullptr;
  if (PyBytes_Check(object) && PyBytes_AsStringAndSize(object, &bytes, &size) == 0)
    return {bytes, static_cast<std::size_t>(size)};
  return {};
}

// Item `i` of a list or a tuple, borrowed.
inline Py_ssize_t length_of(PyObject* items) {
  return PyList_Check(items) ? PyList_Size(items) : PyTuple_Check(items) ? PyTuple_Size(items) : 0;
}
inline PyObject* item_of(PyObject* items, Py_ssize_t i) {
  return PyList_Check(items) ? PyList_GetItem(items, i) : PyTuple_GetItem(items, i);
}

// A list or a tuple, looked at once; borrowed.
class Items {
 public:
  explicit Items(PyObject* items) : items_(items), list_(PyList_Check(items)), count_(length_of(items)) {}
  Py_ssize_t count() const { return count_; }
  PyObject* operator[](Py_ssize_t i) const {
    return list_ ? PyList_GetItem(items_, i) : PyTuple_GetItem(items_, i);
  }

 private:
  PyObject* items_;
  bool list_;
  Py_ssize_t count_;
};

// What a type written in C has for an attribute, for calls without a look-up; null where it has
// none of that name, or is written in Python.
inline getter getter_of(PyTypeObject* type, std::string_view name) {
  const auto* all = static_cast<const PyGetSetDef*>(PyType_GetSlot(type, Py_tp_getset));
  for (; all && all->name; ++all) {
    if (all->name == name) return all->get;
  }
  return nullptr;
}
inline PyCFunction method_of(PyTypeObject* type, std::string_view name) {
  const auto* all = static_cast<const PyMethodDef*>(PyType_GetSlot(type, Py_tp_methods));
  for (; all && all->ml_name; ++all) {
    if (all->ml_name == name) return all->ml_flags == METH_NOARGS ? all->ml_meth : nullptr;
  }
  return nullptr;
}

// An attribute's name, made once.
inline PyObject* interned(const char* text) { return PyUnicode_InternFromString(text); }

// Counts the error that is set, if one is, keeps the first for the log, and clears it.
void swallow_error();
// The same of an Exception; false where another error is set, as by Ctrl+C, which is the program's.
bool pass_over();

// Errors of hooks never reach the program.
class Guard {
 public:
  Guard() { PyErr_Fetch(&type_, &value_, &trace_); }
  ~Guard() {
    swallow_error();
    PyErr_Restore(type_, value_, trace_);
  }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  PyObject *type_ = nullptr, *value_ = nullptr, *trace_ = nullptr;
};

}  // namespace tapescope::bridge
