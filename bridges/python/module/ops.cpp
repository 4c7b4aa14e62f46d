// An op is recorded when TensorFlow announces it, after it ran. The replaced entries around it show when it
// began and which of its arguments were variables: those that C++ reads itself are announced by nothing else.
#include "bridges/python/module/ops.h"

#include <algorithm>
#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "bridges/python/module/gate.h"
#include "bridges/python/module/sites.h"
#include "bridges/python/module/tapes.h"
#include "bridges/python/module/tensors.h"
#include "bridges/python/module/thread.h"
#include "bridges/python/module/variables.h"

namespace tapescope::bridge {
namespace {

// What an op is besides its name.
enum class Kind { plain, read, made, assign, assign_add, part, update, call, filler };

struct OpInfo {
  std::uint16_t op = 0;
  std::uint32_t scope = 0;  // of a function: its name
  Kind kind = Kind::plain;
};

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> heads) {
  return std::any_of(heads.begin(), heads.end(),
                     [&](std::string_view head) { return text.starts_with(head); });
}

Kind kind_of(std::string_view name) {
  if (name == "ReadVariableOp") return Kind::read;
  if (name == "ZerosLike" || name == "Fill" || name == "Zeros") return Kind::filler;
  if (name == "VarHandleOp") return Kind::made;
  if (name == "AssignVariableOp") return Kind::assign;
  if (name == "AssignAddVariableOp" || name == "AssignSubVariableOp") return Kind::assign_add;
  if (starts_with_any(name, {"ResourceScatter", "ResourceStridedSliceAssign"})) return Kind::part;
  if (starts_with_any(name, {"ResourceApply", "ResourceSparseApply"})) return Kind::update;
  if (name == "PartitionedCall" || name == "StatefulPartitionedCall") return Kind::call;
  if (starts_with_any(name, {"__inference_", "__forward_", "__backward_"})) return Kind::call;
  return Kind::plain;
}

// "__inference_train_step_123" -> "train_step"
std::string_view function_name(std::string_view name) {
  for (const std::string_view head : {"__inference_", "__forward_", "__backward_"}) {
    while (name.starts_with(head)) name.remove_prefix(head.size());
  }
  while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.remove_suffix(1);
  if (name.ends_with('_')) name.remove_suffix(1);
  return name;
}

struct TextHash : std::hash<std::string_view> {
  using is_transparent = void;
};

OpInfo& info_of(std::string_view name) {
  static auto* table = new std::unordered_map<std::string, OpInfo, TextHash, std::equal_to<>>;
  const auto known = table->find(name);
  if (known != table->end()) return known->second;
  OpInfo info;
  info.kind = kind_of(name);
  if (info.kind == Kind::call) {
    const std::string_view called = function_name(name);
    info.op = tapescope_op_name("PartitionedCall", 15);
    if (called != name) info.scope = tapescope_scope(0, tapescope_name(called.data(), called.size()));
  } else {
    info.op = tapescope_op_name(name.data(), name.size());
    // What a variable is given is followed by way of the variable.
    const bool updates = info.kind == Kind::assign || info.kind == Kind::assign_add ||
                         info.kind == Kind::part || info.kind == Kind::update;
    if (op_callbacks().rule && !updates) {
      const Ref mask(PyObject_CallFunction(op_callbacks().rule, "s#", name.data(),
                                           static_cast<Py_ssize_t>(name.size())));
      if (mask) tapescope_op_rule(info.op, static_cast<std::uint32_t>(PyLong_AsUnsignedLongMask(mask.get())));
      swallow_error();
    }
  }
  return table->emplace(name, info).first->second;
}

// By the object, which most ops of a line share, without a look at the text.
OpInfo& info_of(PyObject* type) {
  constexpr std::size_t kMost = 1024;  // functions may make their names anew with each call
  static auto* table = new FlatTable<std::pair<Ref, OpInfo*>>;
  if (const auto* known = table->find(address_of(type))) return *known->second;
  OpInfo& info = info_of(text_of(type));
  if (table->size() < kMost) *table->insert(address_of(type)).first = {Ref::share(type), &info};
  return info;
}

// Arguments of a fast op in order, lists flattened: that of each input.
void flatten_arguments(PyObject* arguments, std::size_t wanted, std::vector<PyObject*>& found) {
  constexpr Py_ssize_t kFirst = 3;  // context, op, name
  const Py_ssize_t count = PyTuple_Size(arguments);
  for (Py_ssize_t i = kFirst; i < count && found.size() < wanted; ++i) {
    PyObject* item = PyTuple_GetItem(arguments, i);
    if (!is_eager(item) && (PyList_Check(item) || PyTuple_Check(item))) {
      for (Py_ssize_t k = 0; k < length_of(item) && found.size() < wanted; ++k)
        found.push_back(item_of(item, k));
    } else {
      found.push_back(item);
    }
  }
}

void write_op(const OpInfo& info, const Call& call, std::uint32_t site, std::uint64_t begin,
              std::uint64_t end, tapescope_tensor* first) {
  const HookThread& thread = hook_thread();
  tapescope_op_call op{};
  op.op = info.op;
  op.flags = thread.backward > 0 ? TAPESCOPE_BACKWARD : 0;
  op.site = site;
  op.begin = begin;
  op.end = end;
  op.inputs = call.inputs.size();
  op.input = call.inputs.data();
  op.input_type = call.input_types.data();
  op.outputs = call.identities.size();
  op.identity = call.identities.data();
  op.output_type = call.output_types.data();
  op.through_silence = info.kind == Kind::call;
  *first = tapescope_op(&op);
}

// What a stop calls a variable's value is the variable's name.
void note_read(tapescope_tensor value, tapescope_tensor handle) {
  HookThread& thread = hook_thread();
  if (thread.at_gate()) *thread.reads.insert(value).first = handle;
}

// A variable that C++ read for the op: what an announced read would have left.
SeenTensor read_by_op(PyObject* variable, const Ref& handle, PyObject* value, std::uint32_t site) {
  static const OpInfo& info = info_of("ReadVariableOp");
  const SeenTensor seen = note_access(variable, handle.get(), site);
  if (seen.id == 0) return seen_tensor(value, site, false);
  Call read;
  read.inputs = {seen.id};
  read.input_types = {seen.type};
  read.identities = {identity_of(value)};
  read.output_types = {type_of(value)};
  const std::uint64_t now = tapescope_ticks();
  SeenTensor result;
  write_op(info, read, site, now, now, &result.id);
  result.type = read.output_types[0];
  note_read(result.id, seen.id);
  // It counts as what a recording counts; the window stops at the op that reads.
  const HookThread& thread = hook_thread();
  const bool node = thread.backward == 0 && thread.tracing == 0 && (tapescope_recorded() || !thread.taped);
  if (node && tapescope_at_gate()) tapescope_pass_node();
  return result;
}

void take_inputs(PyObject* inputs, std::uint32_t site, Call& call) {
  HookThread& thread = hook_thread();
  std::vector<PyObject*>& given = call.arguments;
  const Items all(inputs);
  const auto count = static_cast<std::size_t>(all.count());
  if (thread.arguments) flatten_arguments(thread.arguments, count, given);
  for (std::size_t i = 0; i < count; ++i) {
    PyObject* input = all[static_cast<Py_ssize_t>(i)];
    SeenTensor seen;
    PyObject* argument = i < given.size() ? given[i] : input;
    if (argument != input && !is_eager(argument)) {
      const Ref handle = handle_of(argument);
      seen = handle ? read_by_op(argument, handle, input, site) : seen_tensor(input, site, true);
    } else {
      seen = seen_tensor(input, site, false);
    }
    call.inputs.push_back(seen.id);
    call.input_types.push_back(seen.type);
  }
}

// Values of up to so many bytes are held until the step ends, of the step's last ops; fewer where no tape is
// left, of which nothing will be asked: a later one may take in the last of them.
constexpr std::size_t kKeptBytes = 256u << 20, kKeptOutputs = 1u << 16, kKeptUnasked = 1u << 10;

void keep_outputs(HookThread& thread, tapescope_tensor first, PyObject* outputs, const Call& call) {
  if (!tensor_types().readable) return;
  const Items made(outputs);
  const auto count = static_cast<std::size_t>(made.count());
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t type = call.output_types[i];
    if (!tapescope_is_floating(type)) continue;
    const std::size_t bytes = tapescope_bytes(type);
    if (bytes > kKeptBytes) continue;
    thread.kept_bytes += bytes;
    thread.kept.push_back({first, static_cast<std::uint16_t>(std::min<std::size_t>(i, 65535)),
                           static_cast<std::uint16_t>(std::min<std::size_t>(count, 65535)), bytes,
                           Ref::share(made[static_cast<Py_ssize_t>(i)])});
  }
  const std::size_t most = tapes_left() ? kKeptOutputs : kKeptUnasked;
  while (thread.kept_bytes > kKeptBytes || thread.kept.size() > most) {
    thread.kept_bytes -= thread.kept.front().bytes;
    thread.kept.pop_front();
  }
}

