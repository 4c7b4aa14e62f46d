// The module `_tapescope`: hooks in C, and the C interface as functions for the rest, which is written in
// Python.
#include <algorithm>
#include <csignal>
#include <string>
#include <vector>

#include "bridges/python/module/functions.h"
#include "bridges/python/module/gate.h"
#include "bridges/python/module/ops.h"
#include "bridges/python/module/python.h"
#include "bridges/python/module/sites.h"
#include "bridges/python/module/tensors.h"
#include "bridges/python/module/thread.h"
#include "bridges/python/module/variables.h"

namespace tapescope::bridge {
namespace {

struct Errors {
  std::uint64_t count = 0;
  std::string first;
};
Errors& errors() {
  static auto* instance = new Errors;
  return *instance;
}

PyObject* sentence(const char* text) {
  if (text) return PyUnicode_FromString(text);
  Py_RETURN_NONE;
}

// --- the session

PyObject* fact(PyObject*, PyObject* arguments) {
  const char *key, *value;
  if (!PyArg_ParseTuple(arguments, "ss", &key, &value)) return nullptr;
  tapescope_fact(key, value);
  Py_RETURN_NONE;
}

PyObject* record(PyObject*, PyObject* arguments) {
  const char* path;
  if (!PyArg_ParseTuple(arguments, "s", &path)) return nullptr;
  return sentence(tapescope_record(path));
}

PyObject* finish(PyObject*, PyObject* arguments) {
  const char* how;
  if (!PyArg_ParseTuple(arguments, "s", &how)) return nullptr;
  Py_BEGIN_ALLOW_THREADS tapescope_finish(how);
  Py_END_ALLOW_THREADS Py_RETURN_NONE;
}

// (whether to wait until a viewer lets the program go on)
PyObject* listen(PyObject*, PyObject* arguments) {
  int wait = 0;
  if (!PyArg_ParseTuple(arguments, "|p", &wait)) return nullptr;
  hook_thread();  // sets how the thread waits
  const char* problem = tapescope_listen(wait);
  return PyErr_Occurred() ? nullptr : sentence(problem);
}
// (number): the process ends by that signal, once the interpreter has ended.
PyObject* end_by_signal(PyObject*, PyObject* arguments) {
  static int wanted = 0;
  if (!PyArg_ParseTuple(arguments, "i", &wanted)) return nullptr;
  Py_AtExit([] {
    std::signal(wanted, SIG_DFL);
    std::raise(wanted);
  });
  Py_RETURN_NONE;
}

PyObject* attached(PyObject*, PyObject*) { return PyBool_FromLong(tapescope_attached()); }
PyObject* listening(PyObject*, PyObject*) { return PyBool_FromLong(tapescope_listening()); }

PyObject* attended(PyObject*, PyObject*) { return PyBool_FromLong(tapescope_attended()); }

PyObject* configure(PyObject*, PyObject* arguments, PyObject* keywords) {
  static const char* names[] = {"eager", "dtypes",   "readable", "is_user",        "rule", "variable",
                                "graph", "names_of", "origin",   "plain_variable", nullptr};
  PyObject *eager, *dtypes, *is_user, *rule, *variable, *graph;
  PyObject *names_of = nullptr, *origin = nullptr, *plain_variable = nullptr;
  int readable;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OOpOOOO|OOO", const_cast<char**>(names), &eager,
                                   &dtypes, &readable, &is_user, &rule, &variable, &graph, &names_of, &origin,
                                   &plain_variable)) {
    return nullptr;
  }
  for (PyObject* held : {eager, dtypes, rule, graph}) Py_INCREF(held);
  set_tensor_types({eager, dtypes, readable != 0});
  set_variables(plain_variable, variable);
  op_callbacks() = {rule, graph};
  set_is_user(is_user, origin);
  set_names_of(names_of);
  Py_RETURN_NONE;
}

PyObject* swallowed(PyObject*, PyObject*) {
  return Py_BuildValue("(Ks)", static_cast<Id>(errors().count), errors().first.c_str());
}

// (what): a hook written in Python passed an error over.
PyObject* failed(PyObject*, PyObject* arguments) {
  const char* text;
  if (!PyArg_ParseTuple(arguments, "s", &text)) return nullptr;
  if (errors().count++ == 0) errors().first = text;
  Py_RETURN_NONE;
}

