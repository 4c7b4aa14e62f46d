// Backward passes that the program asks for: of which tensors, what comes of it, and the tape of the step.
// What depends on the program's names, or is rare, Python does (tapescope/torch/observe.py).
#pragma once
#include <c10/core/impl/TorchDispatchModeTLS.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "bridges/torch_observer/state.h"
#include "bridges/torch_observer/stops.h"

namespace tapescope_observer {

constexpr std::size_t kMostSources = 4096;  // tensors that a question lists
constexpr int kFramesToCheck = 6;           // between a check of gradients and the engine

struct Source {
  WeakTensor tensor;
  tapescope_tensor id = 0;
  std::uint32_t name = 0;
};

struct Question {
  enum class Of { nothing, transform, program };
  Of of = Of::nothing;
  std::uint64_t place = 0;
  std::uint64_t call = 0;  // 0: nothing that was recorded
  std::vector<Source> sources;
};

// A tape for each step: what an earlier one computed is not kept.
inline void new_tape(Thread& thread, std::uint32_t site) {
  if (thread.tape != 0) table->tape_destroyed(thread.tape);
  thread.tape = table->tape_made(1, 0);
  thread.paused = false;
  table->tape_enter(thread.tape, 0, 0, site);
}

// Leaves that a backward pass from the targets reaches.
inline std::vector<at::Tensor> leaves_of(const std::vector<at::Tensor>& targets) {
  std::vector<torch::autograd::Node*> pending;
  std::unordered_set<torch::autograd::Node*> seen;
  std::vector<at::Tensor> found;
  const auto visit = [&](torch::autograd::Node* node) {
    if (node && seen.insert(node).second) pending.push_back(node);
  };
  for (const at::Tensor& target : targets)
    if (target.requires_grad()) visit(torch::autograd::impl::gradient_edge(target).function.get());
  while (!pending.empty()) {
    torch::autograd::Node* const node = pending.back();
    pending.pop_back();
    if (node->num_outputs() == 0) {
      auto* const end = dynamic_cast<torch::autograd::AccumulateGrad*>(node);
      if (end && found.size() < kMostSources) found.push_back(end->variable);
    }
    for (const torch::autograd::Edge& edge : node->next_edges()) visit(edge.function.get());
  }
  return found;
}

// Asks Python what tensors are called that no question has met: name_sources([(tensor, id)]) returns a list
// of texts, empty for what has no name.
inline void name_sources(Thread& thread,
                         const std::vector<std::pair<at::Tensor, tapescope_tensor>>& nameless) {
  PyObject* const list = PyList_New(0);
  for (const auto& [tensor, id] : nameless) {
    PyObject* const item =
        list ? Py_BuildValue("(NK)", THPVariable_Wrap(tensor), static_cast<unsigned long long>(id)) : nullptr;
    if (item) PyList_Append(list, item);
    Py_XDECREF(item);
  }
  ++thread.muted;
  PyObject* const texts =
      list ? PyObject_CallFunctionObjArgs(callbacks.name_sources, list, nullptr) : nullptr;
  --thread.muted;
  for (std::size_t i = 0; texts && PyList_Check(texts) && i < nameless.size(); ++i) {
    PyObject* const text = PyList_GetItem(texts, static_cast<Py_ssize_t>(i));
    Py_ssize_t size = 0;
    const char* const characters = text ? PyUnicode_AsUTF8AndSize(text, &size) : nullptr;
    const std::uint32_t name =
        characters && size > 0 ? table->name(characters, static_cast<std::size_t>(size)) : 0;
    const std::lock_guard lock(tensors_lock);
    if (Tensors::Slot* const slot = tensors().find(nameless[i].first.unsafeGetTensorImpl()))
      slot->name = name, slot->named = true;
  }
  PyErr_Clear();
  Py_XDECREF(texts);
  Py_XDECREF(list);
}

// What gradients are asked of: the tensors given, else the leaves that the pass reaches. `given`: a sequence
// or null. Tensors that no op has met are left out, and leaves without a name.
inline std::vector<Source> sources_of(Thread& thread, const std::vector<at::Tensor>& targets,
                                      const std::vector<at::Tensor>& given) {
  const std::vector<at::Tensor> asked = given.empty() ? leaves_of(targets) : given;
  std::vector<std::pair<at::Tensor, tapescope_tensor>> nameless;
  const auto known_of = [](const at::Tensor& tensor) {
    const std::lock_guard lock(tensors_lock);
    const Tensors::Slot* const slot = tensors().find(tensor.unsafeGetTensorImpl());
    return slot ? *slot : Tensors::Slot();
  };
  for (const at::Tensor& tensor : asked)
    if (const Tensors::Slot slot = known_of(tensor); slot.known.id != 0 && !slot.named)
      nameless.emplace_back(tensor, slot.known.id);
  if (!nameless.empty()) name_sources(thread, nameless);
  std::vector<Source> found;
  for (const at::Tensor& tensor : asked) {
    const Tensors::Slot slot = known_of(tensor);
    if (slot.known.id != 0 && (slot.name != 0 || !given.empty()) && found.size() < kMostSources)
      found.push_back({WeakTensor(tensor.getIntrusivePtr()), slot.known.id, slot.name});
  }
  return found;
}

// Whether it is the program that asks: not a compiler at work on tensors without values, nor gradcheck, which
// asks for what is None as well.
inline Question::Of asked_by(Thread& thread, PyObject* targets) {
  if (!is_on || thread.muted > 0 || table->muted() || c10::impl::TorchDispatchModeTLS::stack_len() != 0)
    return Question::Of::nothing;
  bool transformed = false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(targets); ++i) {
    PyObject* const target = PySequence_Fast_GET_ITEM(targets, i);
    if (!THPVariable_Check(target)) continue;
    if (!THPVariable_CheckExact(target)) return Question::Of::nothing;
    const c10::DispatchKeySet keys = THPVariable_Unpack(target).key_set();
    transformed |= keys.has(c10::DispatchKey::FuncTorchGradWrapper) ||
                   keys.has(c10::DispatchKey::FuncTorchBatched) || keys.has(c10::DispatchKey::Functionalize);
  }
  if (thread.lines.called_by_gradcheck(kFramesToCheck)) return Question::Of::nothing;
  return transformed ? Question::Of::transform : Question::Of::program;
}