void note_assigned(HookThread& thread, tapescope_tensor handle, tapescope_tensor value, std::uint32_t site) {
  constexpr std::size_t kMost = 4096;  // one that assigns and never asks for them; variables come again
  tapescope_assign(handle, value, site);
  if (thread.assigned.size() == kMost) thread.assigned.clear();
  thread.assigned.push_back(handle);
}

OpArrival eager_op(PyObject* type, PyObject* inputs, PyObject* attributes, PyObject* outputs) {
  HookThread& thread = hook_thread();
  const std::uint64_t end = tapescope_ticks(), begin = std::exchange(thread.begin, 0);
  const OpInfo& info = info_of(type);
  const std::uint32_t scope = info.scope ? info.scope : thread.scope;
  std::uint32_t site = thread.origin;
  // The lines of a gradient that the program gave say more than that of its use.
  const std::uint32_t own = thread.custom ? user_site(scope) : 0;
  const bool in_custom = own != 0 && own != thread.custom;
  if (in_custom) site = own;
  else if (site == 0) site = called_site(scope);
  Call& call = thread.call;
  call.clear();
  take_inputs(inputs, site, call);
  const Items made(outputs);
  for (Py_ssize_t i = 0; i < made.count(); ++i) {
    PyObject* output = made[i];
    call.identities.push_back(identity_of(output));
    call.output_types.push_back(type_of(output));
  }
  OpArrival arrival{.there = true, .op = info.op, .site = site};
  tapescope_tensor& first = arrival.output;
  switch (info.kind) {
    case Kind::made:
      if (!call.identities.empty()) tapescope_handle_made(call.identities[0], call.output_types[0], site);
      return {};
    case Kind::assign:
      if (call.inputs.size() >= 2) note_assigned(thread, call.inputs[0], call.inputs[1], site);
      return {};
    case Kind::assign_add: {
      if (call.inputs.size() < 2) return {};
      // What the variable then holds: an op that no tape records, as its tapes are silenced.
      static const std::uint32_t silencer = tapescope_name("assign_add", 10);
      tapescope_silence_begin(silencer);
      call.identities = {-1};
      call.output_types = {call.input_types[1]};
      write_op(info, call, site, begin ? begin : end, end, &first);
      tapescope_silence_end();
      note_assigned(thread, call.inputs[0], first, site);
      return arrival;
    }
    case Kind::part: {
      if (call.inputs.size() < 3) return {};
      // Into the rows or elements that the others name goes the last operand; the rest of the variable stays.
      static const std::uint32_t silencer = tapescope_name("assign_part", 11);
      tapescope_silence_begin(silencer);
      call.identities = {-1};
      call.output_types = {call.input_types.back()};
      write_op(info, call, site, begin ? begin : end, end, &first);
      tapescope_silence_end();
      note_assigned(thread, call.inputs[0], first, site);
      return arrival;
    }
    case Kind::update:
      write_op(info, call, site, begin ? begin : end, end, &first);
      if (!call.inputs.empty()) note_assigned(thread, call.inputs[0], 0, site);
      return arrival;
    default: break;
  }
  write_op(info, call, site, begin ? begin : end, end, &first);
  // Depth 1 is the walk itself, between its steps.
  if (thread.backward == 1 && (info.kind == Kind::filler) && !call.identities.empty())
    thread.fillers.push_back(call.identities[0]);
  // A tape around another one records what goes backward, too.
  if (tapescope_active_tapes() > 0 && PyTuple_Check(attributes) && PyTuple_Size(attributes) > 0) {
    *thread.forwards.insert(address_of(attributes)).first = {Ref::share(attributes),
                                                             Forward{first, site, info.op}};
  }
  if (thread.backward > 0) {
    if (in_custom) keep_outputs(thread, first, outputs, call);
    return arrival;
  }
  if (info.kind == Kind::read && !call.inputs.empty()) note_read(first, call.inputs[0]);
  keep_outputs(thread, first, outputs, call);
  return arrival;
}

}  // namespace