// --- names, places, tensors

PyObject* site(PyObject*, PyObject*) { return number(place_in_program()); }

PyObject* site_of(PyObject*, PyObject* arguments) {
  const char *file, *function;
  unsigned line, column, scope;
  if (!PyArg_ParseTuple(arguments, "ssIII", &file, &function, &line, &column, &scope)) return nullptr;
  return number(tapescope_site(file, function, line, column, scope));
}

// (site, sites of the lines that led to it): of the op of a graph that comes next there.
PyObject* callers(PyObject*, PyObject* arguments) {
  unsigned at;
  PyObject* sites;
  if (!PyArg_ParseTuple(arguments, "IO!", &at, &PyList_Type, &sites)) return nullptr;
  std::vector<std::uint32_t> all;
  for (Py_ssize_t i = 0; i < length_of(sites); ++i)
    all.push_back(static_cast<std::uint32_t>(PyLong_AsUnsignedLongMask(item_of(sites, i))));
  if (PyErr_Occurred()) return nullptr;
  note_callers(at, all);
  Py_RETURN_NONE;
}

PyObject* frame(PyObject*, PyObject*) {
  if (PyObject* found = user_frame()) return found;
  Py_RETURN_NONE;
}

PyObject* scope(PyObject*, PyObject* arguments) {
  unsigned parent;
  const char* text;
  Py_ssize_t size;
  if (!PyArg_ParseTuple(arguments, "Is#", &parent, &text, &size)) return nullptr;
  return number(tapescope_scope(parent, name_id(text, size)));
}

// Sets the scope of the thread's sites; returns the one before.
PyObject* set_scope(PyObject*, PyObject* arguments) {
  unsigned wanted;
  if (!PyArg_ParseTuple(arguments, "I", &wanted)) return nullptr;
  return number(std::exchange(hook_thread().scope, wanted));
}

PyObject* type_number(PyObject*, PyObject* arguments) {
  const char* dtype;
  PyObject* sizes;
  if (!PyArg_ParseTuple(arguments, "sO", &dtype, &sizes)) return nullptr;
  std::int64_t dims[16];
  int rank = 0;
  for (Py_ssize_t i = 0; i < length_of(sizes) && rank < 16; ++i) {
    PyObject* size = item_of(sizes, i);
    dims[rank++] = PyLong_Check(size) ? PyLong_AsLongLong(size) : -1;
  }
  return number(tapescope_type(dtype, rank, dims));
}

PyObject* tensor(PyObject*, PyObject* object) {
  return number(seen_tensor(object, user_site(hook_thread().scope), false).id);
}
PyObject* type_of_tensor(PyObject*, PyObject* object) { return number(type_of(object)); }
PyObject* find(PyObject*, PyObject* object) { return number(find_tensor(object).id); }

PyObject* created(PyObject*, PyObject* object) { return number(note_created(object)); }

PyObject* host_read(PyObject*, PyObject* object) {
  note_host_read(object);
  Py_RETURN_NONE;
}

PyObject* same_tensor(PyObject*, PyObject* arguments) {
  long long identity;
  Id id;
  unsigned type;
  if (!PyArg_ParseTuple(arguments, "LKI", &identity, &id, &type)) return nullptr;
  tapescope_same_tensor(identity, id, type);
  Py_RETURN_NONE;
}

// The id of a tensor by its identity, 0 where unknown.
PyObject* known(PyObject*, PyObject* arguments) {
  long long identity;
  if (!PyArg_ParseTuple(arguments, "L", &identity)) return nullptr;
  return number(tapescope_known(identity, nullptr));
}

PyObject* tensor_made(PyObject*, PyObject* arguments) {
  long long identity;
  unsigned type;
  if (!PyArg_ParseTuple(arguments, "LI", &identity, &type)) return nullptr;
  return number(tapescope_tensor_made(identity, type));
}

PyObject* handle_made(PyObject*, PyObject* arguments) {
  long long identity;
  unsigned type, at;
  if (!PyArg_ParseTuple(arguments, "LII", &identity, &type, &at)) return nullptr;
  return number(tapescope_handle_made(identity, type, at));
}

