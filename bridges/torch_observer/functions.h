// Custom functions of Python, each of which is one op: what forward() returned, which PyTorch does not
// announce, and the ops inside, at which an attached viewer may stop.
#pragma once
#include <ATen/record_function.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "bridges/torch_observer/ops.h"
#include "bridges/torch_observer/state.h"
#include "bridges/torch_observer/stops.h"

namespace tapescope_observer {

// PyTorch's own ops have a namespace, the steps of their backward passes a number or a namespace.
inline bool is_custom_op(const at::RecordFunction& function) {
  const std::string_view name = function.name();
  return !function.operator_name() && name.find("::") == name.npos;
}

inline bool is_custom_step(std::string_view name) {
  return name.find("::") == name.npos && !name.empty() && (name.back() < '0' || name.back() > '9');
}

// The op that made a tensor which no op was seen to return: the custom function, or the region of compiled
// code, that its node belongs to.
inline tapescope_tensor made_unannounced(const Thread& thread, const at::TensorBase& tensor) {
  const auto* const meta = torch::autograd::impl::get_autograd_meta(tensor);
  const torch::autograd::Node* const node = meta ? meta->grad_fn_.get() : nullptr;
  return node ? made_by(thread, static_cast<std::int64_t>(node->sequence_nr()), 0).output : 0;
}

// --- what forward() returns, heard while a viewer may stop there

inline int on_python_call(PyObject*, PyFrameObject*, int what, PyObject* result) {
  Thread& thread = this_thread();
  if (what == PyTrace_CALL) ++thread.depth;
  if (what != PyTrace_RETURN || --thread.depth != 0 || !result || !thread.returned.empty()) return 0;
  const auto take = [&](PyObject* item) {
    if (THPVariable_Check(item) && is_plain(THPVariable_Unpack(item)))
      thread.returned.push_back(THPVariable_Unpack(item));
  };
  take(result);
  for (Py_ssize_t i = 0; PyTuple_Check(result) && i < PyTuple_GET_SIZE(result); ++i)
    take(PyTuple_GET_ITEM(result, i));
  return 0;
}

// An argument that is handed back as it came is no result: PyTorch returns a view of it.
inline void forget_arguments(Thread& thread) {
  std::erase_if(thread.returned, [&](const at::Tensor& tensor) {
    return made_unannounced(thread, tensor) == 0 &&
           std::any_of(thread.held.begin(), thread.held.end(),
                       [&](const at::Tensor& held) { return held.is_same(tensor); });
  });
}

// A custom function begins while a viewer may stop the thread; the interpreter's lock is held, as it calls
// Python. Where the program listens to its own calls, as a profiler does, the results stay unknown.
inline void function_begins(Thread& thread) {
  thread.inside = true;
  thread.returned.clear();
  thread.depth = 0;
  thread.hears = PyGILState_Check() && PyThreadState_Get()->c_profilefunc == nullptr;
  if (thread.hears) PyEval_SetProfile(on_python_call, nullptr);
}

// The backward step of one begins.
inline void inside_begins(Thread& thread, const at::RecordFunction& function) {
  thread.inside = true;
  thread.inner_of = made_by(thread, function.seqNr(), function.forwardThreadId()).output;
}

inline void function_ends(Thread& thread) {
  if (!thread.inside) return;
  thread.inside = false;
  thread.inner = nullptr;
  thread.inner_of = 0;
  if (!std::exchange(thread.hears, false)) return;
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyEval_SetProfile(nullptr, nullptr);
  PyErr_Restore(type, value, trace);
  forget_arguments(thread);
}

// --- the ops inside

inline void inner_begins(Thread& thread, const at::RecordFunction& function) {
  if (thread.inner || thread.muted > 0 || function.scope() != at::RecordScope::FUNCTION ||
      !function.operator_name() || !PyGILState_GetThisThreadState())
    return;
  thread.inner = &function;
  thread.inner_held.clear();
  for (const c10::IValue& value : function.inputs())
    each_tensor(value, [&](const at::TensorBase& tensor) { thread.inner_held.emplace_back(tensor); });
}

inline void inner_ended(Thread& thread, const at::RecordFunction& function) {
  thread.inner = nullptr;
  if (!thread.may_stop()) return;
  std::vector<at::Tensor> made;
  for (const c10::IValue& value : function.outputs())
    each_tensor(value, [&](const at::TensorBase& tensor) { made.emplace_back(tensor); });
  std::string_view name = function.name();
  if (name.starts_with("aten::")) name.remove_prefix(6);
  const std::uint16_t op = table->op_name(name.data(), name.size());
  const std::uint32_t site = thread.lines.site();
  const std::uint64_t before = ticks();
  stand_still(thread, [&] {
    Stand stand(*table, callbacks.names_of_tensors);
    for (const at::Tensor& input : thread.inner_held)
      stand.add(TAPESCOPE_INPUT, input, known_as(thread, input));
    for (const at::Tensor& output : made) stand.add(TAPESCOPE_OUTPUT, output, known_as(thread, output));
    const tapescope_place place{thread.inner_of != 0, TAPESCOPE_INSIDE, op,    thread.inner_of,
                                site,                 Stand::describe,  &stand};
    table->arrive(&place);
  });
  thread.begin += ticks() - before;  // what it stood is no time of the op's
  thread.inner_held.clear();
}

}  // namespace tapescope_observer