std::uint32_t place_here() {
  const HookThread& thread = hook_thread();
  return thread.origin ? thread.origin : user_site(thread.scope);
}

std::uint32_t place_in_program() {
  const HookThread& thread = hook_thread();
  return thread.tracing > 0 ? traced_site(thread.scope) : user_site(thread.scope);
}

tapescope_tensor note_created(PyObject* tensor) {
  const std::int64_t identity = identity_of(tensor);
  if (identity < 0 || tapescope_known(identity, nullptr) != 0) return 0;
  return tapescope_created(identity, type_of(tensor), place_here(), created_mark(tensor), 0);
}

void note_host_read(PyObject* tensor) {
  const HookThread& thread = hook_thread();
  const std::uint32_t site = thread.tracing > 0 ? traced_site(thread.scope) : user_site(thread.scope);
  if (site == 0) return;  // a library's
  const SeenTensor seen = seen_tensor(tensor, site, false);
  std::uint16_t mark = 0;
  if (const Values values(tensor); values) mark = tapescope_mark(&values.get());
  tapescope_host_read(seen.id, site, mark, !called_by_user());
}

OpCallbacks& op_callbacks() {
  static OpCallbacks callbacks;
  return callbacks;
}

std::uint16_t op_number(std::string_view name) { return info_of(name).op; }

