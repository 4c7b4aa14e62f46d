// Walks frames from the innermost outwards. Whether a file is the user's is asked once for each code object.
#include "bridges/python/module/sites.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <deque>
#include <string>
#include <string_view>

#include "bridges/native/flat_table.h"
#include "bridges/native/tapescope_c.h"
#include "bridges/python/module/thread.h"

namespace tapescope::bridge {
namespace {

struct Code {
  Ref object;                            // held, so that its address is not reused
  bool user = false, generated = false;  // generated: by a framework, from the user's
  bool reader = false;                   // hands a tensor's values on to its caller
  bool py_function = false;              // of the module that runs tf.py_function
  bool whole_file = false;               // of no function
  std::string file, function;            // the file with its folder, as the interpreter names it
  FlatTable<std::uint32_t> sites;        // by instruction and scope
};

// Programs that make code without end start again now and then.
constexpr std::size_t kMostCodes = 1 << 17;

struct Codes {
  FlatTable<Code*> table;  // by address
  std::deque<Code> all;
};
Codes& codes() {
  static auto* instance = new Codes;
  return *instance;
}
std::array<std::pair<PyObject*, Code*>, 256> g_met_codes;  // by address
void forget_codes() {
  g_met_codes.fill({});
  codes().table.clear();
  codes().all.clear();
}

PyObject *is_user = nullptr, *origin_of = nullptr;

std::string text_attribute(PyObject* object, const char* name) {
  const Ref value(PyObject_GetAttrString(object, name));
  return value ? std::string(text_of(value.get())) : std::string();
}

Code& find_code(PyObject* object) {
  const std::uint64_t address = address_of(object);
  if (Code** known = codes().table.find(address)) return **known;
  if (codes().all.size() >= kMostCodes) forget_codes();
  Code& code = codes().all.emplace_back();
  code.object = Ref::share(object);
  code.file = text_attribute(object, "co_filename");
  code.function = text_attribute(object, "co_name");
  code.whole_file = code.function == "<module>";
  constexpr std::array<std::string_view, 3> kReaders = {"/tensorflow/python/framework/", "/numpy/",
                                                        "/tapescope/tensorflow/host.py"};
  code.reader = std::ranges::any_of(
      kReaders, [&](std::string_view part) { return code.file.find(part) != std::string::npos; });
  code.py_function = code.file.ends_with("/tensorflow/python/ops/script_ops.py");
  if (is_user) {
    const Ref answer(PyObject_CallFunction(is_user, "s", code.file.c_str()));
    code.user = answer && PyObject_IsTrue(answer.get()) == 1;
    code.generated = answer && answer.get() == Py_None;
    if (PyErr_Occurred()) PyErr_Clear();
  }
  *codes().table.insert(address).first = &code;
  return code;
}

// The frames around an op are those around the one before, most of them.
Code& code_of(PyObject* object) {
  auto& [met, code] = g_met_codes[address_of(object) >> 5 & (g_met_codes.size() - 1)];
  if (met != object) {
    Code& found = find_code(object);  // may forget all that were met
    met = object, code = &found;
  }
  return *code;
}

// The column of an instruction, from 1; 0 where the code does not say.
std::uint32_t column_of(PyObject* code, long instruction) {
  const Ref positions(PyObject_CallMethod(code, "co_positions", nullptr));
  if (!positions) {
    PyErr_Clear();
    return 0;
  }
  std::uint32_t column = 0;
  for (long at = 0; at <= instruction / 2; ++at) {
    const Ref position(PyIter_Next(positions.get()));
    if (!position) break;
    if (at < instruction / 2) continue;
    PyObject* value = PyTuple_GetItem(position.get(), 2);
    if (value && PyLong_Check(value)) column = static_cast<std::uint32_t>(PyLong_AsLong(value)) + 1;
  }
  if (PyErr_Occurred()) PyErr_Clear();
  return column;
}

// Two functions of CPython that the limited interface leaves out; where one is missing, what the class of
// frames has in its place, which makes an object of a number.
struct FrameFunctions {
  PyFrameObject* (*back)(PyFrameObject*) = nullptr;
  int (*instruction)(PyFrameObject*) = nullptr;
};
const FrameFunctions& frame_functions() {
  static const FrameFunctions found = {
      reinterpret_cast<PyFrameObject* (*)(PyFrameObject*)>(dlsym(RTLD_DEFAULT, "PyFrame_GetBack")),
      reinterpret_cast<int (*)(PyFrameObject*)>(dlsym(RTLD_DEFAULT, "PyFrame_GetLasti"))};
  return found;
}

// Frames of the calling thread's stack, borrowed: what runs keeps them.
PyObject* innermost_frame() { return reinterpret_cast<PyObject*>(PyEval_GetFrame()); }

PyObject* back_of(PyObject* frame) {
  const FrameFunctions& functions = frame_functions();
  const Ref back(functions.back
                     ? reinterpret_cast<PyObject*>(functions.back(reinterpret_cast<PyFrameObject*>(frame)))
                     : PyObject_GetAttrString(frame, "f_back"));
  return back.get() == Py_None ? nullptr : back.get();
}

long instruction_of(PyObject* frame) {
  const FrameFunctions& functions = frame_functions();
  if (functions.instruction) return functions.instruction(reinterpret_cast<PyFrameObject*>(frame));
  const Ref last(PyObject_GetAttrString(frame, "f_lasti"));
  return last ? PyLong_AsLong(last.get()) : -1;
}

// What the frame runs, which keeps it as well.
PyObject* code_in(PyObject* frame) {
  const Ref code(reinterpret_cast<PyObject*>(PyFrame_GetCode(reinterpret_cast<PyFrameObject*>(frame))));
  return code.get();
}

struct Place {
  PyObject* frame = nullptr;  // borrowed
  Code* code = nullptr;
};

// Of a line that a framework generated from the user's: the site of that one. 0 where it comes from none.
std::uint32_t origin_site(PyObject* frame, PyObject* code, std::uint32_t scope) {
  if (!origin_of) return 0;
  const Ref path(PyObject_GetAttrString(code, "co_filename"));
  const int line = PyFrame_GetLineNumber(reinterpret_cast<PyFrameObject*>(frame));
  const Ref origin(PyObject_CallFunction(origin_of, "Oi", path ? path.get() : Py_None, line));
  const char *file, *function;
  int at;
  if (!origin || origin.get() == Py_None || !PyArg_ParseTuple(origin.get(), "ssi", &file, &function, &at)) {
    PyErr_Clear();
    return 0;
  }
  return tapescope_site(file, function, static_cast<std::uint32_t>(at), 0, scope);
}

// The innermost frame whose code is the user's.
Place user_place() {
  for (PyObject* frame = innermost_frame(); frame; frame = back_of(frame)) {
    Code& code = code_of(code_in(frame));
    if (code.user) return {frame, &code};
  }
  return {};
}

std::uint32_t site_of(PyObject* frame, Code& code, std::uint32_t scope) {
  const long instruction = instruction_of(frame);
  // One more, as no key may be 0.
  const std::uint64_t key = (static_cast<std::uint32_t>(instruction) | std::uint64_t{scope} << 32) + 1;
  if (const std::uint32_t* known = code.sites.find(key)) return *known;
  const int line = PyFrame_GetLineNumber(reinterpret_cast<PyFrameObject*>(frame));
  const std::uint32_t site = tapescope_site(code.file.c_str(), code.function.c_str(),
                                            static_cast<std::uint32_t>(line < 0 ? 0 : line),
                                            column_of(code.object.get(), instruction), scope);
  *code.sites.insert(key).first = site;
  return site;
}

constexpr std::size_t kMostCallers = 8;        // of the user's; two records
constexpr int kMostFrames = 96;                // between them those of Keras, some ten for each layer
constexpr std::uint32_t kSaidAgain = 1 << 14;  // ops; for viewers that attached meanwhile

// The frames of the user's that led to a frame.
struct Callers {
  std::array<PyObject*, kMostCallers> frames;  // borrowed
  std::size_t count = 0;
  std::uint64_t hash = 0xcbf29ce484222325u;