inline std::vector<at::Tensor> tensors_of(PyObject* sequence) {
  std::vector<at::Tensor> found;
  if (!sequence || !(PyTuple_Check(sequence) || PyList_Check(sequence))) return found;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence); ++i)
    if (PyObject* const item = PySequence_Fast_GET_ITEM(sequence, i); THPVariable_Check(item))
      found.push_back(THPVariable_Unpack(item));
  return found;
}

// Returns the number of the training step.
inline std::uint64_t note_question(std::uint64_t place) {
  PyObject* const number =
      PyObject_CallFunction(callbacks.asked, "K", static_cast<unsigned long long>(place));
  const unsigned long long step = number && PyLong_Check(number) ? PyLong_AsUnsignedLongLong(number) : 0;
  PyErr_Clear();
  Py_XDECREF(number);
  return step;
}

inline std::optional<double> number_of(const at::Tensor& tensor) {
  if (tensor.numel() != 1 || !is_readable(tensor)) return {};
  const tapescope_values values{element_of(tensor.scalar_type()), first_element(tensor), 1};
  double value = 0;
  if (!table->single(&values, &value)) return {};
  return value;
}

// (result, loss): a GradScaler multiplied the loss, whose own value is the one to show.
inline PyObject* scaled(PyObject*, PyObject* const* given, Py_ssize_t count) {
  if (count < 2 || !is_on || !THPVariable_Check(given[0]) || !THPVariable_Check(given[1])) Py_RETURN_NONE;
  const std::optional<double> loss = number_of(THPVariable_Unpack(given[1]));
  if (loss) this_thread().scaled = {WeakTensor(THPVariable_Unpack(given[0]).getIntrusivePtr()), *loss};
  Py_RETURN_NONE;
}

inline void note_loss(Thread& thread, const std::vector<at::Tensor>& targets, std::uint64_t step) {
  if (targets.size() != 1) return;
  std::optional<double> value = number_of(targets[0]);
  if (thread.scaled && thread.scaled->first.lock().get() == targets[0].unsafeGetTensorImpl())
    value = thread.scaled->second;
  thread.scaled.reset();
  if (value) table->scalar(table->name("loss", 4), *value, step);
}

inline void question_begins(Thread& thread, Question& question, PyObject* targets, PyObject* given) {
  if (thread.open == &thread) close(thread);  // an optimizer's step that ended by an error
  const std::uint32_t site = thread.lines.site();
  if (thread.tape == 0) new_tape(thread, site);
  question.place = thread.lines.path(PyGILState_GetThisThreadState());
  const std::uint64_t step = note_question(question.place);
  const std::vector<at::Tensor> asked = tensors_of(targets);
  note_loss(thread, asked, step);
  if (table->listening()) question.sources = sources_of(thread, asked, tensors_of(given));
  if (asked.empty() || question.sources.empty()) return;
  question.call = table->ask(thread.tape, 0, 0, static_cast<std::uint32_t>(asked.size()),
                             static_cast<std::uint32_t>(question.sources.size()), site);
  for (const at::Tensor& target : asked) table->target(known_as(thread, target).id, table->name("loss", 4));
  for (std::size_t i = 0; i < question.sources.size(); ++i)
    table->source(static_cast<std::uint32_t>(i), question.sources[i].id, question.sources[i].name);
  table->backward_begin(thread.tape, question.call);
}