PyObject* op_callback(PyObject*, PyObject* arguments, PyObject* keywords) {
  HookThread& thread = hook_thread();
  if (thread.muted || !thread.is_heard() || PyTuple_Size(arguments) < 4) Py_RETURN_NONE;
  PyObject* type = PyTuple_GetItem(arguments, 0);
  PyObject* inputs = PyTuple_GetItem(arguments, 1);
  PyObject* outputs = PyTuple_GetItem(arguments, 3);
  static PyObject* const graph_key = interned("graph");
  PyObject* graph = keywords ? PyDict_GetItemWithError(keywords, graph_key) : nullptr;
  OpArrival arrival;
  {
    const Guard guard;
    ++thread.muted;
    if (!graph || graph == Py_None) {
      if (outputs != Py_None) arrival = eager_op(type, inputs, PyTuple_GetItem(arguments, 2), outputs);
    } else if (op_callbacks().graph) {
      PyObject* name = PyDict_GetItemString(keywords, "op_name");
      const Ref done(PyObject_CallFunctionObjArgs(op_callbacks().graph, type, inputs, outputs,
                                                  name ? name : Py_None, graph, nullptr));
    }
    --thread.muted;
  }
  if (thread.at_gate() && !stop_after_op(arrival, inputs, outputs)) return nullptr;
  Py_RETURN_NONE;
}

