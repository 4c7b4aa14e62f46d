// Watches PyTorch's ops from its own hook for profilers: each outermost op and each step of a backward pass,
// with its time, line and operands. Built on the user's machine against the installed PyTorch; what it sees
// goes through the table of the module `_tapescope`.
#include <ATen/SequenceNumber.h>
#include <ATen/record_function.h>
#include <c10/core/AutogradState.h>
#include <torch/csrc/autograd/python_variable.h>

#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "bridges/torch_observer/functions.h"
#include "bridges/torch_observer/ops.h"
#include "bridges/torch_observer/optimizers.h"
#include "bridges/torch_observer/questions.h"
#include "bridges/torch_observer/state.h"
#include "bridges/torch_observer/stops.h"

namespace tapescope_observer {

namespace {

// Switching the announcements of what an op calls off and on costs as much as three of them.
constexpr int kManyInner = 3;
// The engine's part of a backward step, around the step itself.
constexpr char kWalk[] = "autograd::engine::evaluate_function: ";

// Most ops are "aten::": the second letter says so.
bool is_walk(const char* name) {
  return name[0] == kWalk[0] && name[1] == kWalk[1] && std::strncmp(name, kWalk, sizeof(kWalk) - 1) == 0;
}

// The caller holds tensors_lock.
Operand operand(Thread& thread, const at::TensorBase& tensor, std::uint32_t site) {
  c10::TensorImpl* const impl = tensor.unsafeGetTensorImpl();
  Tensors::Slot* slot = tensors().find(impl);
  // Asked again each time, as a flag may have been set since.
  const bool leaf = tensor.requires_grad() && tensor.is_leaf();
  if (!slot || (leaf && !slot->leaf)) {
    Operand known;
    known.type = thread.types.of(tensor);
    if (leaf)
      known.id = table->handle_made(reinterpret_cast<std::int64_t>(impl),
                                    table->type("resource", 0, nullptr), site);
    else if (tensor.requires_grad())
      known.id = made_unannounced(thread, tensor);
    if (known.id == 0) known.id = table->tensor_met(reinterpret_cast<std::int64_t>(impl), known.type);
    slot = &tensors().put(impl, known);
    slot->leaf = leaf;
  }
  if (leaf && slot->tape != thread.tape) {
    slot->tape = thread.tape;
    table->watch(thread.tape, slot->known.id, slot->known.type, site);
  }
  return slot->known;
}

// Calls back into Python where a step may begin.
void arrive(std::uint64_t question) {
  const HeldLock lock;
  PyObject* const done =
      PyObject_CallFunction(callbacks.begins, "K", static_cast<unsigned long long>(question));
  Py_XDECREF(done);
  PyErr_Clear();
}

// The outputs get new ids; a parameter that was written into stays the parameter.
void take_outputs(Thread& thread, tapescope_tensor first) {
  const std::lock_guard lock(tensors_lock);
  for (std::size_t i = 0; i < thread.outputs.size(); ++i)
    tensors().put_made(thread.outputs[i]->unsafeGetTensorImpl(), {first + i, thread.output_types[i]});
}

// The line of the forward op of a backward step that begins.
std::uint32_t step_begins(Thread& thread, const at::RecordFunction& function) {
  const Made made = made_by(thread, function.seqNr(), function.forwardThreadId());
  if (made.output == 0) return 0;
  table->backward_step(thread.tape, made.output, 0);
  return made.site;
}

void forward_op(Thread& thread, const at::RecordFunction& function, std::uint64_t end) {
  const std::uint16_t name = name_of_run(*thread.kind);
  const std::uint32_t site = thread.site;
  const c10::AutogradState& state = c10::AutogradState::get_tls_state();
  if (const bool paused = !state.get_grad_mode() || state.get_inference_mode();
      paused != thread.paused && !thread.walk) {
    thread.paused = paused;
    (paused ? table->tape_pause : table->tape_resume)(thread.tape, site);
  }
  bool follows = thread.paused;  // which is the reason then
  const auto made = [&](const at::TensorBase& tensor) {
    thread.outputs.push_back(&tensor);
    thread.output_types.push_back(thread.types.of(tensor));
    follows = follows || tensor.requires_grad();
  };
  for (const c10::IValue& value : function.outputs()) each_tensor(value, made);
  for (const at::Tensor& tensor : thread.returned) made(tensor);
  const auto next = static_cast<std::int64_t>(at::sequence_number::peek());
  // A region of compiled code and a custom function say no results: one stands for them, so that the backward
  // steps of what they made are their own.
  if ((thread.kind->region || thread.kind->custom) && thread.outputs.empty() && thread.number < next)
    thread.output_types.push_back(table->type("resource", 0, nullptr));
  tapescope_tensor first = 0;
  write(thread, name, 0, site, end, &first, !follows && !thread.outputs.empty());
  take_outputs(thread, first);
  for (std::int64_t number = thread.number; number < next; ++number)
    thread.made[static_cast<std::size_t>(number) % Thread::kNodes] = {number, first, site, name};
  if (thread.stops) stop_after_op(thread, name, first, site);
}

void each_input(Thread& thread, const at::RecordFunction& function) {
  const std::lock_guard lock(tensors_lock);
  for (const c10::IValue& value : function.inputs())
    each_tensor(value, [&](const at::TensorBase& tensor) {
      const Operand known = operand(thread, tensor, 0);
      thread.inputs.push_back(known.id);
      thread.input_types.push_back(known.type);
      if (thread.stops) thread.held.emplace_back(tensor);
    });
}

std::unique_ptr<at::ObserverContext> began(const at::RecordFunction& function) {
  Thread& thread = this_thread();
  if (thread.open) {
    if (thread.kind && !thread.kind->called) ++thread.kind->inner;
    if (thread.inside) inner_begins(thread, function);
    return nullptr;
  }
  if (!thread.heard()) return nullptr;
  const bool step = function.scope() == at::RecordScope::BACKWARD_FUNCTION;
  // Where no Python runs, an op is a share of another thread's op.
  PyThreadState* const python = step ? nullptr : PyGILState_GetThisThreadState();
  if (!step && !python) return nullptr;
  if (!step && is_walk(function.name())) {
    thread.walk = &function;
    walk_begins(thread);
    return nullptr;
  }
  // Between the steps gradients are added up, and hooks of the program run.
  const bool exchange = exchanges && std::string_view(function.name()).starts_with(kExchange);
  if (thread.walk && !step && !exchange) return nullptr;
  // An exchange that a backward pass began is waited for at its end, after the last step.
  if (thread.exchanging && !thread.walk && !step && function.name() != kCopy) write_wait(thread);
  thread.exchanging |= exchange && thread.walk != nullptr;
  Kind& kind = kind_of(thread, function.name());
  if (!kind.of_interest) return nullptr;
  thread.kind = &kind;
  if (!kind.called && !kind.region)
    kind.custom = step ? is_custom_step(function.name()) : is_custom_op(function);
  const bool enters = kind.custom && thread.may_stop();
  open(thread, &function, kind.inner >= kManyInner && !enters);
  thread.inputs.clear();
  thread.input_types.clear();
  thread.outputs.clear();
  thread.output_types.clear();
  if (!step) thread.site = thread.lines.site(python);
  if (!step && thread.walk) {
    thread.stops = false;
    each_input(thread, function);
  } else if (!step) {
    if (thread.fresh.load(std::memory_order_relaxed) && thread.fresh.exchange(false)) thread.pace = {};
    if (thread.tape == 0) new_tape(thread, thread.site);
    if (thread.pace.looks(thread.site))
      if (const auto question = thread.pace.meets(thread.lines.path(python))) arrive(*question);
    thread.stops = thread.may_stop();
    thread.held.clear();
    each_input(thread, function);
  }
  if (step) thread.site = step_begins(thread, function);
  if (enters) step ? inside_begins(thread, function) : function_begins(thread);
  thread.begin = ticks();
  return nullptr;
}

void ended(const at::RecordFunction& function, at::ObserverContext*) {
  Thread& thread = this_thread();
  if (thread.walk == &function) thread.walk = nullptr;
  walk_ends(thread, &function);
  if (thread.inner == &function) inner_ended(thread, function);
  if (thread.open != &function) return;
  const std::uint64_t end = ticks();
  function_ends(thread);
  close(thread);
  thread.kind->called = true;
  thread.ended = end;
  if (function.scope() == at::RecordScope::BACKWARD_FUNCTION) {
    tapescope_tensor first = 0;
    write(thread, thread.kind->name, TAPESCOPE_BACKWARD, thread.site, end, &first);
  } else {
    forward_op(thread, function, end);
    thread.held.clear();
    thread.returned.clear();
  }
}

// --- what Python calls

void keep(PyObject*& place, PyObject* object) {
  Py_INCREF(object);
  Py_XSETREF(place, object);
}

PyObject* start(PyObject*, PyObject* arguments) {
  PyObject *capsule, *is_user, *names_of;
  Callbacks given;
  if (!PyArg_ParseTuple(arguments, "OOOOOOOO", &capsule, &is_user, &names_of, &given.begins,
                        &given.names_of_tensors, &given.name_sources, &given.asked, &given.updated))
    return nullptr;
  const auto* const functions =
      static_cast<const tapescope_table*>(PyCapsule_GetPointer(capsule, TAPESCOPE_TABLE_NAME));
  if (!functions) return nullptr;
  if (functions->size < sizeof(tapescope_table)) {
    PyErr_SetString(PyExc_RuntimeError, "the observer is newer than the module _tapescope");
    return nullptr;
  }
  table = functions;
  Lines::ask(is_user, names_of);
  keep(callbacks.begins, given.begins);
  keep(callbacks.names_of_tensors, given.names_of_tensors);
  keep(callbacks.name_sources, given.name_sources);
  keep(callbacks.asked, given.asked);
  keep(callbacks.updated, given.updated);
  {
    std::lock_guard lock(threads_lock);
    for (Thread* const thread : threads()) thread->fresh = true;
  }
  is_on = true;
  exchanges = false;
  if (op_hook == 0) {
    op_hook = at::addGlobalCallback(at::RecordFunctionCallback(began, ended)
                                        .needsInputs(true)
                                        .needsOutputs(true)
                                        .scopes({at::RecordScope::FUNCTION}));
    step_hook = at::addGlobalCallback(
        at::RecordFunctionCallback(began, ended).scopes({at::RecordScope::BACKWARD_FUNCTION}));
  }
  Py_RETURN_NONE;
}

PyObject* stop(PyObject*, PyObject*) {
  is_on = false;
  if (op_hook != 0) {
    at::removeCallback(std::exchange(op_hook, 0));
    at::removeCallback(std::exchange(step_hook, 0));
  }
  Thread& here = this_thread();
  if (here.open) close(here);
  settled().clear();
  {
    std::lock_guard lock(threads_lock);
    for (Thread* const thread : threads()) {
      if (thread->tape != 0) table->tape_destroyed(thread->tape);
      thread->tape = 0;
    }
  }
  const std::lock_guard lock(tensors_lock);
  tensors().clear();
  for (auto& [text, region] : regions()) region.runs = 0;
  Py_RETURN_NONE;
}

PyObject* mute(PyObject*, PyObject*) {
  ++this_thread().muted;
  Py_RETURN_NONE;
}

PyObject* unmute(PyObject*, PyObject*) {
  --this_thread().muted;
  Py_RETURN_NONE;
}

PyObject* name_region(PyObject*, PyObject* arguments) {
  const char *region, *name;
  if (!PyArg_ParseTuple(arguments, "ss", &region, &name)) return nullptr;
  const std::uint16_t op = table->op_name(name, std::strlen(name));
  const std::lock_guard lock(tensors_lock);
  regions()[std::string(kRegion) + region].name = op;
  Py_RETURN_NONE;
}

PyObject* region_runs(PyObject*, PyObject* region) {
  const char* const text = PyUnicode_AsUTF8(region);
  if (!text) return nullptr;
  const std::lock_guard lock(tensors_lock);
  const auto known = regions().find(std::string(kRegion) + text);
  return PyLong_FromUnsignedLongLong(known == regions().end() ? 0 : known->second.runs);
}

PyObject* id_of(PyObject*, PyObject* object) {
  if (!THPVariable_Check(object)) Py_RETURN_NONE;
  const std::lock_guard lock(tensors_lock);
  const Tensors::Slot* const known = tensors().find(THPVariable_Unpack(object).unsafeGetTensorImpl());
  return PyLong_FromUnsignedLongLong(known ? known->known.id : 0);
}

// Calls a tensor `text` in questions to come.
PyObject* set_name(PyObject*, PyObject* arguments) {
  PyObject* object;
  const char* text;
  Py_ssize_t size;
  if (!PyArg_ParseTuple(arguments, "Os#", &object, &text, &size) || !THPVariable_Check(object))
    return nullptr;
  const std::lock_guard lock(tensors_lock);
  if (Tensors::Slot* const slot = tensors().find(THPVariable_Unpack(object).unsafeGetTensorImpl())) {
    slot->name = table->name(text, static_cast<std::size_t>(size));
    slot->named = true;
  }
  Py_RETURN_NONE;
}

PyObject* hears_exchanges(PyObject*, PyObject*) {
  exchanges = true;
  Py_RETURN_NONE;
}

PyMethodDef engine_method = {"_engine_run_backward", reinterpret_cast<PyCFunction>(run_backward),
                             METH_FASTCALL | METH_KEYWORDS, nullptr};

PyObject* engine(PyObject*, PyObject* original) {
  return PyCFunction_NewEx(&engine_method, original, nullptr);
}

PyMethodDef methods[] = {
    {"start", start, METH_VARARGS,
     "(table, is_user, names_of_modules, begins, names_of_tensors, name_sources, asked, updated): hears "
     "every op "
     "from here on"},
    {"stop", stop, METH_NOARGS, "hears nothing any more, and keeps nothing"},
    {"mute", mute, METH_NOARGS, "this thread's ops are not heard until unmute()"},
    {"unmute", unmute, METH_NOARGS, nullptr},
    {"at_gate", at_gate, METH_NOARGS, "whether a viewer may stop the thread now"},
    {"stop_between", stop_between, METH_VARARGS,
     "(what, op, name, source): a stop between two ops; `what` as in tapescope_c.h"},
    {"name_region", name_region, METH_VARARGS,
     "(region, name): what ops of a region of compiled code are called"},
    {"region_runs", region_runs, METH_O, "how often a region ran since the recording began"},
    {"id_of", id_of, METH_O, "a tensor's id; 0 where none was given"},
    {"set_name", set_name, METH_VARARGS, "(tensor, text): what questions call it"},
    {"hears_exchanges", hears_exchanges, METH_NOARGS, "backward passes exchange gradients from here on"},
    {"engine", engine, METH_O, "what stands for torch.autograd._engine_run_backward, the original"},
    {"scaled", reinterpret_cast<PyCFunction>(scaled), METH_FASTCALL,
     "(result, loss): a GradScaler multiplied the loss"},
    {"update_begins", reinterpret_cast<PyCFunction>(update_begins), METH_FASTCALL, "a hook of optimizers"},
    {"update_ended", reinterpret_cast<PyCFunction>(update_ended), METH_FASTCALL, "a hook of optimizers"},
    {nullptr, nullptr, 0, nullptr}};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "tapescope_observer", nullptr, -1, methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

}  // namespace tapescope_observer

PyMODINIT_FUNC PyInit_tapescope_observer() { return PyModule_Create(&tapescope_observer::definition); }