PyObject* handle_site(PyObject*, PyObject* arguments) {
  Id handle;
  unsigned at;
  if (!PyArg_ParseTuple(arguments, "KI", &handle, &at)) return nullptr;
  if (handle != 0) tapescope_handle_site(handle, at);
  Py_RETURN_NONE;
}

PyObject* tensor_name(PyObject*, PyObject* arguments) {
  Id id;
  const char* text;
  Py_ssize_t size;
  if (!PyArg_ParseTuple(arguments, "Ks#", &id, &text, &size)) return nullptr;
  const std::uint32_t name = name_id(text, size);
  tapescope_tensor_name(id, name);
  remember_name(id, name);
  Py_RETURN_NONE;
}

PyObject* variable(PyObject*, PyObject* arguments) {
  Id handle;
  const char* text;
  Py_ssize_t size;
  int trainable;
  unsigned type;
  if (!PyArg_ParseTuple(arguments, "Ks#pI", &handle, &text, &size, &trainable, &type)) return nullptr;
  const std::uint32_t name = name_id(text, size);
  tapescope_variable(handle, name, trainable, type);
  remember_name(handle, name);
  Py_RETURN_NONE;
}

PyObject* assign(PyObject*, PyObject* arguments) {
  Id handle, value;
  unsigned at;
  if (!PyArg_ParseTuple(arguments, "KKI", &handle, &value, &at)) return nullptr;
  tapescope_assign(handle, value, at);
  Py_RETURN_NONE;
}

// Handles of the variables that this thread assigned since this was last called.
PyObject* assigned(PyObject*, PyObject*) {
  PyObject* list = PyList_New(0);
  for (const tapescope_tensor handle : hook_thread().assigned) {
    const Ref value(PyLong_FromUnsignedLongLong(handle));
    if (!list || !value || PyList_Append(list, value.get()) < 0) break;
  }
  hook_thread().assigned.clear();
  return list;
}

// (identity, type, site, an object with a buffer or None): a constant of a graph.
PyObject* constant(PyObject*, PyObject* arguments) {
  long long identity;
  unsigned type, at;
  PyObject* object;
  if (!PyArg_ParseTuple(arguments, "LIIO", &identity, &type, &at, &object)) return nullptr;
  std::uint16_t mark = 0;
  if (const Values values(object, true); object != Py_None && values) mark = tapescope_mark(&values.get());
  return number(tapescope_created(identity, type, at, mark, 0));
}

PyObject* variable_read(PyObject*, PyObject* arguments) {
  Id handle;
  int trainable;
  if (!PyArg_ParseTuple(arguments, "Kp", &handle, &trainable)) return nullptr;
  tapescope_variable_read(handle, trainable, user_site(hook_thread().scope));
  Py_RETURN_NONE;
}

// --- ops that Python announces

// (op type, input ids, input types, output identities, output types, site, flags) -> id of the first output
PyObject* op(PyObject*, PyObject* arguments) {
  const char* text;
  Py_ssize_t size;
  PyObject *inputs, *input_types, *identities, *output_types;
  unsigned at, flags;
  if (!PyArg_ParseTuple(arguments, "s#OOOOII", &text, &size, &inputs, &input_types, &identities,
                        &output_types, &at, &flags)) {
    return nullptr;
  }
  std::vector<tapescope_tensor> ids;
  std::vector<std::uint32_t> in, out;
  std::vector<std::int64_t> outputs;
  for (Py_ssize_t i = 0; i < length_of(inputs); ++i) {
    ids.push_back(PyLong_AsUnsignedLongLong(item_of(inputs, i)));
    in.push_back(static_cast<std::uint32_t>(PyLong_AsUnsignedLongMask(item_of(input_types, i))));
  }
  for (Py_ssize_t i = 0; i < length_of(identities); ++i) {
    outputs.push_back(PyLong_AsLongLong(item_of(identities, i)));
    out.push_back(static_cast<std::uint32_t>(PyLong_AsUnsignedLongMask(item_of(output_types, i))));
  }
  if (PyErr_Occurred()) return nullptr;
  tapescope_op_call call{};
  call.op = op_number({text, static_cast<std::size_t>(size)});
  call.flags = static_cast<std::uint8_t>(flags | (hook_thread().backward > 0 ? TAPESCOPE_BACKWARD : 0));
  call.site = at;
  if (!(flags & TAPESCOPE_TRACED)) call.begin = call.end = tapescope_ticks();
  call.inputs = ids.size();
  call.input = ids.data();
  call.input_type = in.data();
  call.outputs = outputs.size();
  call.identity = outputs.data();
  call.output_type = out.data();
  return number(tapescope_op(&call));
}

