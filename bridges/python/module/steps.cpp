// One state for the process, under a lock that a thread keeps while it stands at the debugger's gate.
#include "bridges/python/module/steps.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <vector>

#include "bridges/native/flat_table.h"
#include "bridges/python/module/functions.h"
#include "bridges/python/module/ops.h"
#include "bridges/python/module/thread.h"

namespace tapescope::bridge {
namespace {

using Clock = std::chrono::steady_clock;
using ThreadIdent = unsigned long;  // Python's

constexpr int kMostQuestions = 256;                 // of a step that waits for an update
constexpr auto kSilence = std::chrono::seconds(1);  // without a question: another thread may have the steps

PyObject* g_at_begin = nullptr;  // a list of what is called when a step has begun
PyObject* g_is_alive = nullptr;  // (thread's ident) -> whether it runs

// Waits for it without the interpreter's lock.
class Lock {
 public:
  Lock() {
    if (mutex().try_lock()) return;
    Py_BEGIN_ALLOW_THREADS mutex().lock();
    Py_END_ALLOW_THREADS
  }
  ~Lock() { mutex().unlock(); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  static std::recursive_mutex& mutex() {
    static auto* instance = new std::recursive_mutex;
    return *instance;
  }
};

// The calling thread, or the one that waits for it.
ThreadIdent asker() {
  const ThreadIdent other = hook_thread().acts_for;
  return other != 0 ? other : PyThread_get_thread_ident();
}

class Steps {
 public:
  std::uint64_t number() const { return number_; }

  void arrive(PyObject* place, bool whole) {
    if (!marked_) {
      if (ends_at(place, whole)) end();
      if (!open_ && !PyErr_Occurred()) begin();
    }
    add(place);
  }

  // `sources`: null where the question does not say.
  bool ask(const std::span<const tapescope_tensor>* sources) {
    const bool first = !asked_;
    if (!open_) begin();
    asked_ = true;
    if (const ThreadIdent thread = asker(); thread != thread_) {
      if (std::ranges::find(others_, thread) == others_.end()) others_.push_back(thread);
      return first;
    }
    heard_ = Clock::now();
    if (sources) {
      if (sources_.size() == 0) hook_thread().assigned.clear();  // what was assigned before is no update
      for (const tapescope_tensor source : *sources) {
        if (source == 0) continue;
        sources_.insert(source);
        ever_.insert(source);
        meets_known_ |= known_.contains(source);
      }
      ++questions_;
    }
    return first;
  }

  void ask_within(PyObject* place) {
    ask(nullptr);
    if (!PyErr_Occurred()) add(place);
  }

  void open_at_least() {
    if (!open_ && !marked_) begin();
  }

  void note(std::uint32_t name, double value) {
    if (std::ranges::find(noted_, name) != noted_.end()) return;
    noted_.push_back(name);
    tapescope_scalar(name, value, number_);
  }
  void note_next(std::uint32_t name, double value) { waiting_[name] = value; }
  void note_update() { updated_ = asked_; }

  void end() {
    if (!open_) return;
    // What stands after the last update is no step.
    tapescope_step_end(number_, by_updates_ && !asked_);
    forget_step();
    ++number_;
    open_ = false;
  }

  void end_by_update() {
    if (marked_) return;
    by_updates_ = true;
    end();
  }

  void mark() {
    marked_ = true;
    end();
    if (!PyErr_Occurred()) begin();
  }

 private:
  void begin() {
    open_ = true;
    asked_ = updated_ = meets_known_ = false;
    questions_ = 0;
    others_.clear();
    noted_.clear();
    sources_.clear();
    places_ = Ref(PySet_New(nullptr));
    thread_ = asker();
    heard_ = Clock::now();
    forget_step();
    tapescope_step_begin(number_);
    for (const auto& [name, value] : std::exchange(waiting_, {})) note(name, value);
    for (Py_ssize_t i = 0; g_at_begin && !PyErr_Occurred() && i < PyList_Size(g_at_begin); ++i)
      Ref(PyObject_CallFunctionObjArgs(PyList_GetItem(g_at_begin, i), nullptr));
  }

  void add(PyObject* place) {
    if (!places_) places_ = Ref(PySet_New(nullptr));
    if (places_ && !PyErr_Occurred()) PySet_Add(places_.get(), place);
  }

  bool ends_at(PyObject* place, bool whole) {
    if (by_updates_ || !open_ || !asked_ || !places_) return false;
    if (PySet_Contains(places_.get(), place) != 1) return false;
    const ThreadIdent thread = asker();
    if (thread == thread_) return whole || !waits();
    const bool asks = std::ranges::find(others_, thread) != others_.end();
    return asks && (Clock::now() - heard_ > kSilence || !is_alive());
  }

  // Whether the step goes on until the variables are updated that it asked about.
  bool waits() {
    if (sources_.size() > 0 && !updated_) {
      for (const tapescope_tensor handle : std::exchange(hook_thread().assigned, {})) {
        // Questions about one variable after the other may be followed by one update of all.
        if (ever_.contains(handle)) known_.insert(handle);
        updated_ = updated_ || sources_.contains(handle);
      }
    }
    return !updated_ && questions_ < kMostQuestions && meets_known_;
  }

  bool is_alive() const {
    const Ref ident(PyLong_FromUnsignedLong(thread_));
    const Ref alive(g_is_alive ? PyObject_CallFunctionObjArgs(g_is_alive, ident.get(), nullptr) : nullptr);
    return alive && PyObject_IsTrue(alive.get()) == 1;
  }

