// Each read of a variable asks for its handle and whether it is trainable: properties, which would run
// Python's code.
#include "bridges/python/module/variables.h"

#include <unordered_map>

#include "bridges/native/flat_table.h"

namespace tapescope::bridge {
namespace {

PyObject *g_plain = nullptr, *g_define = nullptr;

FlatTable<bool>& met() {
  static auto* handles = new FlatTable<bool>;
  return *handles;
}

// A property, or what a plain variable keeps behind it.
Ref property(PyObject* variable, PyObject* name, PyObject* kept) {
  Ref value(is_plain_variable(variable) ? PyObject_GetAttr(variable, kept) : nullptr);
  if (!value) {
    PyErr_Clear();
    value = Ref(PyObject_GetAttr(variable, name));
  }
  if (!value) PyErr_Clear();
  return value;
}

}  // namespace

void set_variables(PyObject* plain, PyObject* define) {
  Py_XINCREF(plain);
  Py_XDECREF(std::exchange(g_plain, plain));
  Py_XINCREF(define);
  Py_XDECREF(std::exchange(g_define, define));
  met().clear();
}

bool is_plain_variable(PyObject* object) { return reinterpret_cast<PyObject*>(Py_TYPE(object)) == g_plain; }

// Which classes have one is asked once.
Ref handle_of(PyObject* object) {
  static auto* kinds = new std::unordered_map<PyObject*, std::pair<Ref, bool>>;
  static PyObject *const name = interned("handle"), *const kept = interned("_handle");
  PyObject* type = reinterpret_cast<PyObject*>(Py_TYPE(object));
  auto known = kinds->find(type);
  if (known == kinds->end())
    known = kinds->emplace(type, std::pair(Ref::share(type), PyObject_HasAttr(type, name) == 1)).first;
  return known->second.second ? property(object, name, kept) : Ref();
}

SeenTensor seen_variable(PyObject* variable, PyObject* handle) {
  SeenTensor seen = find_tensor(handle);
  if (!g_define || (seen.id != 0 && !met().insert(seen.id).second)) return seen;
  const Ref made(PyObject_CallFunctionObjArgs(g_define, variable, nullptr));
  swallow_error();
  seen = find_tensor(handle);
  if (seen.id != 0) met().insert(seen.id);
  return seen;
}

SeenTensor note_access(PyObject* variable, PyObject* handle, std::uint32_t site) {
  static PyObject *const name = interned("trainable"), *const kept = interned("_trainable");
  const SeenTensor seen = seen_variable(variable, handle);
  if (seen.id == 0) return seen;
  const Ref flag = property(variable, name, kept);
  tapescope_variable_read(seen.id, flag && PyObject_IsTrue(flag.get()) == 1, site);
  return seen;
}

}  // namespace tapescope::bridge