  explicit Callers(PyObject* called) {
    PyObject* frame = back_of(called);
    for (int i = 0; frame && count < kMostCallers && i < kMostFrames; ++i, frame = back_of(frame)) {
      PyObject* const object = code_in(frame);
      const Code& code = code_of(object);
      if (!code.user) continue;
      mix(address_of(object));
      mix(static_cast<std::uint64_t>(instruction_of(frame)));
      frames[count++] = frame;
      if (code.whole_file) break;  // what runs the program is no part of it
    }
  }

 private:
  void mix(std::uint64_t part) { hash = (hash ^ part) * 0x100000001b3u; }
};

}  // namespace

void set_is_user(PyObject* callable, PyObject* origin) {
  Py_XINCREF(callable);
  Py_XDECREF(std::exchange(is_user, callable));
  Py_XINCREF(origin);
  Py_XDECREF(std::exchange(origin_of, origin));
  forget_codes();
}

PyObject* user_frame() { return Ref::share(user_place().frame).release(); }

bool called_by_py_function() {
  PyObject* const frame = innermost_frame();
  return frame && code_of(code_in(frame)).py_function;
}

bool called_by_user() {
  for (PyObject* frame = innermost_frame(); frame; frame = back_of(frame)) {
    const Code& code = code_of(code_in(frame));
    if (code.user || !code.reader) return code.user;
  }
  return false;
}

std::uint32_t traced_site(std::uint32_t scope) {
  for (PyObject* frame = innermost_frame(); frame; frame = back_of(frame)) {
    PyObject* const object = code_in(frame);
    const Code& code = code_of(object);
    if (code.user) break;
    if (const std::uint32_t site = code.generated ? origin_site(frame, object, scope) : 0) return site;
  }
  return user_site(scope);
}

std::uint32_t user_site(std::uint32_t scope) {
  const Place place = user_place();
  return place.frame ? site_of(place.frame, *place.code, scope) : 0;
}

void note_callers(std::uint32_t site, std::span<const std::uint32_t> callers) {
  std::uint64_t hash = callers.size() + 1;
  for (const std::uint32_t caller : callers) hash = (hash ^ caller) * 0x9e3779b97f4a7c15u;
  const auto [known, fresh] = hook_thread().called.insert(site);
  if (!fresh && *known == hash) return;
  *known = hash;
  tapescope_callers(site, callers.data(), callers.size());
}

std::uint32_t called_site(std::uint32_t scope) {
  const Place place = user_place();
  if (!place.frame) return 0;
  const std::uint32_t site = site_of(place.frame, *place.code, scope);
  HookThread& thread = hook_thread();
  const Callers callers(place.frame);
  if (thread.called_ops++ % kSaidAgain == 0) thread.called.clear();
  const auto [known, fresh] = thread.called.insert(site);
  if (!fresh && *known == callers.hash) return site;
  *known = callers.hash;
  std::array<std::uint32_t, kMostCallers> sites{};
  for (std::size_t i = 0; i < callers.count; ++i)
    sites[i] = site_of(callers.frames[i], code_of(code_in(callers.frames[i])), 0);
  tapescope_callers(site, sites.data(), callers.count);
  return site;
}

}  // namespace tapescope::bridge