  std::uint64_t number_ = 0;
  bool open_ = false, asked_ = false;
  bool marked_ = false;       // the program marks its steps itself
  bool by_updates_ = false;   // those of a job of several processes end with updates
  bool updated_ = false;      // one of the sources was assigned since it was asked about
  bool meets_known_ = false;  // one of the sources was updated after a question, in an earlier step
  int questions_ = 0;
  Ref places_;                               // a set: where tapes were entered in the step
  FlatTable<bool> sources_;                  // variables asked about in the step
  FlatTable<bool> ever_;                     // variables asked about in any step
  FlatTable<bool> known_;                    // variables that were updated after a question
  std::vector<std::uint32_t> noted_;         // names of the step's scalars
  std::map<std::uint32_t, double> waiting_;  // scalars of the step to come
  ThreadIdent thread_ = 0;                   // the one that has the step
  std::vector<ThreadIdent> others_;          // that asked in it
  Clock::time_point heard_;                  // when the one that has it asked last
};

Steps& steps() {
  static auto* instance = new Steps;
  return *instance;
}

// --- functions of the module

// (list of what is called when a step has begun, thread's ident -> whether it runs)
PyObject* configure_steps(PyObject*, PyObject* arguments) {
  if (!PyArg_ParseTuple(arguments, "OO", &g_at_begin, &g_is_alive)) return nullptr;
  Py_INCREF(g_at_begin);
  Py_INCREF(g_is_alive);
  Py_RETURN_NONE;
}

PyObject* steps_arrive(PyObject*, PyObject* arguments) {
  PyObject* place;
  int whole = 0;
  if (!PyArg_ParseTuple(arguments, "O|p", &place, &whole)) return nullptr;
  arrive_in_step(place, whole != 0);
  return done();
}

// (ids of sources or None)
PyObject* steps_ask(PyObject*, PyObject* sources) {
  std::vector<tapescope_tensor> ids;
  for (Py_ssize_t i = 0; i < length_of(sources); ++i)
    ids.push_back(PyLong_AsUnsignedLongLong(item_of(sources, i)));
  if (PyErr_Occurred()) return nullptr;
  const Lock lock;
  const std::span<const tapescope_tensor> all(ids);
  const bool first = steps().ask(sources == Py_None ? nullptr : &all);
  return PyErr_Occurred() ? nullptr : PyBool_FromLong(first);
}

PyObject* steps_ask_within(PyObject*, PyObject* place) {
  const Lock lock;
  steps().ask_within(place);
  return done();
}

template <void (Steps::*kChange)()>
PyObject* changed(PyObject*, PyObject*) {
  const Lock lock;
  (steps().*kChange)();
  return done();
}

template <void (Steps::*kNote)(std::uint32_t, double)>
PyObject* noted(PyObject*, PyObject* arguments) {
  const char* text;
  Py_ssize_t size;
  double value;
  if (!PyArg_ParseTuple(arguments, "s#d", &text, &size, &value)) return nullptr;
  const Lock lock;
  (steps().*kNote)(name_id(text, size), value);
  Py_RETURN_NONE;
}

PyObject* steps_number(PyObject*, PyObject*) { return number(steps().number()); }

// (ident): the calling thread does what the other one, which waits for it, has begun; None: it does no more.
PyObject* steps_act_for(PyObject*, PyObject* ident) {
  hook_thread().acts_for = ident == Py_None ? 0 : PyLong_AsUnsignedLong(ident);
  return done();
}

PyObject* steps_reset(PyObject*, PyObject*) {
  const Lock lock;
  steps() = Steps();
  Py_RETURN_NONE;
}

PyMethodDef g_step_methods[] = {
    {"configure_steps", configure_steps, METH_VARARGS, nullptr},
    {"steps_arrive", steps_arrive, METH_VARARGS, nullptr},
    {"steps_ask", steps_ask, METH_O, nullptr},
    {"steps_ask_within", steps_ask_within, METH_O, nullptr},
    {"steps_open_at_least", changed<&Steps::open_at_least>, METH_NOARGS, nullptr},
    {"steps_note", noted<&Steps::note>, METH_VARARGS, nullptr},
    {"steps_note_next", noted<&Steps::note_next>, METH_VARARGS, nullptr},
    {"steps_note_update", changed<&Steps::note_update>, METH_NOARGS, nullptr},
    {"steps_end", changed<&Steps::end>, METH_NOARGS, nullptr},
    {"steps_end_by_update", changed<&Steps::end_by_update>, METH_NOARGS, nullptr},
    {"steps_mark", changed<&Steps::mark>, METH_NOARGS, nullptr},
    {"steps_act_for", steps_act_for, METH_O, nullptr},
    {"steps_number", steps_number, METH_NOARGS, nullptr},
    {"steps_reset", steps_reset, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void arrive_in_step(PyObject* place, bool whole) {
  const Lock lock;
  steps().arrive(place, whole);
}

bool ask_in_step(std::span<const tapescope_tensor> sources) {
  const Lock lock;
  return steps().ask(&sources);
}

void note_in_step(std::uint32_t name, double value) {
  const Lock lock;
  steps().note(name, value);
}

PyMethodDef* step_methods() { return g_step_methods; }

}  // namespace tapescope::bridge
