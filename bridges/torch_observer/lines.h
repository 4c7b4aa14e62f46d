// Where an op comes from: the innermost line of the user's code, and the modules whose call is under way. The
// frames of the calling thread are read without the interpreter's lock, which PyTorch has released: only the
// thread itself changes them. What was not seen before takes the lock.
#pragma once
#define Py_BUILD_CORE 1
#include <Python.h>
#if PY_VERSION_HEX < 0x030D0000
#include <internal/pycore_frame.h>
#endif

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "bridges/native/tapescope_table.h"

namespace tapescope_observer {

class HeldLock {
 public:
  HeldLock() : state_(PyGILState_Ensure()) {}
  ~HeldLock() { PyGILState_Release(state_); }
  HeldLock(const HeldLock&) = delete;
  HeldLock& operator=(const HeldLock&) = delete;

 private:
  PyGILState_STATE state_;
};

// Of one thread.
class Lines {
 public:
  explicit Lines(const tapescope_table& table) : table_(table) {}

  // `is_user(path)` says whether code is the user's, `names_of(modules)` what the modules are called, the
  // outermost first.
  static void ask(PyObject* is_user, PyObject* names_of) {
    Py_XINCREF(is_user);
    Py_XINCREF(names_of);
    Py_XDECREF(is_user_);
    Py_XDECREF(names_of_);
    is_user_ = is_user;
    names_of_ = names_of;
  }

  // Whether PyTorch's own check of gradients is among the last calls; the interpreter's lock is held.
  bool called_by_gradcheck(int most) {
#if PY_VERSION_HEX < 0x030D0000
    PyThreadState* const state = PyGILState_GetThisThreadState();
    if (!state || !state->cframe) return false;
    for (const _PyInterpreterFrame* frame = state->cframe->current_frame; frame && most > 0;
         frame = frame->previous, --most)
      if (kind_of(frame->f_code) == Kind::gradcheck) return true;
    return false;
#else
    PyFrameObject* frame = PyEval_GetFrame();
    Py_XINCREF(frame);
    bool found = false;
    for (; frame && most > 0; --most) {
      PyCodeObject* const code = PyFrame_GetCode(frame);
      found = found || kind_of(code) == Kind::gradcheck;
      Py_DECREF(code);
      PyFrameObject* const back = found ? nullptr : PyFrame_GetBack(frame);
      Py_DECREF(frame);
      frame = back;
    }
    Py_XDECREF(frame);
    return found;
#endif
  }

  // Stands for the lines of the user's that led to a call of this thread, all of them. `state`: Python's of
  // the thread.
  std::uint64_t path([[maybe_unused]] PyThreadState* state) {
    std::uint64_t hash = 0;
    const auto add = [&](const void* code, std::uint64_t place) {
      hash = (hash ^ reinterpret_cast<std::uintptr_t>(code) ^ place) * 0x9e3779b97f4a7c15ull;
      hash ^= hash >> 29;
    };
#if PY_VERSION_HEX < 0x030D0000
    if (!state || !state->cframe) return 0;
    int left = kMostFrames;
    for (const _PyInterpreterFrame* frame = state->cframe->current_frame; frame && left > 0;
         frame = frame->previous, --left)
      if (kind_of(frame->f_code) == Kind::user)
        add(frame->f_code, reinterpret_cast<std::uintptr_t>(frame->prev_instr));
#else
    const HeldLock lock;
    PyFrameObject* frame = PyEval_GetFrame();
    Py_XINCREF(frame);
    while (frame) {
      PyCodeObject* const code = PyFrame_GetCode(frame);
      if (kind_of(code) == Kind::user) add(code, static_cast<std::uint64_t>(PyFrame_GetLasti(frame)));
      Py_DECREF(code);
      PyFrameObject* const back = PyFrame_GetBack(frame);
      Py_DECREF(frame);
      frame = back;
    }
#endif
    return hash;
  }

  // The site that a call of this thread comes from; 0 without one.
  std::uint32_t site() { return site(PyGILState_GetThisThreadState()); }
  std::uint32_t site([[maybe_unused]] PyThreadState* state) {
#if PY_VERSION_HEX < 0x030D0000
    if (!state || !state->cframe) return 0;
    const _PyInterpreterFrame* user = nullptr;
    PyObject* module = nullptr;
    int left = kMostFrames;
    for (const _PyInterpreterFrame* frame = state->cframe->current_frame; frame && left > 0;
         frame = frame->previous, --left) {
      const Kind kind = kind_of(frame->f_code);
      if (kind == Kind::user && !user) user = frame;
      if (kind == Kind::module_call && !module) module = frame->localsplus[0];
      if (user && module) break;
    }
    if (!user) return 0;
    const Key key{user->prev_instr, module};
    Place& recent = recent_places_[Hash()(key) >> 56];
    if (recent.key == key) return recent.site;
    auto known = sites_.find(key);
    if (known == sites_.end()) known = sites_.emplace(key, site_of(state, user)).first;
    recent = {key, known->second};
    return known->second;
#else
    // These versions keep their frames elsewhere: ask the interpreter, with its lock.
    const HeldLock lock;
    PyFrameObject* frame = PyEval_GetFrame();
    Py_XINCREF(frame);
    std::uint32_t site = 0;
    while (frame) {
      PyCodeObject* const code = PyFrame_GetCode(frame);
      if (kind_of(code) == Kind::user) site = made(code, PyFrame_GetLineNumber(frame), 0);
      Py_DECREF(code);
      PyFrameObject* const back = site ? nullptr : PyFrame_GetBack(frame);
      Py_DECREF(frame);
      frame = back;
    }
    return site;
#endif
  }

