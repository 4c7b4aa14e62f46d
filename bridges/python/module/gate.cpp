// Shows the gate what is there: Python's objects, whose memory is shared while a frame is kept.
#include "bridges/python/module/gate.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

#include "bridges/python/module/functions.h"
#include "bridges/python/module/ops.h"
#include "bridges/python/module/sites.h"
#include "bridges/python/module/tensors.h"

namespace tapescope::bridge {
namespace {

// --- memory that frames share: let go on any thread, given back by the interpreter's

struct Returned {
  std::mutex mutex;
  std::vector<Values*> values;
  bool asked = false;
};
Returned& returned() {
  static auto* instance = new Returned;
  return *instance;
}

int give_back(void*) {
  std::vector<Values*> values;
  {
    std::lock_guard lock(returned().mutex);
    values.swap(returned().values);
    returned().asked = false;
  }
  for (Values* one : values) delete one;
  return 0;
}

void let_go(void* owner) {
  bool asks = false;
  {
    std::lock_guard lock(returned().mutex);
    returned().values.push_back(static_cast<Values*>(owner));
    asks = !std::exchange(returned().asked, true);
  }
  // Without room for another call the next one to let go asks again.
  if (asks && Py_IsInitialized() && Py_AddPendingCall(give_back, nullptr) != 0) {
    std::lock_guard lock(returned().mutex);
    returned().asked = false;
  }
}

// --- names

PyObject* g_names_of = nullptr;

FlatTable<std::uint32_t>& names() {
  static auto* table = new FlatTable<std::uint32_t>;
  return *table;
}

// The names of objects: by their ids, else as the program's variables hold them.
std::vector<std::uint32_t> names_of(const std::vector<PyObject*>& objects,
                                    const std::vector<tapescope_tensor>& ids) {
  std::vector<std::uint32_t> found(objects.size());
  bool all = true;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const tapescope_tensor* read = ids[i] ? hook_thread().reads.find(ids[i]) : nullptr;
    const tapescope_tensor id = read ? *read : ids[i];
    if (const std::uint32_t* name = id ? names().find(id) : nullptr) found[i] = *name;
    all &= found[i] != 0;
  }
  if (all || !g_names_of) return found;
  const Ref list(PyList_New(static_cast<Py_ssize_t>(objects.size())));
  for (std::size_t i = 0; list && i < objects.size(); ++i)
    PyList_SetItem(list.get(), static_cast<Py_ssize_t>(i), Ref::share(objects[i]).release());
  const Ref texts(list ? PyObject_CallFunctionObjArgs(g_names_of, list.get(), nullptr) : nullptr);
  if (!texts) return found;
  for (std::size_t i = 0; i < objects.size() && static_cast<Py_ssize_t>(i) < length_of(texts.get()); ++i) {
    const std::string_view text = text_of(item_of(texts.get(), static_cast<Py_ssize_t>(i)));
    if (found[i] == 0 && !text.empty()) found[i] = tapescope_name(text.data(), text.size());
  }
  return found;
}

// --- what is shown

void show(tapescope_frame* frame, int list, PyObject* tensor, std::uint32_t name, SeenTensor seen,
          tapescope_tensor source = 0) {
  static PyObject* const rows = interned("values");
  tapescope_shown shown{};
  shown.list = list;
  shown.name = name;
  shown.source = source;
  shown.none = !tensor || tensor == Py_None;
  Ref held;
  if (!shown.none && identity_of(tensor) < 0) {
    held = Ref(PyObject_GetAttr(tensor, rows));  // of slices
    PyErr_Clear();
    if (held) tensor = held.get();
  }
  if (!shown.none && seen.id == 0) seen = find_tensor(tensor);
  if (!shown.none && seen.id == 0) seen.type = type_of(tensor);
  shown.id = seen.id;
  shown.type = seen.type;
  tapescope_held memory{};
  if (!shown.none) {
    if (auto values = std::make_unique<Values>(tensor); *values) {
      memory.values = values->get();
      memory.owner = values.release();
      memory.release = let_go;
      shown.held = &memory;
    }
  }
  tapescope_show(frame, &shown);
}

std::vector<PyObject*> items_of(PyObject* values) {
  if (!values || values == Py_None) return {};
  if (!PyList_Check(values) && !PyTuple_Check(values)) return {values};
  std::vector<PyObject*> items;
  for (Py_ssize_t i = 0; i < length_of(values); ++i) items.push_back(item_of(values, i));
  return items;
}

void show_all(tapescope_frame* frame, int list, PyObject* values) {
  for (PyObject* item : items_of(values)) show(frame, list, item, 0, {});
}

struct OpContext {
  const OpArrival& op;
  PyObject *inputs, *outputs;
};

void describe_op(void* context, tapescope_frame* frame) {
  const Guard guard;
  const auto& there = *static_cast<OpContext*>(context);
  const Call& call = hook_thread().call;
  const std::vector<PyObject*> inputs = items_of(there.inputs), outputs = items_of(there.outputs);
  // A variable that the op reads itself is among its arguments.
  std::vector<PyObject*> objects = inputs;
  for (std::size_t i = 0; i < std::min(inputs.size(), call.arguments.size()); ++i) {
    if (!is_eager(call.arguments[i])) objects[i] = call.arguments[i];
  }
  std::vector<tapescope_tensor> ids = call.inputs;
  ids.resize(inputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    objects.push_back(outputs[i]);
    ids.push_back(there.op.output ? there.op.output + i : 0);
  }
  const std::vector<std::uint32_t> names = names_of(objects, ids);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::uint32_t type = i < call.input_types.size() ? call.input_types[i] : 0;
    show(frame, TAPESCOPE_INPUT, inputs[i], names[i], {ids[i], type});
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::uint32_t type = i < call.output_types.size() ? call.output_types[i] : 0;
    show(frame, TAPESCOPE_OUTPUT, outputs[i], names[inputs.size() + i], {ids[inputs.size() + i], type});
  }
}

