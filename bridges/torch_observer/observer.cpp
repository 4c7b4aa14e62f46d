// Watches PyTorch's ops from its own hook for profilers: each outermost op and each step of a backward pass,
// with its time, line and operands. Built on the user's machine against the installed PyTorch; what it sees
// goes through the table of the module `_tapescope`.
#include <ATen/SequenceNumber.h>
#include <ATen/record_function.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/autograd/variable.h>

#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "bridges/torch_observer/state.h"
#include "bridges/torch_observer/stops.h"

namespace tapescope_observer {

namespace {

std::optional<at::CallbackHandle> registered;

constexpr std::string_view kWalk = "autograd::engine::evaluate_function: ";
constexpr std::string_view kRegion = "Torch-Compiled Region: ";
// Switching the announcements of what an op calls off and on costs as much as three of them.
constexpr int kManyInner = 3;
constexpr std::uint32_t kNoTape = ~0u;

Kind& kind_of(Thread& thread, const char* text) {
  Thread::Recent& recent =
      thread.recent[(reinterpret_cast<std::uintptr_t>(text) >> 4) % std::size(thread.recent)];
  if (recent.text == text && recent.kind->text == text) return *recent.kind;
  auto known = thread.kinds.find(text);
  if (known == thread.kinds.end()) {
    Kind kind;
    kind.text = text;
    std::string_view name = text;
    kind.of_interest = !name.starts_with("profiler::") && name != "CheckpointFunction";
    kind.walk = name.starts_with(kWalk);
    kind.region = name.starts_with(kRegion);
    if (name.starts_with("torch::autograd::")) name.remove_prefix(17);
    if (name.starts_with("aten::")) name.remove_prefix(6);
    kind.name = table->op_name(name.data(), name.size());
    known = thread.kinds.emplace(text, std::move(kind)).first;
  }
  recent = {text, &known->second};
  return known->second;
}

// What regions of compiled code are called, by torch.compile's name for each: Python says it, as they are
// compiled. tensors_lock guards it.
std::unordered_map<std::string, std::uint16_t>& regions() {
  static std::unordered_map<std::string, std::uint16_t> names;
  return names;
}

std::uint16_t name_of(const Kind& kind) {
  if (!kind.region) return kind.name;
  std::lock_guard lock(tensors_lock);
  const auto known = regions().find(kind.text);
  return known == regions().end() ? kind.name : known->second;
}

template <class Visit>
void each_tensor(const c10::IValue& value, Visit visit) {
  if (value.isTensor()) {
    if (is_plain(value.toTensor())) visit(value.toTensor());
  } else if (value.isTensorList() || value.isOptionalTensorList()) {
    for (const c10::IValue& item : value.toListRef())
      if (item.isTensor() && is_plain(item.toTensor())) visit(item.toTensor());
  }
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
    known.id = leaf ? table->handle_made(reinterpret_cast<std::int64_t>(impl),
                                         table->type("resource", 0, nullptr), site)
                    : table->tensor_made(reinterpret_cast<std::int64_t>(impl), known.type);
    slot = &tensors().put(impl, known);
    slot->leaf = leaf;
  }
  if (leaf && slot->tape != thread.tape) {
    slot->tape = thread.tape;
    table->watch(thread.tape, slot->known.id, slot->known.type, site);
  }
  return slot->known;
}

void open(Thread& thread, const void* what, bool silent) {
  thread.open = what;
  // A profiler of the program hears the inside as ever.
  thread.inner_off = silent && !at::hasThreadLocalCallbacks();
  if (thread.inner_off) at::enableRecordFunction(false);
  thread.number = static_cast<std::int64_t>(at::sequence_number::peek());
}

void close(Thread& thread) {
  thread.open = nullptr;
  if (thread.inner_off) at::enableRecordFunction(true);
  thread.inner_off = false;
}

// Calls back into Python where a step begins, with the frames of the op.
void arrive() {
  const HeldLock lock;
  PyObject* const done = begin_step ? PyObject_CallNoArgs(begin_step) : nullptr;
  Py_XDECREF(done);
  PyErr_Clear();
}

void write(Thread& thread, std::uint16_t name, std::uint8_t flags, std::uint32_t site, std::uint64_t end,
           tapescope_tensor* first, bool unfollowed = false) {
  tapescope_op_call call{};
  call.op = name;
  call.flags = flags;
  call.unfollowed = unfollowed;
  call.site = site;
  call.begin = thread.begin;
  call.end = end;
  call.inputs = thread.inputs.size();
  call.input = thread.inputs.data();
  call.input_type = thread.input_types.data();
  call.outputs = thread.output_types.size();
  call.output_type = thread.output_types.data();
  *first = table->op(&call);
}

// The outputs get new ids; a parameter that was written into stays the parameter.
void take_outputs(Thread& thread, tapescope_tensor first) {
  std::lock_guard lock(tensors_lock);
  for (std::size_t i = 0; i < thread.outputs.size(); ++i) {
    c10::TensorImpl* const impl = thread.outputs[i]->unsafeGetTensorImpl();
    const Tensors::Slot* const known = tensors().find(impl);
    if (!known || !known->leaf) tensors().put(impl, {first + i, thread.output_types[i]});
  }
}

// The line of the forward op of a backward step that begins.
std::uint32_t step_begins(Thread& thread, const at::RecordFunction& function) {
  const Made made = made_by(thread, function.seqNr(), function.forwardThreadId());
  if (made.output == 0) return 0;
  table->backward_step(thread.tape, made.output, 0);
  return made.site;
}

void forward_op(Thread& thread, const at::RecordFunction& function, std::uint64_t end) {
  const std::uint16_t name = name_of(*thread.kind);
  const std::uint32_t site = thread.lines.site();
  if (const bool paused = !c10::GradMode::is_enabled() || c10::InferenceMode::is_enabled();
      paused != thread.paused) {
    thread.paused = paused;
    (paused ? table->tape_pause : table->tape_resume)(thread.tape, site);
  }
  bool follows = thread.paused;  // which is the reason then
  for (const c10::IValue& value : function.outputs())
    each_tensor(value, [&](const at::TensorBase& tensor) {
      thread.outputs.push_back(&tensor);
      thread.output_types.push_back(thread.types.of(tensor));
      follows = follows || tensor.requires_grad();
    });
  const auto next = static_cast<std::int64_t>(at::sequence_number::peek());
  // A region of compiled code says no results: one stands for them, so that the backward steps of what it
  // made are its own.
  if (thread.kind->region && thread.number < next)
    thread.output_types.push_back(table->type("resource", 0, nullptr));
  tapescope_tensor first = 0;
  write(thread, name, 0, site, end, &first, !follows && !thread.outputs.empty());
  take_outputs(thread, first);
  for (std::int64_t number = thread.number; number < next; ++number)
    thread.made[static_cast<std::size_t>(number) % Thread::kNodes] = {number, first, site, name};
  if (thread.stops) stop_after_op(thread, name, first, site);
}

std::unique_ptr<at::ObserverContext> began(const at::RecordFunction& function) {
  Thread& thread = this_thread();
  if (thread.open) {
    if (thread.kind && !thread.kind->called) ++thread.kind->inner;
    return nullptr;
  }
  if (thread.muted > 0 || !table->listening()) return nullptr;
  const bool step = function.scope() == at::RecordScope::BACKWARD_FUNCTION;
  // Where no Python runs, an op is a share of another thread's op.
  if (!step && !PyGILState_GetThisThreadState()) return nullptr;
  Kind& kind = kind_of(thread, function.name());
  if (kind.walk) {
    thread.walk = &function;
    walk_begins(thread);
  }
  // Between the steps gradients are added up, and hooks of the program run.
  if (!kind.of_interest || (thread.walk && !step)) return nullptr;
  thread.kind = &kind;
  open(thread, &function, kind.inner >= kManyInner);
  thread.inputs.clear();
  thread.input_types.clear();
  thread.outputs.clear();
  thread.output_types.clear();
  if (!step) {
    bool begins = thread.step_is_over.load(std::memory_order_relaxed) && thread.step_is_over.exchange(false);
    if (!thread.asked.load(std::memory_order_relaxed)) {
      if (begins) thread.lines_before.clear();  // of an earlier recording
      begins |= thread.lines_before.insert(thread.lines.site()).second;
    }
    if (begins) {
      if (thread.tape == 0) thread.tape = kNoTape;
      arrive();
    }
    thread.stops = table->at_gate() != 0;
    thread.held.clear();
    std::lock_guard lock(tensors_lock);
    for (const c10::IValue& value : function.inputs())
      each_tensor(value, [&](const at::TensorBase& tensor) {
        const Operand known = operand(thread, tensor, 0);
        thread.inputs.push_back(known.id);
        thread.input_types.push_back(known.type);
        if (thread.stops) thread.held.emplace_back(tensor);
      });
  }
  if (step) thread.site = step_begins(thread, function);
  thread.begin = table->ticks();
  return nullptr;
}

void ended(const at::RecordFunction& function, at::ObserverContext*) {
  Thread& thread = this_thread();
  if (thread.walk == &function) thread.walk = nullptr;
  walk_ends(thread, &function);
  if (thread.open != &function) return;
  const std::uint64_t end = table->ticks();
  close(thread);
  thread.kind->called = true;
  if (function.scope() == at::RecordScope::BACKWARD_FUNCTION) {
    tapescope_tensor first = 0;
    write(thread, thread.kind->name, TAPESCOPE_BACKWARD, thread.site, end, &first);
  } else {
    forward_op(thread, function, end);
    thread.held.clear();
  }
}

// --- what Python calls

PyObject* start(PyObject*, PyObject* arguments) {
  PyObject *capsule, *is_user, *names_of, *begins, *names_of_all;
  if (!PyArg_ParseTuple(arguments, "OOOOO", &capsule, &is_user, &names_of, &begins, &names_of_all))
    return nullptr;
  const auto* const given =
      static_cast<const tapescope_table*>(PyCapsule_GetPointer(capsule, TAPESCOPE_TABLE_NAME));
  if (!given) return nullptr;
  if (given->size < sizeof(tapescope_table)) {
    PyErr_SetString(PyExc_RuntimeError, "the observer is newer than the module _tapescope");
    return nullptr;
  }
  table = given;
  Lines::ask(is_user, names_of);
  Py_INCREF(begins);
  Py_XDECREF(begin_step);
  begin_step = begins;
  Py_INCREF(names_of_all);
  Py_XDECREF(names_of_tensors);
  names_of_tensors = names_of_all;
  {
    std::lock_guard lock(threads_lock);
    for (Thread* const thread : threads()) {
      thread->tape = 0;
      thread->step_is_over = true;
      thread->asked = false;
    }
  }
  if (!registered) {
    registered =
        at::addGlobalCallback(at::RecordFunctionCallback(began, ended)
                                  .needsInputs(true)
                                  .needsOutputs(true)
                                  .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}));
  }
  Py_RETURN_NONE;
}

