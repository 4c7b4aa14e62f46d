// Steps of optimizers: each is one op, whatever it calls.
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>

#include "bridges/torch_observer/ops.h"
#include "bridges/torch_observer/state.h"
#include "bridges/torch_observer/stops.h"

namespace tapescope_observer {

// Optimizers about which Python has said that there is nothing more to look at. An address counts as long as
// the weak reference to it lives. The interpreter's lock guards it.
class Settled {
 public:
  bool has(PyObject* optimizer) const {
    const auto known = references_.find(optimizer);
    return known != references_.end() && is_alive(known->second);
  }

  void add(PyObject* optimizer) {
    for (auto each = references_.begin(); each != references_.end();) {
      if (is_alive(each->second)) {
        ++each;
      } else {
        Py_DECREF(each->second);
        each = references_.erase(each);
      }
    }
    if (PyObject* const reference = PyWeakref_NewRef(optimizer, nullptr))
      references_.emplace(optimizer, reference);
    PyErr_Clear();
  }

  void clear() {
    for (const auto& [optimizer, reference] : references_) Py_DECREF(reference);
    references_.clear();
  }

 private:
  static bool is_alive(PyObject* reference) { return PyWeakref_GetObject(reference) != Py_None; }
  std::unordered_map<PyObject*, PyObject*> references_;
};

inline Settled& settled() {
  static auto* const all = new Settled;  // outlives the interpreter
  return *all;
}

// The hooks are called as (optimizer, arguments, keywords), the arguments with the optimizer.
inline PyObject* update_begins(PyObject*, PyObject* const* given, Py_ssize_t count) {
  if (count < 3 || !is_on || !PyTuple_Check(given[1]) || !PyDict_Check(given[2])) Py_RETURN_NONE;
  PyObject* const closure = PyDict_GetItemString(given[2], "closure");
  if (PyTuple_GET_SIZE(given[1]) > 1 || (closure && closure != Py_None)) Py_RETURN_NONE;  // the program's own
  call_begins(this_thread());
  Py_RETURN_NONE;
}

inline PyObject* update_ended(PyObject*, PyObject* const* given, Py_ssize_t count) {
  if (count < 1 || !is_on) Py_RETURN_NONE;
  PyObject* const optimizer = given[0];
  std::string_view type = Py_TYPE(optimizer)->tp_name;
  type = type.substr(type.rfind('.') + 1);
  call_ends(this_thread(), std::string(type).append(".step").c_str());
  this_thread().pace.updated();
  if (PyErr_Occurred()) return nullptr;
  if (settled().has(optimizer)) Py_RETURN_NONE;
  PyObject* const answer = PyObject_CallOneArg(callbacks.updated, optimizer);
  if (!answer) return nullptr;  // of a signal's handler
  if (answer == Py_True) settled().add(optimizer);
  Py_DECREF(answer);
  Py_RETURN_NONE;
}

}  // namespace tapescope_observer