struct StepContext {
  PyObject *cotangents, *results, *inputs;
};

void describe_step(void* context, tapescope_frame* frame) {
  const Guard guard;
  const auto& there = *static_cast<StepContext*>(context);
  const std::vector<PyObject*> inputs = items_of(there.inputs);
  std::vector<tapescope_tensor> ids;
  for (PyObject* input : inputs) ids.push_back(input == Py_None ? 0 : find_tensor(input).id);
  const std::vector<std::uint32_t> names = names_of(inputs, ids);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] != Py_None) show(frame, TAPESCOPE_INPUT, inputs[i], names[i], {});
  }
  show_all(frame, TAPESCOPE_COTANGENT_IN, there.cotangents);
  const std::vector<PyObject*> results = items_of(there.results);
  for (std::size_t i = 0; i < results.size(); ++i)
    show(frame, TAPESCOPE_COTANGENT_OUT, results[i], i < names.size() ? names[i] : 0, {});
}

// Hooks are silent while the place is looked at: what runs is ours.
bool arrive(const tapescope_place& place) {
  HookThread& thread = hook_thread();
  ++thread.muted;
  tapescope_arrive(&place);
  --thread.muted;
  return !PyErr_Occurred();
}

// --- waiting

thread_local PyThreadState* t_state = nullptr;

void leave() { t_state = PyEval_SaveThread(); }
void come_back() { PyEval_RestoreThread(std::exchange(t_state, nullptr)); }
int interrupted() {
  come_back();
  const bool raised = PyErr_CheckSignals() != 0;
  leave();
  return raised;
}

// --- stops between nodes

// What was asked and answered.
void describe_answers(void* context, tapescope_frame* frame) {
  const Guard guard;
  auto* answers = static_cast<PyObject*>(context);
  for (PyObject* answer : items_of(answers)) {
    const tapescope_tensor source = PyLong_AsUnsignedLongLong(PyTuple_GetItem(answer, 0));
    const std::string_view text = text_of(PyTuple_GetItem(answer, 1));
    const std::uint32_t name = tapescope_name(text.data(), text.size());
    show(frame, TAPESCOPE_GRADIENT, PyTuple_GetItem(answer, 2), name, {}, source);
    show(frame, TAPESCOPE_COTANGENT_OUT, PyTuple_GetItem(answer, 2), name, {});
  }
}

template <int kWhat>
bool stop_between() {
  if (!tapescope_at_gate()) return true;
  static const std::uint16_t op =
      kWhat == TAPESCOPE_AGAIN_TRACED ? tapescope_op_name("PartitionedCall", 15) : 0;
  const tapescope_place place{kWhat == TAPESCOPE_BEFORE_BACKWARD, TAPESCOPE_INSIDE, op,     0,
                              user_site(hook_thread().scope),     nullptr,          nullptr};
  tapescope_arrive_between(kWhat, &place, nullptr, 0);
  return !PyErr_Occurred();
}

PyObject* answered(PyObject*, PyObject* answers) {
  if (!stop_at_answers(answers)) return nullptr;
  Py_RETURN_NONE;
}

template <int kWhat>
PyObject* between(PyObject*, PyObject*) {
  if (!stop_between<kWhat>()) return nullptr;
  Py_RETURN_NONE;
}

PyObject* steps_inside(PyObject*, PyObject*) { return PyBool_FromLong(tapescope_steps_inside()); }