PyObject* stop(PyObject*, PyObject*) {
  if (registered) at::removeCallback(*registered);
  registered.reset();
  Thread& thread = this_thread();
  if (thread.open) close(thread);
  std::lock_guard lock(tensors_lock);
  tensors().clear();
  Py_RETURN_NONE;
}

PyObject* use_tape(PyObject*, PyObject* number) {
  const auto tape = static_cast<std::uint32_t>(PyLong_AsUnsignedLongMask(number));
  if (PyErr_Occurred()) return nullptr;
  Thread& thread = this_thread();
  thread.tape = tape;
  thread.paused = false;
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

PyObject* step_ends(PyObject*, PyObject*) {
  Thread& thread = this_thread();
  thread.step_is_over = thread.asked = true;
  thread.lines_before.clear();
  Py_RETURN_NONE;
}

// [(tensor, id)] of the leaves that a backward pass from the tensors of a list or tuple reaches.
PyObject* leaves(PyObject*, PyObject* targets) {
  std::vector<torch::autograd::Node*> pending;
  std::unordered_set<torch::autograd::Node*> seen;
  std::vector<at::Tensor> found;
  const auto visit = [&](torch::autograd::Node* node) {
    if (node && seen.insert(node).second) pending.push_back(node);
  };
  PyObject* const items = PySequence_Fast(targets, "tensors are expected");
  if (!items) return nullptr;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items); ++i) {
    PyObject* const item = PySequence_Fast_GET_ITEM(items, i);
    if (!THPVariable_Check(item) || !THPVariable_Unpack(item).requires_grad()) continue;
    visit(torch::autograd::impl::gradient_edge(THPVariable_Unpack(item)).function.get());
  }
  Py_DECREF(items);
  while (!pending.empty()) {
    torch::autograd::Node* const node = pending.back();
    pending.pop_back();
    if (auto* const end = dynamic_cast<torch::autograd::AccumulateGrad*>(node))
      found.push_back(end->variable);
    for (const torch::autograd::Edge& edge : node->next_edges()) visit(edge.function.get());
  }
  PyObject* const list = PyList_New(0);
  for (const at::Tensor& tensor : found) {
    tapescope_tensor id = 0;
    {
      std::lock_guard lock(tensors_lock);
      const Tensors::Slot* const known = tensors().find(tensor.unsafeGetTensorImpl());
      if (known) id = known->known.id;
    }
    if (id == 0) continue;
    PyObject* const item =
        Py_BuildValue("(NK)", THPVariable_Wrap(tensor), static_cast<unsigned long long>(id));
    if (!list || !item || PyList_Append(list, item) != 0) {
      Py_XDECREF(item);
      Py_XDECREF(list);
      return nullptr;
    }
    Py_DECREF(item);
  }
  return list;
}

