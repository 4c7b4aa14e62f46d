// Tapes, questions, functions and steps of the module: the C interface, argument by argument.
#include "bridges/python/module/tapes.h"

#include <algorithm>

#include "bridges/python/module/functions.h"
#include "bridges/python/module/gate.h"
#include "bridges/python/module/ops.h"
#include "bridges/python/module/sites.h"
#include "bridges/python/module/tensors.h"
#include "bridges/python/module/thread.h"

namespace tapescope::bridge {
namespace {

int g_tapes = 0;  // that are not gone

}  // namespace

bool tapes_left() { return g_tapes > 0; }

std::uint32_t note_tape(bool persistent, bool watches_accessed) {
  ++g_tapes;
  return tapescope_tape_made(persistent, watches_accessed);
}

void note_tape_entered(std::uint32_t tape, bool again) {
  HookThread& thread = hook_thread();
  thread.taped |= thread.tracing == 0;
  tapescope_tape_enter(tape, again, thread.tracing > 0, place_in_program());
}

void note_tape_gone(std::uint32_t tape) {
  tapescope_tape_destroyed(tape);
  // No backward pass can come to the thread's forward ops.
  if (--g_tapes == 0) hook_thread().forwards.clear();
}

std::uint64_t note_question(std::uint32_t tape, int flags, std::uint32_t targets, std::uint32_t sources) {
  const auto depth = static_cast<std::uint32_t>(hook_thread().tracing);
  return tapescope_ask(tape, flags | (depth ? TAPESCOPE_ASK_TRACED : 0), depth, targets, sources,
                       place_in_program());
}

void note_backward_begin(std::uint32_t tape, std::uint64_t question) {
  HookThread& thread = hook_thread();
  thread.tape = tape;
  thread.steps = 0;
  thread.fillers.clear();
  if (thread.tracing == 0) tapescope_backward_begin(tape, question);
  ++thread.backward;
}

void note_backward_end(std::uint32_t tape, std::uint64_t question, bool raised) {
  HookThread& thread = hook_thread();
  if (thread.tracing == 0) tapescope_backward_end(tape, question, raised);
  thread.backward -= thread.backward > 0;
  thread.origin = 0;
  thread.custom = 0;
  thread.outer_customs.clear();
}

int note_answer(std::uint32_t index, tapescope_tensor source, std::uint32_t name, int kind,
                PyObject* gradient) {
  SeenTensor seen;
  if (gradient != Py_None) seen = seen_tensor(gradient, 0, false);
  tapescope_result(index, source, name, kind, seen.id);
  if (gradient == Py_None) return 0;
  const Values values(gradient);
  if (!values) return 0;
  tapescope_gradient_values(seen.id, seen.type, source, name, &values.get());
  return tapescope_look(&values.get());
}

int found_in(PyObject* tensor) {
  const Values values(tensor);
  return values ? tapescope_look(&values.get()) : 0;
}

bool single_value(PyObject* tensor, double& value) {
  const Values values(tensor);
  return values && values.rank() == 0 && tapescope_single(&values.get(), &value);
}

bool is_filler(PyObject* tensor) {
  const auto& made = hook_thread().fillers;
  return std::find(made.begin(), made.end(), identity_of(tensor)) != made.end();
}

namespace {

// --- tapes

PyObject* tape_made(PyObject*, PyObject* arguments) {
  int persistent, watches;
  if (!PyArg_ParseTuple(arguments, "pp", &persistent, &watches)) return nullptr;
  return number(note_tape(persistent, watches));
}

PyObject* tape_enter(PyObject*, PyObject* arguments) {
  unsigned tape;
  int again;
  if (!PyArg_ParseTuple(arguments, "Ip", &tape, &again)) return nullptr;
  note_tape_entered(tape, again);
  Py_RETURN_NONE;
}

template <void (*kEvent)(std::uint32_t, std::uint32_t)>
PyObject* tape_event(PyObject*, PyObject* arguments) {
  unsigned tape;
  if (!PyArg_ParseTuple(arguments, "I", &tape)) return nullptr;
  kEvent(tape, place_in_program());
  Py_RETURN_NONE;
}

PyObject* tape_destroyed(PyObject*, PyObject* arguments) {
  unsigned tape;
  if (!PyArg_ParseTuple(arguments, "I", &tape)) return nullptr;
  note_tape_gone(tape);
  Py_RETURN_NONE;
}

PyObject* watch(PyObject*, PyObject* arguments) {
  unsigned tape, type;
  Id id;
  if (!PyArg_ParseTuple(arguments, "IKI", &tape, &id, &type)) return nullptr;
  tapescope_watch(tape, id, type, place_in_program());
  Py_RETURN_NONE;
}

PyObject* silence_begin(PyObject*, PyObject* arguments) {
  const char* text;
  Py_ssize_t size;
  if (!PyArg_ParseTuple(arguments, "s#", &text, &size)) return nullptr;
  tapescope_silence_begin(name_id(text, size));
  Py_RETURN_NONE;
}
PyObject* silence_end(PyObject*, PyObject*) {
  tapescope_silence_end();
  Py_RETURN_NONE;
}
PyObject* active_tapes(PyObject*, PyObject*) { return PyLong_FromLong(tapescope_active_tapes()); }

// --- questions

PyObject* ask(PyObject*, PyObject* arguments) {
  unsigned tape, targets, sources;
  int flags;
  if (!PyArg_ParseTuple(arguments, "IiII", &tape, &flags, &targets, &sources)) return nullptr;
  return number(note_question(tape, flags, targets, sources));
}

PyObject* target(PyObject*, PyObject* arguments) {
  Id id;
  const char* text;
  Py_ssize_t size;
  if (!PyArg_ParseTuple(arguments, "Ks#", &id, &text, &size)) return nullptr;
  tapescope_target(id, name_id(text, size));
  Py_RETURN_NONE;
}

PyObject* source(PyObject*, PyObject* arguments) {
  unsigned index;
  Id id;
  const char* text;
  Py_ssize_t size;
  if (!PyArg_ParseTuple(arguments, "IKs#", &index, &id, &text, &size)) return nullptr;
  tapescope_source(index, id, name_id(text, size));
  Py_RETURN_NONE;
}

PyObject* backward_begin(PyObject*, PyObject* arguments) {
  unsigned tape;
  Id call;
  if (!PyArg_ParseTuple(arguments, "IK", &tape, &call)) return nullptr;
  note_backward_begin(tape, call);
  Py_RETURN_NONE;
}

PyObject* backward_end(PyObject*, PyObject* arguments) {
  unsigned tape;
  Id call;
  int raised;
  if (!PyArg_ParseTuple(arguments, "IKp", &tape, &call, &raised)) return nullptr;
  note_backward_end(tape, call, raised);
  Py_RETURN_NONE;
}

// A step that no registered gradient takes: of a custom gradient, of a function. (forward output, site) ->
// what step_end wants.
PyObject* step_begin(PyObject*, PyObject* arguments) {
  Id output;
  unsigned at;
  if (!PyArg_ParseTuple(arguments, "KI", &output, &at)) return nullptr;
  HookThread& thread = hook_thread();
  if (thread.tracing == 0) tapescope_backward_step(thread.tape, output, thread.steps++);
  ++thread.backward;
  const std::uint32_t asked = thread.tracing == 0 ? user_site(thread.scope) : 0;
  thread.outer_customs.push_back(std::exchange(thread.custom, asked));
  return number(std::exchange(thread.origin, at));
}

PyObject* step_end(PyObject*, PyObject* arguments) {
  Id output;
  unsigned origin, op = 0;
  PyObject *results, *cotangents;
  if (!PyArg_ParseTuple(arguments, "KIOO|I", &output, &origin, &results, &cotangents, &op)) return nullptr;
  HookThread& thread = hook_thread();
  --thread.backward;
  thread.custom = 0;
  if (!thread.outer_customs.empty()) {
    thread.custom = thread.outer_customs.back();
    thread.outer_customs.pop_back();
  }
  const std::uint32_t site = std::exchange(thread.origin, origin);
  bool remarkable = false;
  if (results != Py_None && thread.tracing == 0) {
    const Guard guard;
    ++thread.muted;
    remarkable = note_step_result(output, results, cotangents, nullptr);
    --thread.muted;
  }
  if (results != Py_None && thread.tracing == 0 && tapescope_at_gate() &&
      !stop_after_step({output, site, static_cast<std::uint16_t>(op)}, cotangents, results, nullptr))
    return nullptr;
  return PyBool_FromLong(remarkable);
}

// (index, source id, source name, kind, gradient or None)
PyObject* result(PyObject*, PyObject* arguments) {
  unsigned index;
  Id source_id;
  const char* text;
  Py_ssize_t size;
  int kind;
  PyObject* gradient;
  if (!PyArg_ParseTuple(arguments, "IKs#iO", &index, &source_id, &text, &size, &kind, &gradient))
    return nullptr;
  return PyLong_FromLong(note_answer(index, source_id, name_id(text, size), kind, gradient));
}

// (gradient, source id, source name[, id]): values of a gradient that a function returned, or of the trace's
// gradient `id`.
PyObject* gradient_values(PyObject*, PyObject* arguments) {
  PyObject* gradient;
  Id source_id, id = 0;
  const char* text;
  Py_ssize_t size;
  if (!PyArg_ParseTuple(arguments, "OKs#|K", &gradient, &source_id, &text, &size, &id)) return nullptr;
  if (id == 0) id = seen_tensor(gradient, 0, false).id;
  if (const Values values(gradient); values)
    tapescope_gradient_values(id, type_of(gradient), source_id, name_id(text, size), &values.get());
  Py_RETURN_NONE;
}

// Bits of what a tensor holds: 1 all zero, 2 NaN, 4 infinity.
PyObject* look(PyObject*, PyObject* object) { return PyLong_FromLong(found_in(object)); }

PyObject* nonfinite_ops(PyObject*, PyObject*) {
  note_nonfinite_ops();
  Py_RETURN_NONE;
}

// --- questions inside a function's trace, and what its runs were seen to hold

// (list or None) -> what was set before. The list takes (forward output, gradients, cotangents) of each
// backward step.
PyObject* trace_steps(PyObject*, PyObject* list) {
  Ref before = std::exchange(hook_thread().traced_steps, list == Py_None ? Ref() : Ref::share(list));
  if (before) return before.release();
  Py_RETURN_NONE;
}

// (attributes, forward output, its site): a tape inside a trace follows an op, and will come back to it by
// its attributes.
PyObject* trace_forward(PyObject*, PyObject* arguments) {
  PyObject* attributes;
  Id output;
  unsigned at;
  if (!PyArg_ParseTuple(arguments, "OKI", &attributes, &output, &at)) return nullptr;
  if (tapescope_active_tapes() > 0 && PyTuple_Check(attributes) && PyTuple_Size(attributes) > 0)
    *hook_thread().forwards.insert(address_of(attributes)).first = {Ref::share(attributes),
                                                                    Forward{output, at, 0}};
  Py_RETURN_NONE;
}

// (forward output, gradients, cotangents): a step that no registered gradient takes, inside a trace.
PyObject* traced_step(PyObject*, PyObject* arguments) {
  Id output;
  PyObject *results, *cotangents;
  if (!PyArg_ParseTuple(arguments, "KOO", &output, &results, &cotangents)) return nullptr;
  if (hook_thread().traced_steps) note_traced_step(output, results, cotangents);
  Py_RETURN_NONE;
}

// The site of the forward op whose backward step runs; 0 outside of one.
PyObject* origin(PyObject*, PyObject*) { return number(hook_thread().origin); }

PyObject* graph_ask(PyObject*, PyObject* arguments) {
  unsigned tape;
  Id call;
  if (!PyArg_ParseTuple(arguments, "IK", &tape, &call)) return nullptr;
  tapescope_graph_ask(tape, call);
  Py_RETURN_NONE;
}

// (forward output, gradients, cotangents): of a traced step, as a run computed them.
PyObject* step_seen(PyObject*, PyObject* arguments) {
  Id output;
  PyObject *results, *cotangents;
  if (!PyArg_ParseTuple(arguments, "KOO", &output, &results, &cotangents)) return nullptr;
  note_step_result(output, results, cotangents, nullptr, true);
  Py_RETURN_NONE;
}

// (tensor's id, values)
PyObject* tensor_values(PyObject*, PyObject* arguments) {
  Id id;
  PyObject* tensor;
  if (!PyArg_ParseTuple(arguments, "KO", &id, &tensor)) return nullptr;
  if (const Values values(tensor); values) tapescope_tensor_values(id, &values.get());
  Py_RETURN_NONE;
}

// --- functions, steps

PyObject* function_made(PyObject*, PyObject* arguments) {
  int flags;
  const char* text;
  Py_ssize_t size;
  Id mark;
  unsigned at;
  if (!PyArg_ParseTuple(arguments, "is#KI", &flags, &text, &size, &mark, &at)) return nullptr;
  return number(tapescope_function_made(flags, name_id(text, size), mark, at));
}

PyObject* function_call(PyObject*, PyObject* arguments) {
  unsigned function, count, trace, at;
  int flags;
  Id spent;
  if (!PyArg_ParseTuple(arguments, "IiKIII", &function, &flags, &spent, &count, &trace, &at)) return nullptr;
  tapescope_function_call(function, flags, static_cast<std::uint32_t>(hook_thread().tracing), spent, count,
                          trace, at);
  Py_RETURN_NONE;
}

PyObject* trace_argument(PyObject*, PyObject* arguments) {
  unsigned index, type, alias;
  int kind;
  const char *text, *kept, *given;
  Py_ssize_t size, kept_size, given_size;
  if (!PyArg_ParseTuple(arguments, "Iis#s#s#II", &index, &kind, &text, &size, &kept, &kept_size, &given,
                        &given_size, &type, &alias)) {
    return nullptr;
  }
  tapescope_trace_argument(index, kind, name_id(text, size), name_id(kept, kept_size),
                           name_id(given, given_size), type, alias);
  Py_RETURN_NONE;
}

PyObject* trace_parameter(PyObject*, PyObject* arguments) {
  Id symbol;
  const char* text;
  Py_ssize_t size;
  unsigned place;
  if (!PyArg_ParseTuple(arguments, "Ks#I", &symbol, &text, &size, &place)) return nullptr;
  tapescope_trace_parameter(symbol, static_cast<std::uint32_t>(hook_thread().tracing), name_id(text, size),
                            place);
  Py_RETURN_NONE;
}

// (source id, condition, its site, site of the use)
PyObject* untaken(PyObject*, PyObject* arguments) {
  Id source;
  const char* text;
  Py_ssize_t size;
  unsigned at, use;
  if (!PyArg_ParseTuple(arguments, "Ks#II", &source, &text, &size, &at, &use)) return nullptr;
  tapescope_untaken(source, name_id(text, size), at, use);
  Py_RETURN_NONE;
}

PyObject* function_end(PyObject*, PyObject* arguments) {
  unsigned function, nodes;
  Id begin;
  if (!PyArg_ParseTuple(arguments, "IIK", &function, &nodes, &begin)) return nullptr;
  tapescope_function_end(function, nodes, begin);
  Py_RETURN_NONE;
}

// (function, trace, nodes, op, rounds, nodes of all rounds, site)
PyObject* unrolled_loop(PyObject*, PyObject* arguments) {
  unsigned function, trace, nodes, rounds, copied, at;
  const char* text;
  Py_ssize_t size;
  if (!PyArg_ParseTuple(arguments, "IIIs#III", &function, &trace, &nodes, &text, &size, &rounds, &copied,
                        &at))
    return nullptr;
  tapescope_unrolled_loop(function, trace, nodes, name_id(text, size), rounds, copied, at);
  Py_RETURN_NONE;
}

PyObject* training_step_begin(PyObject*, PyObject* arguments) {
  Id step;
  if (!PyArg_ParseTuple(arguments, "K", &step)) return nullptr;
  forget_step();
  tapescope_step_begin(step);
  return done();
}

// (step, is it abandoned)
PyObject* training_step_end(PyObject*, PyObject* arguments) {
  Id step;
  int abandoned = 0;
  if (!PyArg_ParseTuple(arguments, "K|p", &step, &abandoned)) return nullptr;
  tapescope_step_end(step, abandoned);
  forget_step();
  return done();
}

PyObject* scalar(PyObject*, PyObject* arguments) {
  const char* text;
  Py_ssize_t size;
  double value;
  Id step;
  if (!PyArg_ParseTuple(arguments, "s#dK", &text, &size, &value, &step)) return nullptr;
  tapescope_scalar(name_id(text, size), value, step);
  Py_RETURN_NONE;
}

PyObject* message(PyObject*, PyObject* arguments) {
  const char* text;
  Py_ssize_t size;
  int severity;
  if (!PyArg_ParseTuple(arguments, "s#i", &text, &size, &severity)) return nullptr;
  tapescope_message(name_id(text, size), severity, place_in_program());
  Py_RETURN_NONE;
}

PyMethodDef g_tape_methods[] = {{"tape_made", tape_made, METH_VARARGS, nullptr},
                                {"tape_enter", tape_enter, METH_VARARGS, nullptr},
                                {"tape_exit", tape_event<tapescope_tape_exit>, METH_VARARGS, nullptr},
                                {"tape_pause", tape_event<tapescope_tape_pause>, METH_VARARGS, nullptr},
                                {"tape_resume", tape_event<tapescope_tape_resume>, METH_VARARGS, nullptr},
                                {"tape_reset", tape_event<tapescope_tape_reset>, METH_VARARGS, nullptr},
                                {"tape_consumed", tape_event<tapescope_tape_consumed>, METH_VARARGS, nullptr},
                                {"tape_destroyed", tape_destroyed, METH_VARARGS, nullptr},
                                {"watch", watch, METH_VARARGS, nullptr},
                                {"silence_begin", silence_begin, METH_VARARGS, nullptr},
                                {"silence_end", silence_end, METH_NOARGS, nullptr},
                                {"active_tapes", active_tapes, METH_NOARGS, nullptr},
                                {"ask", ask, METH_VARARGS, nullptr},
                                {"target", target, METH_VARARGS, nullptr},
                                {"source", source, METH_VARARGS, nullptr},
                                {"backward_begin", backward_begin, METH_VARARGS, nullptr},
                                {"backward_end", backward_end, METH_VARARGS, nullptr},
                                {"step_begin", step_begin, METH_VARARGS, nullptr},
                                {"step_end", step_end, METH_VARARGS, nullptr},
                                {"result", result, METH_VARARGS, nullptr},
                                {"gradient_values", gradient_values, METH_VARARGS, nullptr},
                                {"look", look, METH_O, nullptr},
                                {"nonfinite_ops", nonfinite_ops, METH_NOARGS, nullptr},
                                {"trace_steps", trace_steps, METH_O, nullptr},
                                {"trace_forward", trace_forward, METH_VARARGS, nullptr},
                                {"traced_step", traced_step, METH_VARARGS, nullptr},
                                {"origin", origin, METH_NOARGS, nullptr},
                                {"graph_ask", graph_ask, METH_VARARGS, nullptr},
                                {"step_seen", step_seen, METH_VARARGS, nullptr},
                                {"tensor_values", tensor_values, METH_VARARGS, nullptr},
                                {"function_made", function_made, METH_VARARGS, nullptr},
                                {"function_call", function_call, METH_VARARGS, nullptr},
                                {"trace_argument", trace_argument, METH_VARARGS, nullptr},
                                {"trace_parameter", trace_parameter, METH_VARARGS, nullptr},
                                {"untaken", untaken, METH_VARARGS, nullptr},
                                {"function_end", function_end, METH_VARARGS, nullptr},
                                {"unrolled_loop", unrolled_loop, METH_VARARGS, nullptr},
                                {"training_step_begin", training_step_begin, METH_VARARGS, nullptr},
                                {"training_step_end", training_step_end, METH_VARARGS, nullptr},
                                {"scalar", scalar, METH_VARARGS, nullptr},
                                {"message", message, METH_VARARGS, nullptr},
                                {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyMethodDef* tape_methods() { return g_tape_methods; }

}  // namespace tapescope::bridge
