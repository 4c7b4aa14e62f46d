// Hooks around TensorFlow's tapes: entered, left, and asked. In C++, as each Python function in between would
// be a frame that TensorFlow walks over with every op of the backward pass.
#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bridges/python/module/functions.h"
#include "bridges/python/module/gate.h"
#include "bridges/python/module/ops.h"
#include "bridges/python/module/sites.h"
#include "bridges/python/module/steps.h"
#include "bridges/python/module/tapes.h"
#include "bridges/python/module/tensors.h"
#include "bridges/python/module/thread.h"
#include "bridges/python/module/variables.h"

namespace tapescope::bridge {

// A source or a target.
struct Asked {
  tapescope_tensor id = 0;
  std::uint32_t name = 0;
};

// One call of gradient() or jacobian(), from the ask to the results.
struct Question {
  PyObject* tape = nullptr;  // held by the call
  std::uint32_t number = 0;  // the tape's
  std::uint64_t call = 0;
  bool whole = false;  // its walk is within something larger
  bool zero = false;   // zeros are asked for in place of None
  bool traced = false;
  bool first = false;  // of its step
  bool named = false;  // what the program's variables hold is called so
  Ref targets, sources;
  Ref texts;  // what sources and then targets are called
  std::vector<Asked> asked;
  Ref walked, outer_walk;  // steps of a traced walk
};

namespace {

// --- what Python decides

struct Callbacks {
  PyObject* flatten = nullptr;  // (structure) -> a list
  PyObject* number = nullptr;   // (source or target, no tensor and no plain variable) -> its id
  PyObject* texts = nullptr;    // (sources, targets, dict of sources or None) -> what they are called
  PyObject* name = nullptr;     // (): calls what the program's variables hold so
  PyObject* values = nullptr;   // (gradient) -> the tensor of its values, or None
  PyObject* traced = nullptr;   // (): a question inside a trace
  // (tape, question, targets, walk, [(source id, name, gradient)]): the answers inside a trace
  PyObject* answered = nullptr;
  PyObject* missing = nullptr;  // ([(source id, name)]): of sources that have no gradient
} g_python;

template <class... Arguments>
Ref ask_python(PyObject* callable, Arguments... arguments) {
  return Ref(PyObject_CallFunctionObjArgs(callable, arguments..., nullptr));
}

// --- methods of the class of tapes

enum Method { kPush, kPop, kGradient, kJacobian, kBatchJacobian };
PyObject* g_originals[5] = {};

bool is_silent() { return hook_thread().muted || !tapescope_listening(); }

bool flag_of(PyObject* object, PyObject* name) {
  const Ref value(PyObject_GetAttr(object, name));
  return value && PyObject_IsTrue(value.get()) == 1;
}

// --- tapes

enum class Context : int { none, pause, reset };  // what pushes and pops a tape

struct KnownTape {
  std::uint32_t number = 0;
  Context context = Context::none;
  Ref gone;  // a weak reference, which takes the entry away
};

std::unordered_map<const void*, KnownTape>& tapes() {
  static auto* instance = new std::unordered_map<const void*, KnownTape>;
  return *instance;
}

PyObject* forget_tape(PyObject* address, PyObject*) {
  const auto known = tapes().find(PyLong_AsVoidPtr(address));
  if (known == tapes().end()) Py_RETURN_NONE;
  const std::uint32_t number = known->second.number;
  const Ref gone = std::move(known->second.gone);  // runs now
  tapes().erase(known);
  if (!is_silent()) note_tape_gone(number);
  Py_RETURN_NONE;
}
PyMethodDef g_forget_tape = {"forget_tape", forget_tape, METH_O, nullptr};

KnownTape& known_tape(PyObject* tape) {
  static PyObject* const persistent = interned("_persistent");
  static PyObject* const watches = interned("_watch_accessed_variables");
  const auto [known, added] = tapes().try_emplace(tape);
  if (added) {
    known->second.number = note_tape(flag_of(tape, persistent), flag_of(tape, watches));
    const Ref address(PyLong_FromVoidPtr(tape));
    const Ref forget(PyCFunction_NewEx(&g_forget_tape, address.get(), nullptr));
    known->second.gone = Ref(PyWeakref_NewRef(tape, forget.get()));
  }
  return known->second;
}

void note_pushed(PyObject* tape, bool again) {
  const KnownTape& known = known_tape(tape);
  if (known.context == Context::pause) tapescope_tape_resume(known.number, place_in_program());
  if (known.context != Context::none) return;
  const HookThread& thread = hook_thread();
  if (tapescope_active_tapes() == 0 && thread.tracing == 0 && !thread.question)
    arrive_in_step(Ref(number(user_site(thread.scope))).get());
  note_tape_entered(known.number, again);
}

void note_popped(PyObject* tape) {
  const KnownTape& known = known_tape(tape);
  const std::uint32_t site = place_in_program();
  switch (known.context) {
    case Context::none: tapescope_tape_exit(known.number, site); break;
    case Context::pause: tapescope_tape_pause(known.number, site); break;
    case Context::reset: tapescope_tape_reset(known.number, site); break;
  }
}

PyObject* push(PyObject* tape, PyObject*) {
  static PyObject* const entered = interned("_tape");
  const Ref before(PyObject_GetAttr(tape, entered));
  PyErr_Clear();
  Ref result = ask_python(g_originals[kPush], tape);
  if (!result || is_silent()) return result.release();
  note_pushed(tape, before && before.get() != Py_None);
  return pass_over() ? result.release() : nullptr;
}

PyObject* pop(PyObject* tape, PyObject*) {
  Ref result = ask_python(g_originals[kPop], tape);
  if (!result || is_silent()) return result.release();
  note_popped(tape);
  return pass_over() ? result.release() : nullptr;
}

// --- what is asked about

// nest.flatten(), which takes longer than to see that there is nothing to flatten.
Ref flat(PyObject* structure) {
  const auto is_leaf = [](PyObject* item) {
    return item == Py_None || is_eager(item) || is_plain_variable(item);
  };
  if (is_leaf(structure)) {
    Ref list(PyList_New(1));
    if (list) PyList_SetItem(list.get(), 0, Ref::share(structure).release());
    return list;
  }
  bool leaves = PyList_CheckExact(structure) || PyTuple_CheckExact(structure);
  for (Py_ssize_t i = 0; leaves && i < length_of(structure); ++i) leaves = is_leaf(item_of(structure, i));
  return leaves ? Ref(PySequence_List(structure)) : ask_python(g_python.flatten, structure);
}

Ref without_none(Ref items) {
  Ref list(PyList_New(0));
  for (Py_ssize_t i = 0; list && i < length_of(items.get()); ++i) {
    PyObject* item = item_of(items.get(), i);
    if (item != Py_None && PyList_Append(list.get(), item) != 0) return Ref();
  }
  return list;
}

// The id of the tensor or variable that a source or target stands for.
tapescope_tensor number_of(PyObject* item) {
  if (is_eager(item)) return seen_tensor(item, user_site(hook_thread().scope), false).id;
  if (is_plain_variable(item)) {
    if (const Ref handle = handle_of(item)) return seen_variable(item, handle.get()).id;
  }
  const Ref id = ask_python(g_python.number, item);
  return id ? PyLong_AsUnsignedLongLong(id.get()) : 0;
}

std::int64_t handle_identity(PyObject* item) {
  const Ref handle = is_eager(item) ? Ref() : handle_of(item);
  return handle ? identity_of(handle.get()) : 0;
}

// --- what it is called

// Where questions are put: what their sources and targets were called, and how often in a row they were
// called that.
struct Place {
  Ref texts;
  int alike = 0;
};
constexpr int kAlike = 4;
constexpr std::size_t kMostPlaces = 4096;  // a program may make variables anew in each step
bool g_names_given = false;                // a tensor of a later round may be called something else

bool same(PyObject* texts, PyObject* others) {
  return texts && others && PyObject_RichCompareBool(texts, others, Py_EQ) == 1;
}

// Questions that are put at one place again and again call theirs alike, and their frames are not searched
// any more.
Ref texts_of(Question& question, PyObject* keyed) {
  static auto* places = new std::map<std::vector<std::int64_t>, Place>;
  PyObject* sources = question.sources.get();
  std::vector<std::int64_t> key = {place_in_program(), length_of(question.targets.get())};
  for (Py_ssize_t i = 0; i < length_of(sources); ++i) key.push_back(handle_identity(item_of(sources, i)));
  if (places->size() >= kMostPlaces) places->clear();
  Place& place = (*places)[std::move(key)];
  if (place.alike >= kAlike && !g_names_given) return Ref::share(place.texts.get());
  Ref texts = ask_python(g_python.texts, sources, question.targets.get(), keyed);
  if (!texts) return texts;
  question.named = true;
  if (place.texts) place.alike = same(place.texts.get(), texts.get()) ? place.alike + 1 : -kAlike;
  place.texts = Ref::share(texts.get());
  return texts;
}

bool name_variables(Question& question) {
  if (std::exchange(question.named, true)) return true;
  return static_cast<bool>(ask_python(g_python.name));
}

// --- from the ask to the results

bool first_of_step(const Question& question, Py_ssize_t sources) {
  std::vector<tapescope_tensor> ids;
  for (Py_ssize_t i = 0; i < sources; ++i) ids.push_back(question.asked[static_cast<std::size_t>(i)].id);
  return ask_in_step(ids);
}

// False where the question is not recorded: an error is set.
bool begin(Question& question, PyObject* target, PyObject* sources) {
  HookThread& thread = hook_thread();
  question.number = known_tape(question.tape).number;
  question.traced = thread.tracing > 0;
  question.targets = without_none(flat(target));
  question.sources = flat(sources);
  if (!question.targets || !question.sources) return false;
  question.texts = texts_of(question, PyDict_Check(sources) ? sources : Py_None);
  if (!question.texts) return false;
  const Py_ssize_t count = length_of(question.sources.get()), targets = length_of(question.targets.get());
  for (Py_ssize_t i = 0; i < count + targets; ++i) {
    PyObject* list = i < count ? question.sources.get() : question.targets.get();
    PyObject* item = item_of(list, i < count ? i : i - count);
    const std::string_view text = text_of(item_of(question.texts.get(), i));
    question.asked.push_back({number_of(item), tapescope_name(text.data(), text.size())});
    if (PyErr_Occurred()) return false;
  }
  if (question.traced) {
    question.walked = Ref(PyList_New(0));
    if (!question.walked || !ask_python(g_python.traced)) return false;
    question.outer_walk = std::exchange(thread.traced_steps, Ref::share(question.walked.get()));
  } else {
    question.first = first_of_step(question, count);
    if (PyErr_Occurred()) return false;
  }
  question.call = note_question(question.number, question.zero ? 1 : 0, static_cast<std::uint32_t>(targets),
                                static_cast<std::uint32_t>(count));
  for (std::size_t i = static_cast<std::size_t>(count); i < question.asked.size(); ++i)
    tapescope_target(question.asked[i].id, question.asked[i].name);
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(count); ++i)
    tapescope_source(i, question.asked[i].id, question.asked[i].name);
  if (question.whole) note_backward_begin(question.number, question.call);
  return true;
}

// The tensor that holds a gradient's values; None for None, and null with an error.
Ref values_of(PyObject* gradient) {
  if (gradient == Py_None || is_eager(gradient)) return Ref::share(gradient);
  return ask_python(g_python.values, gradient);
}

struct Findings {
  int in_answers = 0, in_targets = 0;  // bits of found_in()
  bool wrong = false;                  // an answer has to be explained
};

// [(source id, name, gradient or None)], as they are recorded.
Ref note_answers(const Question& question, PyObject* gradients, Findings& found) {
  Ref answers(PyList_New(0));
  const auto count = std::min(length_of(gradients), length_of(question.sources.get()));
  for (Py_ssize_t i = 0; answers && i < count; ++i) {
    const Asked& source = question.asked[static_cast<std::size_t>(i)];
    PyObject* gradient = item_of(gradients, i);
    const Ref values = values_of(gradient);
    if (!values) return Ref();
    int kind = gradient == Py_None ? 0 : 1;
    // Zeros for a source that nothing connects.
    const bool may_fill = kind == 1 && question.zero && !question.traced && values.get() != Py_None;
    if (may_fill && (found_in(values.get()) & 1) && is_filler(values.get())) kind = 2;
    const int bits = note_answer(static_cast<std::uint32_t>(i), source.id, source.name, kind, values.get());
    found.in_answers |= bits;
    found.wrong |= kind != 1 || bits != 0;
    const Ref id(number(source.id));
    const Ref answer(PyTuple_Pack(3, id.get(), item_of(question.texts.get(), i), values.get()));
    if (!answer || PyList_Append(answers.get(), answer.get()) != 0) return Ref();
  }
  return answers;
}

// Where the program uses what has no gradient: before the answers, which are explained as they come. False
// with an error.
bool note_missing(const Question& question, PyObject* gradients) {
  const Ref missing(PyList_New(0));
  const auto count = std::min(length_of(gradients), length_of(question.sources.get()));
  for (Py_ssize_t i = 0; missing && i < count; ++i) {
    if (item_of(gradients, i) != Py_None) continue;
    const Ref id(number(question.asked[static_cast<std::size_t>(i)].id));
    const Ref one(PyTuple_Pack(2, id.get(), item_of(question.texts.get(), i)));
    if (!one || PyList_Append(missing.get(), one.get()) != 0) return false;
  }
  return missing && (length_of(missing.get()) == 0 || ask_python(g_python.missing, missing.get()));
}

void end_raised(Question& question) {
  const Guard guard;  // the program's error comes back
  if (question.traced) hook_thread().traced_steps = std::move(question.outer_walk);
  if (question.whole) note_backward_end(question.number, question.call, true);
  name_variables(question);
}

// Returns what stops show; null where there is nothing to show, or an error is set.
Ref end(Question& question, PyObject* gradients) {
  static PyObject* const persistent = interned("_persistent");
  static const std::uint32_t loss = tapescope_name("loss", 4);
  if (question.traced) hook_thread().traced_steps = std::move(question.outer_walk);
  if (question.whole) note_backward_end(question.number, question.call, false);
  if (!flag_of(question.tape, persistent)) tapescope_tape_consumed(question.number, place_in_program());
  const Ref all = flat(gradients);
  if (!all || !note_missing(question, all.get())) return Ref();
  Findings found;
  Ref answers = note_answers(question, all.get(), found);
  if (!answers) return answers;
  PyObject* const targets = question.targets.get();
  if (question.traced) {
    const Ref tape(number(question.number)), call(number(question.call));
    ask_python(g_python.answered, tape.get(), call.get(), targets, question.walked.get(), answers.get());
    return Ref();
  }
  for (Py_ssize_t i = 0; i < length_of(targets); ++i) found.in_targets |= found_in(item_of(targets, i));
  const int all_found = found.in_answers | found.in_targets;
  if (all_found & 6) note_nonfinite_ops();
  if ((found.wrong || all_found != 0) && !name_variables(question)) return Ref();
  double value = 0;
  if (question.first && length_of(targets) > 0 && single_value(item_of(targets, 0), value))
    note_in_step(loss, value);
  return answers;
}

// --- hooks

// An argument of the original, borrowed; null where it is not given.
PyObject* argument(PyObject* arguments, PyObject* keywords, Py_ssize_t place, const char* name) {
  if (place < PyTuple_Size(arguments)) return PyTuple_GetItem(arguments, place);
  return keywords ? PyDict_GetItemString(keywords, name) : nullptr;
}

bool wants_zeros(PyObject* unconnected) {
  static PyObject* const value = interned("value");
  if (!unconnected) return false;
  const Ref text(PyObject_GetAttr(unconnected, value));
  PyErr_Clear();
  return text_of(text ? text.get() : unconnected) == "zero";
}

template <Method kMethod>
PyObject* ask(PyObject* tape, PyObject* arguments, PyObject* keywords) {
  constexpr bool kWhole = kMethod != kGradient;
  constexpr Py_ssize_t kUnconnected = kWhole ? 2 : 3;  // gradient() takes output_gradients before
  const Ref all = with_self(tape, arguments);
  PyObject* const target = argument(arguments, keywords, 0, "target");
  PyObject* const sources = argument(arguments, keywords, 1, "sources");
  HookThread& thread = hook_thread();
  // py_function asks for its part of another question.
  const bool silent = is_silent() || thread.jacobian || (!kWhole && called_by_py_function());
  if (!all) return nullptr;
  if (silent || !target || !sources) return PyObject_Call(g_originals[kMethod], all.get(), keywords);
  Question question{.tape = tape, .whole = kWhole};
  question.zero = wants_zeros(argument(arguments, keywords, kUnconnected, "unconnected_gradients"));
  const bool recorded = begin(question, target, sources);
  if (!pass_over()) return nullptr;
  if (!recorded) return PyObject_Call(g_originals[kMethod], all.get(), keywords);
  Question* const outer = std::exchange(thread.question, &question);
  thread.jacobian = kWhole;
  Ref gradients(PyObject_Call(g_originals[kMethod], all.get(), keywords));
  thread.jacobian = false;
  thread.question = outer;
  if (!gradients) {
    end_raised(question);
    return nullptr;
  }
  const Ref answers = end(question, gradients.get());
  if (!pass_over() || (answers && !stop_at_answers(answers.get()))) return nullptr;
  return gradients.release();
}

PyObject* walk(PyObject* original, PyObject* arguments, PyObject* keywords) {
  const Question* const question = hook_thread().question;
  if (!question || question->whole || is_silent()) return PyObject_Call(original, arguments, keywords);
  if (!question->traced && !stop_before_backward()) return nullptr;
  note_backward_begin(question->number, question->call);
  PyObject* result = PyObject_Call(original, arguments, keywords);
  note_backward_end(question->number, question->call, !result);
  return result;
}

PyMethodDef g_methods[] = {{"_push_tape", push, METH_NOARGS, nullptr},
                           {"_pop_tape", pop, METH_NOARGS, nullptr},
                           {"gradient", with_keywords(ask<kGradient>), kKeywords, nullptr},
                           {"jacobian", with_keywords(ask<kJacobian>), kKeywords, nullptr},
                           {"batch_jacobian", with_keywords(ask<kBatchJacobian>), kKeywords, nullptr}};
PyMethodDef g_walk = {"imperative_grad", with_keywords(walk), kKeywords, nullptr};

// --- functions of the module

// (class of tapes, method's name, its original) -> what stands in its place.
PyObject* wrap_tape_method(PyObject*, PyObject* arguments) {
  PyObject *type, *original;
  const char* name;
  if (!PyArg_ParseTuple(arguments, "O!sO", &PyType_Type, &type, &name, &original)) return nullptr;
  for (std::size_t i = 0; i < std::size(g_methods); ++i) {
    if (std::string_view(g_methods[i].ml_name) != name) continue;
    Py_INCREF(original);
    Py_XDECREF(std::exchange(g_originals[i], original));
    return PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(type), &g_methods[i]);
  }
  return PyErr_Format(PyExc_ValueError, "tapes' %s has no hook", name);
}