PyObject* name_region(PyObject*, PyObject* arguments) {
  const char *region, *name;
  if (!PyArg_ParseTuple(arguments, "ss", &region, &name)) return nullptr;
  const std::uint16_t op = table->op_name(name, std::strlen(name));
  std::lock_guard lock(tensors_lock);
  regions()[std::string(kRegion) + region] = op;
  Py_RETURN_NONE;
}

PyObject* id_of(PyObject*, PyObject* object) {
  if (!THPVariable_Check(object)) Py_RETURN_NONE;
  std::lock_guard lock(tensors_lock);
  const Tensors::Slot* const known = tensors().find(THPVariable_Unpack(object).unsafeGetTensorImpl());
  return PyLong_FromUnsignedLongLong(known ? known->known.id : 0);
}

// What runs until call_ends() is the inside of one op.
PyObject* call_begins(PyObject*, PyObject*) {
  Thread& thread = this_thread();
  if (!thread.open && thread.muted == 0) {
    thread.kind = nullptr;
    open(thread, &thread, true);
    thread.begin = table->ticks();
  }
  Py_RETURN_NONE;
}

PyObject* call_ends(PyObject*, PyObject* name) {
  Thread& thread = this_thread();
  if (thread.open != &thread) Py_RETURN_NONE;
  const std::uint64_t end = table->ticks();
  close(thread);
  thread.inputs.clear();
  thread.input_types.clear();
  thread.outputs.clear();
  thread.output_types.clear();
  const char* const text = PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : nullptr;
  if (!text) Py_RETURN_NONE;  // the call ended by an error
  tapescope_tensor first = 0;
  const std::uint16_t op = kind_of(thread, text).name;
  const std::uint32_t site = thread.lines.site();
  write(thread, op, 0, site, end, &first);
  if (!table->at_gate()) Py_RETURN_NONE;
  const tapescope_place place{0, TAPESCOPE_BESIDE, op, first, site, nullptr, nullptr};
  table->arrive(&place);
  return done();
}

