// Where an attached viewer stops the thread: after an op, after a backward step, and between two.
#pragma once
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include <algorithm>
#include <cstring>

#include "bridges/torch_observer/stand.h"
#include "bridges/torch_observer/state.h"

namespace tapescope_observer {

// Calls the gate with the interpreter's lock, and with our own ops unheard.
template <class Arrive>
inline void stand_still(Thread& thread, Arrive arrive) {
  const HeldLock lock;
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  ++thread.muted;
  arrive();
  --thread.muted;
  if (PyErr_Occurred()) raise_later();
  PyErr_Restore(type, value, trace);
}

inline void stop_after_op(Thread& thread, std::uint16_t op, tapescope_tensor first, std::uint32_t site) {
  const bool node = table->recorded();
  tapescope_seen seen{};
  seen.forward_output = first;
  seen.forward = 1;
  seen.values = static_cast<std::uint16_t>(thread.outputs.size());
  for (std::size_t i = 0; i < std::min<std::size_t>(thread.outputs.size(), 16); ++i) {
    const int found = look_at(*table, *thread.outputs[i]);
    if (found & TAPESCOPE_HAS_NAN) seen.results.nan |= 1u << i;
    if (found & TAPESCOPE_HAS_INFINITY) seen.results.infinity |= 1u << i;
  }
  if (seen.results.nan | seen.results.infinity) table->step_result(&seen);
  stand_still(thread, [&] {
    Stand stand(*table, callbacks.names_of_tensors);
    for (const at::Tensor& input : thread.held) stand.add(TAPESCOPE_INPUT, input, known_as(thread, input));
    for (std::size_t i = 0; i < thread.outputs.size(); ++i)
      stand.add(TAPESCOPE_OUTPUT, at::Tensor(*thread.outputs[i]), {first + i, thread.output_types[i]});
    const tapescope_place place{
        0, node ? TAPESCOPE_NODE : TAPESCOPE_BESIDE, op, first, site, Stand::describe, &stand};
    table->arrive(&place);
  });
}

// Runs once a backward step has returned, with what it was given and what it returned.
struct StepHook final : torch::autograd::FunctionPostHook {
  explicit StepHook(torch::autograd::Node* of) : node(of) {}

  torch::autograd::variable_list operator()(const torch::autograd::variable_list& outputs,
                                            const torch::autograd::variable_list& inputs) override {
    try {
      stop(outputs, inputs);
    } catch (const std::exception&) {  // the program goes on
    }
    return outputs;
  }

  void stop(const torch::autograd::variable_list& outputs, const torch::autograd::variable_list& inputs) {
    Thread& thread = this_thread();
    const Made made = made_by(thread, static_cast<std::int64_t>(node->sequence_nr()), node->thread_id());
    if (made.output == 0) return;
    tapescope_seen seen{};
    seen.forward_output = made.output;
    seen.values = static_cast<std::uint16_t>(outputs.size());
    seen.given = static_cast<std::uint16_t>(inputs.size());
    look_at_all(outputs, seen.results);
    if (seen.results.nan | seen.results.infinity) {
      look_at_all(inputs, seen.cotangents);
      table->step_result(&seen);
    }
    stand_still(thread, [&] {
      Stand stand(*table, callbacks.names_of_tensors);
      for (const at::Tensor& input : inputs) {
        if (input.defined() && !is_plain(input)) continue;
        stand.add(TAPESCOPE_COTANGENT_IN, input, input.defined() ? known_as(thread, input) : Operand());
      }
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (outputs[i].defined() && !is_plain(outputs[i])) continue;
        const Operand known = outputs[i].defined() ? known_as(thread, outputs[i]) : Operand();
        stand.add(TAPESCOPE_COTANGENT_OUT, outputs[i], known, name_of_leaf(i));
      }
      const tapescope_place place{1,         TAPESCOPE_NODE,  made.op, made.output,
                                  made.site, Stand::describe, &stand};
      table->arrive(&place);
    });
  }

  static void look_at_all(const torch::autograd::variable_list& tensors, tapescope_masks& masks) {
    for (std::size_t i = 0; i < std::min<std::size_t>(tensors.size(), 16); ++i) {
      const int found = tensors[i].defined() && is_plain(tensors[i]) ? look_at(*table, tensors[i]) : 0;
      if (found & TAPESCOPE_HAS_NAN) masks.nan |= 1u << i;
      if (found & TAPESCOPE_HAS_INFINITY) masks.infinity |= 1u << i;
    }
  }

  // Of the leaf whose gradient an output is; the interpreter's lock is held.
  std::uint32_t name_of_leaf(std::size_t index) const {
    if (index >= node->num_outputs()) return 0;
    const auto* const leaf =
        dynamic_cast<torch::autograd::AccumulateGrad*>(node->next_edge(index).function.get());
    if (!leaf || !callbacks.names_of_tensors) return 0;
    PyObject* const texts =
        PyObject_CallFunction(callbacks.names_of_tensors, "([N])", THPVariable_Wrap(leaf->variable));
    PyObject* const text = texts && PyList_Check(texts) ? PyList_GetItem(texts, 0) : nullptr;
    const char* const characters = text ? PyUnicode_AsUTF8(text) : nullptr;
    const std::uint32_t name = characters ? table->name(characters, std::strlen(characters)) : 0;
    PyErr_Clear();
    Py_XDECREF(texts);
    return name;
  }

  torch::autograd::Node* const node;
};

// The engine turns to a node.
inline void walk_begins(Thread& thread) {
  if (!thread.may_stop()) return;
  if (const auto node = torch::autograd::get_current_node())
    thread.hooks.emplace_back(thread.walk, node->add_post_hook(std::make_unique<StepHook>(&*node)));
}

inline void walk_ends(Thread& thread, const void* walk) {
  if (thread.hooks.empty() || thread.hooks.back().first != walk) return;
  if (const auto node = torch::autograd::get_current_node()) node->del_post_hook(thread.hooks.back().second);
  thread.hooks.pop_back();
}

// --- what Python calls

inline PyObject* at_gate(PyObject*, PyObject*) { return PyBool_FromLong(table && this_thread().may_stop()); }

// Python's own functions return what a signal's handler raised.
inline PyObject* done() {
  if (PyErr_Occurred()) return nullptr;
  Py_RETURN_NONE;
}

// Where a viewer stops the thread between two nodes; what a signal's handler raised is left set.
inline void stop_between(Thread& thread, int what, const char* op, const char* name,
                         tapescope_tensor source) {
  if (!thread.may_stop()) return;
  const tapescope_place place{what == TAPESCOPE_BEFORE_BACKWARD,
                              TAPESCOPE_INSIDE,
                              *op ? table->op_name(op, std::strlen(op)) : std::uint16_t{0},
                              0,
                              thread.lines.site(),
                              nullptr,
                              nullptr};
  table->arrive_between(what, &place, name, source);
}

inline PyObject* stop_between(PyObject*, PyObject* arguments) {
  int what = 0;
  unsigned long long source = 0;
  const char *op = "", *name = "";
  if (!PyArg_ParseTuple(arguments, "i|ssK", &what, &op, &name, &source)) return nullptr;
  stop_between(this_thread(), what, op, name, source);
  return done();
}

}  // namespace tapescope_observer