PyObject* number_of_op(PyObject*, PyObject* arguments) {
  const char* text;
  Py_ssize_t size;
  if (!PyArg_ParseTuple(arguments, "s#", &text, &size)) return nullptr;
  return number(op_number({text, static_cast<std::size_t>(size)}));
}

template <class F>
constexpr PyCFunction with_keywords(F function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

PyObject* wrap_original(PyObject* original, PyMethodDef* definition) {
  return PyCFunction_NewEx(definition, original, nullptr);
}

PyMethodDef g_fast_path = {"TFE_Py_FastPathExecute", fast_path, METH_VARARGS, nullptr};
PyMethodDef g_execute = {"TFE_Py_Execute", execute, METH_VARARGS, nullptr};
PyMethodDef g_gradient = {"_gradient_function", gradient_function, METH_VARARGS, nullptr};
PyMethodDef g_accessed = {"variable_accessed", variable_accessed, METH_VARARGS, nullptr};
PyMethodDef g_converted = {"convert_to_eager_tensor", with_keywords(converted), METH_VARARGS | METH_KEYWORDS,
                           nullptr};

PyObject* wrap_fast_path(PyObject*, PyObject* original) { return wrap_original(original, &g_fast_path); }
PyObject* wrap_execute(PyObject*, PyObject* original) { return wrap_original(original, &g_execute); }
PyObject* wrap_gradient(PyObject*, PyObject* original) { return wrap_original(original, &g_gradient); }

PyObject* wrap_accessed(PyObject*, PyObject* original) { return wrap_original(original, &g_accessed); }
PyObject* wrap_converted(PyObject*, PyObject* original) { return wrap_original(original, &g_converted); }

PyObject* mute(PyObject*, PyObject*) {
  ++hook_thread().muted;
  Py_RETURN_NONE;
}
PyObject* unmute(PyObject*, PyObject*) {
  --hook_thread().muted;
  Py_RETURN_NONE;
}
PyObject* is_muted(PyObject*, PyObject*) {
  return PyBool_FromLong(hook_thread().muted || !tapescope_listening());
}
PyObject* trace_begin(PyObject*, PyObject*) {
  return number(static_cast<std::uint64_t>(++hook_thread().tracing));
}
PyObject* trace_end(PyObject*, PyObject*) {
  return number(static_cast<std::uint64_t>(--hook_thread().tracing));
}
PyObject* tracing(PyObject*, PyObject*) { return number(static_cast<std::uint64_t>(hook_thread().tracing)); }
PyObject* ticks_now(PyObject*, PyObject*) { return number(tapescope_ticks()); }

PyMethodDef g_methods[] = {{"fact", fact, METH_VARARGS, nullptr},
                           {"record", record, METH_VARARGS, nullptr},
                           {"finish", finish, METH_VARARGS, nullptr},
                           {"listen", listen, METH_VARARGS, nullptr},
                           {"end_by_signal", end_by_signal, METH_VARARGS, nullptr},
                           {"listening", listening, METH_NOARGS, nullptr},
                           {"attached", attached, METH_NOARGS, nullptr},
                           {"attended", attended, METH_NOARGS, nullptr},
                           {"configure", with_keywords(configure), METH_VARARGS | METH_KEYWORDS, nullptr},
                           {"failed", failed, METH_VARARGS, nullptr},
                           {"swallowed", swallowed, METH_NOARGS, nullptr},
                           {"site", site, METH_NOARGS, nullptr},
                           {"site_of", site_of, METH_VARARGS, nullptr},
                           {"callers", callers, METH_VARARGS, nullptr},
                           {"frame", frame, METH_NOARGS, nullptr},
                           {"scope", scope, METH_VARARGS, nullptr},
                           {"set_scope", set_scope, METH_VARARGS, nullptr},
                           {"type", type_number, METH_VARARGS, nullptr},
                           {"tensor", tensor, METH_O, nullptr},
                           {"type_of", type_of_tensor, METH_O, nullptr},
                           {"find", find, METH_O, nullptr},
                           {"known", known, METH_VARARGS, nullptr},
                           {"created", created, METH_O, nullptr},
                           {"host_read", host_read, METH_O, nullptr},
                           {"same_tensor", same_tensor, METH_VARARGS, nullptr},
                           {"tensor_made", tensor_made, METH_VARARGS, nullptr},
                           {"handle_made", handle_made, METH_VARARGS, nullptr},
                           {"handle_site", handle_site, METH_VARARGS, nullptr},
                           {"tensor_name", tensor_name, METH_VARARGS, nullptr},
                           {"variable", variable, METH_VARARGS, nullptr},
                           {"assign", assign, METH_VARARGS, nullptr},
                           {"assigned", assigned, METH_NOARGS, nullptr},
                           {"constant", constant, METH_VARARGS, nullptr},
                           {"variable_read", variable_read, METH_VARARGS, nullptr},
                           {"op", op, METH_VARARGS, nullptr},
                           {"op_number", number_of_op, METH_VARARGS, nullptr},
                           {"op_callback", with_keywords(op_callback), METH_VARARGS | METH_KEYWORDS, nullptr},
                           {"wrap_fast_path", wrap_fast_path, METH_O, nullptr},
                           {"wrap_execute", wrap_execute, METH_O, nullptr},
                           {"wrap_gradient", wrap_gradient, METH_O, nullptr},
                           {"wrap_accessed", wrap_accessed, METH_O, nullptr},
                           {"wrap_converted", wrap_converted, METH_O, nullptr},
                           {"mute", mute, METH_NOARGS, nullptr},
                           {"unmute", unmute, METH_NOARGS, nullptr},
                           {"is_muted", is_muted, METH_NOARGS, nullptr},
                           {"trace_begin", trace_begin, METH_NOARGS, nullptr},
                           {"trace_end", trace_end, METH_NOARGS, nullptr},
                           {"tracing", tracing, METH_NOARGS, nullptr},
                           {"ticks", ticks_now, METH_NOARGS, nullptr},
                           {nullptr, nullptr, 0, nullptr}};

PyModuleDef g_module = {PyModuleDef_HEAD_INIT,
                        "_tapescope",
                        "Records of a program for Tapescope.",
                        -1,
                        g_methods,
                        nullptr,
                        nullptr,
                        nullptr,
                        nullptr};

}  // namespace