PyMethodDef methods[] = {
    {"start", start, METH_VARARGS,
     "(table, is_user, names_of_modules, begins, names_of_tensors): hears every op from here on"},
    {"stop", stop, METH_NOARGS, "hears nothing any more, and keeps nothing"},
    {"use_tape", use_tape, METH_O, "the tape that takes what runs"},
    {"mute", mute, METH_NOARGS, "this thread's ops are not heard until unmute()"},
    {"unmute", unmute, METH_NOARGS, nullptr},
    {"step_ends", step_ends, METH_NOARGS, "begins() is called before the thread's next op"},
    {"at_gate", at_gate, METH_NOARGS, "whether a viewer may stop the thread now"},
    {"stop_between", stop_between, METH_VARARGS,
     "(what, op, name, source): a stop between two ops; `what` as in tapescope_c.h"},
    {"answered", answered, METH_O, "([(id, name, gradient or None)]): a question is about to return them"},
    {"leaves", leaves, METH_O, "[(tensor, id)] of the leaves that a backward pass reaches"},
    {"name_region", name_region, METH_VARARGS,
     "(region, name): what ops of a region of compiled code are called"},
    {"id_of", id_of, METH_O, "a tensor's id; 0 where none was given"},
    {"call_begins", call_begins, METH_NOARGS, "what runs until call_ends(name) is one op"},
    {"call_ends", call_ends, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "tapescope_observer", nullptr, -1, methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

}  // namespace tapescope_observer

PyMODINIT_FUNC PyInit_tapescope_observer() { return PyModule_Create(&tapescope_observer::definition); }