// (op type, what it took, ids, types, what it made, types, (site, flags, begin, end)) -> its id: an op of
// a function's graph ran beside the call.
PyObject* inside(PyObject*, PyObject* arguments) {
  const char* type;
  PyObject *inputs, *ids, *input_types, *outputs, *output_types;
  unsigned site, flags;
  Id begin, end;
  if (!PyArg_ParseTuple(arguments, "sOOOOO(IIKK)", &type, &inputs, &ids, &input_types, &outputs,
                        &output_types, &site, &flags, &begin, &end)) {
    return nullptr;
  }
  std::vector<tapescope_tensor> given;
  std::vector<std::uint32_t> in, out;
  for (PyObject* id : items_of(ids)) given.push_back(PyLong_AsUnsignedLongLong(id));
  for (PyObject* one : items_of(input_types))
    in.push_back(static_cast<std::uint32_t>(PyLong_AsUnsignedLongMask(one)));
  for (PyObject* one : items_of(output_types))
    out.push_back(static_cast<std::uint32_t>(PyLong_AsUnsignedLongMask(one)));
  if (PyErr_Occurred()) return nullptr;
  tapescope_op_call ran{};
  ran.op = op_number(type);
  ran.flags = static_cast<std::uint8_t>(flags);
  ran.site = site;
  ran.begin = begin;
  ran.end = end;
  ran.inputs = std::min(given.size(), in.size());
  ran.input = given.data();
  ran.input_type = in.data();
  ran.outputs = out.size();
  ran.output_type = out.data();
  const OpArrival op{.there = true, .op = ran.op, .output = tapescope_inner_op(&ran), .site = site};
  if (!tapescope_at_gate()) return number(op.output);
  Call& call = hook_thread().call;
  call.clear();
  call.inputs = std::move(given);
  call.input_types = std::move(in);
  call.output_types = std::move(out);
  OpContext context{op, inputs, outputs};
  // Of a gradient inside a graph too: it has inputs and outputs, and nothing accumulates.
  if (!arrive({0, TAPESCOPE_INSIDE, op.op, op.output, site, describe_op, &context})) return nullptr;
  return number(op.output);
}

// (name, site): a viewer steps into a call.
PyObject* expansion(PyObject*, PyObject* arguments) {
  const char* text;
  Py_ssize_t size;
  unsigned site;
  if (!PyArg_ParseTuple(arguments, "s#I", &text, &size, &site)) return nullptr;
  tapescope_expansion(name_id(text, size), site);
  Py_RETURN_NONE;
}

// (why it went no further, or None)
PyObject* expansion_end(PyObject*, PyObject* arguments) {
  const char* text;
  Py_ssize_t size;
  if (!PyArg_ParseTuple(arguments, "z#", &text, &size)) return nullptr;
  tapescope_expansion_end(name_id(text, size));
  Py_RETURN_NONE;
}

PyMethodDef g_gate_methods[] = {
    {"steps_inside", steps_inside, METH_NOARGS, nullptr},
    {"inside", inside, METH_VARARGS, nullptr},
    {"expansion", expansion, METH_VARARGS, nullptr},
    {"expansion_end", expansion_end, METH_VARARGS, nullptr},
    {"answered", answered, METH_O, nullptr},
    {"stop_before_backward", between<TAPESCOPE_BEFORE_BACKWARD>, METH_NOARGS, nullptr},
    {"stop_at_retrace", between<TAPESCOPE_AGAIN_TRACED>, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool stop_at_answers(PyObject* answers) {
  if (!tapescope_at_gate()) return true;
  static const std::uint16_t op = tapescope_op_name("gradient", 8);
  tapescope_place place{1,      TAPESCOPE_INSIDE, op, 0, user_site(hook_thread().scope), describe_answers,
                        answers};
  HookThread& thread = hook_thread();
  ++thread.muted;
  for (PyObject* answer : items_of(answers)) {
    if (PyTuple_GetItem(answer, 2) != Py_None || PyErr_Occurred()) continue;
    const std::string name(text_of(PyTuple_GetItem(answer, 1)));
    const tapescope_tensor source = PyLong_AsUnsignedLongLong(PyTuple_GetItem(answer, 0));
    tapescope_arrive_between(TAPESCOPE_WITHOUT_GRADIENT, &place, name.c_str(), source);
  }
  if (!PyErr_Occurred()) tapescope_arrive(&place);
  --thread.muted;
  return !PyErr_Occurred();
}

bool stop_before_backward() { return stop_between<TAPESCOPE_BEFORE_BACKWARD>(); }

bool stop_after_op(const OpArrival& op, PyObject* inputs, PyObject* outputs) {
  const HookThread& thread = hook_thread();
  // Backward ops are what their step is made of.
  if (!op.there || thread.backward > 0 || thread.tracing > 0) return true;
  const bool node = tapescope_recorded() || !thread.taped;
  OpContext context{op, inputs, outputs};
  return arrive(
      {0, node ? TAPESCOPE_NODE : TAPESCOPE_BESIDE, op.op, op.output, op.site, describe_op, &context});
}

bool stop_after_step(const Forward& forward, PyObject* cotangents, PyObject* results, PyObject* inputs) {
  StepContext context{cotangents, results, inputs};
  return arrive({1, TAPESCOPE_NODE, forward.op, forward.output, forward.site, describe_step, &context});
}

void set_names_of(PyObject* callable) {
  Py_XINCREF(callable);
  Py_XDECREF(std::exchange(g_names_of, callable));
}

void remember_name(tapescope_tensor id, std::uint32_t name) {
  if (id != 0) *names().insert(id).first = name;
}

void set_waiter() {
  static const tapescope_waiter waiter{leave, come_back, interrupted};
  tapescope_set_waiter(&waiter);
}

PyMethodDef* gate_methods() { return g_gate_methods; }

}  // namespace tapescope::bridge