// Shows a viewer what was asked for, where it stops here; what a signal's handler raised is left set.
inline void stop_at_answers(Thread& thread, const Question& question,
                            const std::vector<at::Tensor>& gradients) {
  Stand stand(*table, callbacks.names_of_tensors);
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    const at::Tensor& gradient = gradients[i];
    if (gradient.defined() && !is_plain(gradient)) continue;
    const Operand known = gradient.defined() ? Operand{0, thread.types.of(gradient)} : Operand();
    const Source& source = question.sources[i];
    stand.add(TAPESCOPE_GRADIENT, gradient, known, source.name, source.id);
    stand.add(TAPESCOPE_COTANGENT_OUT, gradient, known, source.name);
  }
  const tapescope_place place{
      1, TAPESCOPE_INSIDE, table->op_name("gradient", 8), 0, thread.lines.site(), Stand::describe, &stand};
  table->arrive(&place);
}

// `returned`: what the engine returned as gradients, a tuple; else they are in `.grad`.
inline void question_ends(Thread& thread, const Question& question, bool raised, PyObject* returned) {
  std::vector<at::Tensor> gradients;
  if (question.call != 0) {
    table->backward_end(thread.tape, question.call, raised);
    const bool in_result = returned && PyTuple_Check(returned) &&
                           PyTuple_GET_SIZE(returned) == static_cast<Py_ssize_t>(question.sources.size());
    for (std::size_t i = 0; i < question.sources.size() && !raised; ++i) {
      const Source& source = question.sources[i];
      at::Tensor gradient;
      if (in_result) {
        PyObject* const item = PyTuple_GET_ITEM(returned, static_cast<Py_ssize_t>(i));
        if (THPVariable_Check(item)) gradient = THPVariable_Unpack(item);
      } else if (const auto tensor = source.tensor.lock()) {
        gradient = tensor->grad();
      }
      if (gradient.defined())
        table->result(static_cast<std::uint32_t>(i), source.id, source.name, TAPESCOPE_VALUE, 0);
      gradients.push_back(std::move(gradient));
    }
  }
  if (!gradients.empty() && thread.may_stop()) stop_at_answers(thread, question, gradients);
  new_tape(thread, thread.lines.site());
  thread.pace.asked(question.place);
}

// Of a backward pass its steps are recorded, and no op beside or inside them: PyTorch need not announce
// those. That is one switch for all threads, so it stays as it is where the program has another, where passes
// exchange gradients, and where a viewer may stop the pass, which looks at what the engine does around a
// step.
class Unannounced {
 public:
  explicit Unannounced(Thread& thread) : thread_(thread), hook_(op_hook) {
    on_ = hook_ != 0 && !thread.unannounced && !exchanges &&
          !PyThreadState_Next(PyInterpreterState_ThreadHead(PyInterpreterState_Get())) && !thread.may_stop();
    if (!on_) return;
    thread.unannounced = true;
    at::disableCallback(hook_);
  }
  ~Unannounced() {
    if (!on_) return;
    at::reenableCallback(hook_);
    thread_.unannounced = false;
  }
  Unannounced(const Unannounced&) = delete;
  Unannounced& operator=(const Unannounced&) = delete;

 private:
  Thread& thread_;
  const at::CallbackHandle hook_;
  bool on_ = false;
};

// --- what stands for torch.autograd._engine_run_backward(targets, gradients, retain, create, inputs, ...)

inline bool is_true(PyObject* const* arguments, Py_ssize_t count, PyObject* keywords, const char* name) {
  for (Py_ssize_t i = 0; keywords && i < PyTuple_GET_SIZE(keywords); ++i)
    if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(keywords, i), name) == 0)
      return PyObject_IsTrue(arguments[count + i]) == 1;
  return false;
}

inline PyObject* run_backward(PyObject* original, PyObject* const* arguments, Py_ssize_t count,
                              PyObject* keywords) {
  PyObject* const targets = count > 0 ? arguments[0] : nullptr;
  Thread& thread = this_thread();
  Question question;
  if (targets && (PyTuple_Check(targets) || PyList_Check(targets))) question.of = asked_by(thread, targets);
  const auto ask = [&] {
    return PyObject_Vectorcall(original, arguments, static_cast<std::size_t>(count), keywords);
  };
  if (question.of == Question::Of::nothing) return ask();
  if (question.of == Question::Of::transform) {
    call_begins(thread);
    PyObject* const result = ask();
    call_ends(thread, "torch.func backward");
    return result;
  }
  constexpr Py_ssize_t kInputs = 4;
  question_begins(thread, question, targets, count > kInputs ? arguments[kInputs] : nullptr);
  stop_between(thread, TAPESCOPE_BEFORE_BACKWARD, "", "", 0);
  PyObject* result = nullptr;
  if (!PyErr_Occurred()) {  // a signal's handler may have raised
    const Unannounced quiet(thread);
    result = ask();
  }
  if (thread.exchanging && table->listening()) write_wait(thread);
  thread.exchanging = false;
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  question_ends(thread, question, result == nullptr,
                is_true(arguments, count, keywords, "accumulate_grad") ? nullptr : result);
  if (type) {
    PyErr_Restore(type, value, trace);
  } else if (PyErr_Occurred()) {
    Py_CLEAR(result);
  }
  return result;
}

}  // namespace tapescope_observer
