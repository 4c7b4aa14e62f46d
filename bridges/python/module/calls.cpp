// Hooks around the calls of TensorFlow's functions. In C++, as each Python function in between would be a
// frame that TensorFlow walks over with every op that runs inside; what is written in Python runs before and
// after.
#include <iterator>
#include <string_view>

#include "bridges/native/flat_table.h"
#include "bridges/python/module/functions.h"
#include "bridges/python/module/gate.h"
#include "bridges/python/module/thread.h"

namespace tapescope::bridge {
namespace {

enum Method { kCall, kGetConcrete, kFlat };
PyObject* g_originals[3] = {};
// (function, whether it is called) -> what is known of the call; (that, result): it came to its end; (that):
// it raised.
PyObject *g_begin = nullptr, *g_end = nullptr, *g_raised = nullptr;
PyObject* g_flat = nullptr;  // in place of _call_flat where there is something to look at

// A concrete function that was called.
struct KnownTrace {
  Ref trace;          // what Python knows of it
  bool plain = true;  // nothing in it is looked at
};
FlatTable<KnownTrace>& traces() {
  static auto* instance = new FlatTable<KnownTrace>;  // by address
  return *instance;
}

template <Method kMethod>
PyObject* function_call(PyObject* function, PyObject* arguments, PyObject* keywords) {
  const Ref all = with_self(function, arguments);
  if (!all) return nullptr;
  Ref call;
  if (!hook_thread().muted) {
    call =
        Ref(PyObject_CallFunctionObjArgs(g_begin, function, kMethod == kCall ? Py_True : Py_False, nullptr));
    if (!call && !pass_over()) return nullptr;
  }
  Ref result(PyObject_Call(g_originals[kMethod], all.get(), keywords));
  if (!call) return result.release();
  if (!result) {
    const Guard guard;  // the program's error comes back
    Ref(PyObject_CallFunctionObjArgs(g_raised, call.get(), nullptr));
    return nullptr;
  }
  const Ref done(PyObject_CallFunctionObjArgs(g_end, call.get(), result.get(), nullptr));
  return done || pass_over() ? result.release() : nullptr;
}

PyObject* flat_call(PyObject* concrete, PyObject* arguments, PyObject* keywords) {
  const Ref all = with_self(concrete, arguments);
  if (!all) return nullptr;
  HookThread& thread = hook_thread();
  const KnownTrace* known = traces().find(address_of(concrete));
  const bool plain = (!known || known->plain) && !(thread.at_gate() && tapescope_steps_inside());
  Ref outer = std::exchange(thread.flat, known ? Ref::share(known->trace.get()) : Ref());
  PyObject* result = PyObject_Call(plain || thread.muted ? g_originals[kFlat] : g_flat, all.get(), keywords);
  thread.flat = std::move(outer);
  return result;
}

PyMethodDef g_methods[] = {
    {"__call__", with_keywords(function_call<kCall>), kKeywords, nullptr},
    {"get_concrete_function", with_keywords(function_call<kGetConcrete>), kKeywords, nullptr},
    {"_call_flat", with_keywords(flat_call), kKeywords, nullptr}};

// --- functions of the module

PyObject* configure_calls(PyObject*, PyObject* arguments) {
  if (!PyArg_ParseTuple(arguments, "OOO", &g_begin, &g_end, &g_raised)) return nullptr;
  for (PyObject* held : {g_begin, g_end, g_raised}) Py_INCREF(held);  // for good: the functions of a module
  Py_RETURN_NONE;
}

// (class, method's name, its original[, what stands in its place where something in the graph is looked at])
// -> what stands in its place.
PyObject* wrap_call_method(PyObject*, PyObject* arguments) {
  PyObject *type, *original, *looks = nullptr;
  const char* name;
  if (!PyArg_ParseTuple(arguments, "O!sO|O", &PyType_Type, &type, &name, &original, &looks)) return nullptr;
  for (std::size_t i = 0; i < std::size(g_methods); ++i) {
    if (std::string_view(g_methods[i].ml_name) != name) continue;
    Py_INCREF(original);
    Py_XDECREF(std::exchange(g_originals[i], original));
    Py_XINCREF(looks);
    if (looks) Py_XDECREF(std::exchange(g_flat, looks));
    return PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(type), &g_methods[i]);
  }
  return PyErr_Format(PyExc_ValueError, "functions' %s has no hook", name);
}

// (concrete function, what is known of it, whether nothing in it is looked at)
PyObject* trace_known(PyObject*, PyObject* arguments) {
  PyObject *concrete, *trace;
  int plain;
  if (!PyArg_ParseTuple(arguments, "OOp", &concrete, &trace, &plain)) return nullptr;
  *traces().insert(address_of(concrete)).first = {Ref::share(trace), plain != 0};
  Py_RETURN_NONE;
}

// (its address): it is no more.
PyObject* trace_gone(PyObject*, PyObject* address) {
  const std::uint64_t gone = PyLong_AsUnsignedLongLong(address);
  if (KnownTrace* known = traces().find(gone)) {
    const Ref trace = std::move(known->trace);
    traces().erase_if([&](std::uint64_t key, const KnownTrace&) { return key == gone; });
  }
  return done();
}

// What is known of the concrete function whose graph runs; None where none does.
PyObject* running_trace(PyObject*, PyObject*) {
  if (PyObject* trace = hook_thread().flat.get()) return Ref::share(trace).release();
  Py_RETURN_NONE;
}

PyMethodDef g_call_methods[] = {{"configure_calls", configure_calls, METH_VARARGS, nullptr},
                                {"wrap_call_method", wrap_call_method, METH_VARARGS, nullptr},
                                {"trace_known", trace_known, METH_VARARGS, nullptr},
                                {"trace_gone", trace_gone, METH_O, nullptr},
                                {"running_trace", running_trace, METH_NOARGS, nullptr},
                                {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyMethodDef* call_methods() { return g_call_methods; }

}  // namespace tapescope::bridge