PyObject* fast_path(PyObject* original, PyObject* arguments) {
  HookThread& thread = hook_thread();
  if (thread.muted || !thread.is_heard()) return PyObject_Call(original, arguments, nullptr);
  PyObject* outer = std::exchange(thread.arguments, arguments);
  thread.begin = tapescope_ticks();
  PyObject* result = PyObject_Call(original, arguments, nullptr);
  thread.arguments = outer;
  return result;
}

PyObject* execute(PyObject* original, PyObject* arguments) {
  HookThread& thread = hook_thread();
  PyObject* outer = std::exchange(thread.arguments, nullptr);
  const std::uint64_t begin = tapescope_ticks();
  PyObject* result = PyObject_Call(original, arguments, nullptr);
  thread.arguments = outer;
  thread.begin = begin;
  return result;
}

PyObject* variable_accessed(PyObject* original, PyObject* arguments) {
  HookThread& thread = hook_thread();
  if (!thread.muted && thread.is_heard() && PyTuple_Size(arguments) > 0) {
    const Guard guard;
    PyObject* variable = PyTuple_GetItem(arguments, 0);
    if (const Ref handle = handle_of(variable)) note_access(variable, handle.get(), place_here());
  }
  return PyObject_Call(original, arguments, nullptr);
}

PyObject* converted(PyObject* original, PyObject* arguments, PyObject* keywords) {
  PyObject* tensor = PyObject_Call(original, arguments, keywords);
  const bool same = PyTuple_Size(arguments) > 0 && PyTuple_GetItem(arguments, 0) == tensor;
  if (tensor && !same && !hook_thread().muted && tapescope_listening()) {
    const Guard guard;
    note_created(tensor);
  }
  return tensor;
}

void note_traced_step(tapescope_tensor forward_output, PyObject* results, PyObject* cotangents) {
  const Ref step(
      Py_BuildValue("(KOO)", static_cast<unsigned long long>(forward_output), results, cotangents));
  if (step) PyList_Append(hook_thread().traced_steps.get(), step.get());
}

PyObject* gradient_function(PyObject* original, PyObject* arguments) {
  HookThread& thread = hook_thread();
  if (thread.muted || !thread.is_heard() || PyTuple_Size(arguments) < 6)
    return PyObject_Call(original, arguments, nullptr);
  Forward forward;
  if (const auto* known = thread.forwards.find(address_of(PyTuple_GetItem(arguments, 1))))
    forward = known->second;
  if (forward.op == 0) forward.op = op_number(text_of(PyTuple_GetItem(arguments, 0)));
  if (thread.tracing == 0) tapescope_backward_step(thread.tape, forward.output, thread.steps++);
  const std::uint32_t origin = std::exchange(thread.origin, forward.site);
  const int outer = std::exchange(thread.registered, ++thread.backward);
  const std::uint32_t custom = std::exchange(thread.custom, 0);
  PyObject* result = PyObject_Call(original, arguments, nullptr);
  thread.custom = custom;
  thread.registered = outer;
  --thread.backward;
  thread.origin = origin;
  if (result && thread.tracing > 0 && thread.traced_steps && forward.output != 0) {
    const Guard guard;
    note_traced_step(forward.output, result, PyTuple_GetItem(arguments, 5));
  }
  if (result && thread.tracing == 0) {
    const Guard guard;
    ++thread.muted;
    note_step_result(forward.output, result, PyTuple_GetItem(arguments, 5), PyTuple_GetItem(arguments, 3));
    --thread.muted;
  }
  if (result && thread.tracing == 0 && thread.at_gate() &&
      !stop_after_step(forward, PyTuple_GetItem(arguments, 5), result, PyTuple_GetItem(arguments, 3))) {
    Py_DECREF(result);
    return nullptr;
  }
  return result;
}

void forget_step() {
  HookThread& thread = hook_thread();
  thread.forwards.clear();
  thread.kept.clear();
  thread.kept_bytes = 0;
  thread.reads.clear();
  thread.taped = false;
}

}  // namespace tapescope::bridge