 private:
  enum class Kind : unsigned char { library, user, module_call, gradcheck };
  static constexpr int kMostFrames = 64;
  struct Key {
    const void* instruction;
    const void* module;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return ((reinterpret_cast<std::uintptr_t>(key.instruction) >> 1) ^
              (reinterpret_cast<std::uintptr_t>(key.module) << 20)) *
             0x9e3779b97f4a7c15ull;
    }
  };

  // Direct mapped; what another code has thrown out is looked up again.
  struct Known {
    const void* code = nullptr;
    Kind kind = Kind::library;
  };
  struct Place {
    Key key{};
    std::uint32_t site = 0;
  };

  Kind kind_of(PyCodeObject* code) {
    Known& known = recent_[(reinterpret_cast<std::uintptr_t>(code) >> 5) % std::size(recent_)];
    if (known.code == code) return known.kind;
    auto found = kinds_.find(code);
    if (found == kinds_.end()) found = kinds_.emplace(code, classify(code)).first;
    known = {code, found->second};
    return known.kind;
  }

  Kind classify(PyCodeObject* code) {
    const HeldLock lock;
    Py_INCREF(code);  // for good: its address must not become another's
    const char* const path = PyUnicode_AsUTF8(code->co_filename);
    const char* const name = PyUnicode_AsUTF8(code->co_name);
    if (!path || !name) {
      PyErr_Clear();
      return Kind::library;
    }
    const std::string file = path;
    if (std::string(name) == "_wrapped_call_impl" && file.ends_with("torch/nn/modules/module.py"))
      return Kind::module_call;
    if (file.ends_with("torch/autograd/gradcheck.py")) return Kind::gradcheck;
    PyObject* const answer =
        is_user_ ? PyObject_CallFunctionObjArgs(is_user_, code->co_filename, nullptr) : nullptr;
    const bool user = answer && PyObject_IsTrue(answer) == 1;
    Py_XDECREF(answer);
    PyErr_Clear();
    return user ? Kind::user : Kind::library;
  }

  std::uint32_t made(PyCodeObject* code, int line, std::uint32_t scope) {
    const char* const path = PyUnicode_AsUTF8(code->co_filename);
    const char* const name = PyUnicode_AsUTF8(code->co_name);
    if (!path || !name) {
      PyErr_Clear();
      return 0;
    }
    return table_.site(path, name, line < 0 ? 0 : static_cast<std::uint32_t>(line), 0, scope);
  }

#if PY_VERSION_HEX < 0x030D0000
  std::uint32_t site_of(PyThreadState* state, const _PyInterpreterFrame* user) {
    const HeldLock lock;
    PyObject* const modules = PyList_New(0);
    for (const _PyInterpreterFrame* frame = state->cframe->current_frame; frame; frame = frame->previous) {
      if (kind_of(frame->f_code) == Kind::module_call && frame->localsplus[0])
        PyList_Append(modules, frame->localsplus[0]);
    }
    PyList_Reverse(modules);
    const std::uint32_t scope = PyList_GET_SIZE(modules) > 0 ? scope_of(modules) : 0;
    Py_DECREF(modules);
    const auto offset =
        static_cast<int>((user->prev_instr - _PyCode_CODE(user->f_code)) * sizeof(_Py_CODEUNIT));
    return made(user->f_code, PyCode_Addr2Line(user->f_code, offset), scope);
  }

  std::uint32_t scope_of(PyObject* modules) {
    PyObject* const names = names_of_ ? PyObject_CallFunctionObjArgs(names_of_, modules, nullptr) : nullptr;
    std::uint32_t scope = 0;
    for (Py_ssize_t i = 0; names && i < PyList_Size(names); ++i) {
      Py_ssize_t size = 0;
      if (const char* const text = PyUnicode_AsUTF8AndSize(PyList_GetItem(names, i), &size))
        scope = table_.scope(scope, table_.name(text, static_cast<std::size_t>(size)));
    }
    Py_XDECREF(names);
    PyErr_Clear();
    return scope;
  }
#endif

  static inline PyObject* is_user_ = nullptr;
  static inline PyObject* names_of_ = nullptr;
  const tapescope_table& table_;
  Known recent_[256];
  Place recent_places_[256];
  std::unordered_map<const void*, Kind> kinds_;
  std::unordered_map<Key, std::uint32_t, Hash> sites_;
};

}  // namespace tapescope_observer