PyObject* wrap_walk(PyObject*, PyObject* original) { return PyCFunction_NewEx(&g_walk, original, nullptr); }

PyObject* configure_tapes(PyObject*, PyObject* arguments, PyObject* keywords) {
  static const char* names[] = {"flatten", "number",   "texts",   "name", "values",
                                "traced",  "answered", "missing", nullptr};
  Callbacks given;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OOOOOOOO", const_cast<char**>(names), &given.flatten,
                                   &given.number, &given.texts, &given.name, &given.values, &given.traced,
                                   &given.answered, &given.missing)) {
    return nullptr;
  }
  for (PyObject* held : {given.flatten, given.number, given.texts, given.name, given.values, given.traced,
                         given.answered, given.missing})
    Py_INCREF(held);  // for good: the functions of a module
  g_python = given;
  Py_RETURN_NONE;
}

PyObject* tape_number(PyObject*, PyObject* tape) { return number(known_tape(tape).number); }

// (tape, what pushes and pops it from now on): 0 its block, 1 a pause, 2 a reset.
PyObject* tape_context(PyObject*, PyObject* arguments) {
  PyObject* tape;
  int context;
  if (!PyArg_ParseTuple(arguments, "Oi", &tape, &context)) return nullptr;
  known_tape(tape).context = static_cast<Context>(context);
  Py_RETURN_NONE;
}

PyObject* name_given(PyObject*, PyObject*) {
  g_names_given = true;
  Py_RETURN_NONE;
}

PyMethodDef g_question_methods[] = {{"configure_tapes", with_keywords(configure_tapes), kKeywords, nullptr},
                                    {"wrap_tape_method", wrap_tape_method, METH_VARARGS, nullptr},
                                    {"wrap_walk", wrap_walk, METH_O, nullptr},
                                    {"tape_number", tape_number, METH_O, nullptr},
                                    {"tape_context", tape_context, METH_VARARGS, nullptr},
                                    {"name_given", name_given, METH_NOARGS, nullptr},
                                    {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyMethodDef* question_methods() { return g_question_methods; }

}  // namespace tapescope::bridge