constinit thread_local HookThread* t_hook_thread = nullptr;

HookThread& make_hook_thread() {
  t_hook_thread = new HookThread;
  set_waiter();
  return *t_hook_thread;
}

bool pass_over() {
  if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_Exception)) return false;
  swallow_error();
  return true;
}

void swallow_error() {
  if (!PyErr_Occurred()) return;
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  if (errors().count++ == 0 && value) {
    const Ref text(PyObject_Str(value));
    const Ref name(PyObject_GetAttrString(type, "__name__"));
    if (text && name)
      errors().first = std::string(text_of(name.get())) + ": " + std::string(text_of(text.get()));
    PyErr_Clear();
  }
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
}

}  // namespace tapescope::bridge

PyMODINIT_FUNC PyInit__tapescope() {
  using namespace tapescope::bridge;
  Ref module(PyModule_Create(&g_module));
  if (module && PyModule_AddFunctions(module.get(), tape_methods()) != 0) return nullptr;
  if (module && PyModule_AddFunctions(module.get(), question_methods()) != 0) return nullptr;
  if (module && PyModule_AddFunctions(module.get(), call_methods()) != 0) return nullptr;
  if (module && PyModule_AddFunctions(module.get(), step_methods()) != 0) return nullptr;
  if (module && PyModule_AddFunctions(module.get(), finding_methods()) != 0) return nullptr;
  if (module && PyModule_AddFunctions(module.get(), table_methods()) != 0) return nullptr;
  if (module && PyModule_AddFunctions(module.get(), gate_methods()) != 0) return nullptr;
  if (module && PyModule_AddFunctions(module.get(), buffer_methods()) != 0) return nullptr;
  return module.release();
}
