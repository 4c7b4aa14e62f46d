// Walks frames from the innermost outwards. Whether a file is the user's is asked once for each code object.
#include "bridges/python/module/sites.h"

#include <string>
#include <unordered_map>

#include "bridges/native/tapescope_c.h"

namespace tapescope::bridge {
namespace {

struct Code {
  Ref object;  // held, so that its address is not reused
  bool user = false;
  std::string file, function;
  std::unordered_map<std::uint64_t, std::uint32_t> sites;  // by instruction and scope
};

// Programs that make code without end start anew now and then.
constexpr std::size_t kMostCodes = 1 << 17;

std::unordered_map<PyObject*, Code>& codes() {
  static auto* table = new std::unordered_map<PyObject*, Code>;
  return *table;
}

PyObject* is_user = nullptr;

std::string text_attribute(PyObject* object, const char* name) {
  const Ref value(PyObject_GetAttrString(object, name));
  return value ? std::string(text_of(value.get())) : std::string();
}

Code& code_of(PyObject* object) {
  const auto known = codes().find(object);
  if (known != codes().end()) return known->second;
  if (codes().size() >= kMostCodes) codes().clear();
  Code code;
  code.object = Ref::share(object);
  const std::string path = text_attribute(object, "co_filename");
  code.function = text_attribute(object, "co_name");
  code.file = path.substr(path.rfind('/') + 1);
  if (is_user) {
    const Ref answer(PyObject_CallFunction(is_user, "s", path.c_str()));
    code.user = answer && PyObject_IsTrue(answer.get()) == 1;
    if (PyErr_Occurred()) PyErr_Clear();
  }
  return codes().emplace(object, std::move(code)).first->second;
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

Ref back_of(PyObject* frame) {
  static PyObject* const f_back = interned("f_back");
  Ref back(PyObject_GetAttr(frame, f_back));
  return back.get() == Py_None ? Ref() : std::move(back);
}

}  // namespace

void set_is_user(PyObject* callable) {
  Py_XINCREF(callable);
  Py_XDECREF(std::exchange(is_user, callable));
  codes().clear();
}

PyObject* user_frame() {
  Ref frame = Ref::share(reinterpret_cast<PyObject*>(PyEval_GetFrame()));
  while (frame) {
    const Ref code(
        reinterpret_cast<PyObject*>(PyFrame_GetCode(reinterpret_cast<PyFrameObject*>(frame.get()))));
    if (code_of(code.get()).user) return frame.release();
    frame = back_of(frame.get());
  }
  return nullptr;
}

std::uint32_t user_site(std::uint32_t scope) {
  static PyObject* const f_lasti = interned("f_lasti");
  const Ref frame(user_frame());
  if (!frame) return 0;
  auto* const raw = reinterpret_cast<PyFrameObject*>(frame.get());
  const Ref object(reinterpret_cast<PyObject*>(PyFrame_GetCode(raw)));
  Code& code = code_of(object.get());
  const Ref last(PyObject_GetAttr(frame.get(), f_lasti));
  const long instruction = last ? PyLong_AsLong(last.get()) : -1;
  const std::uint64_t key = static_cast<std::uint32_t>(instruction) | std::uint64_t{scope} << 32;
  const auto known = code.sites.find(key);
  if (known != code.sites.end()) return known->second;
  const int line = PyFrame_GetLineNumber(raw);
  const std::uint32_t site = tapescope_site(code.file.c_str(), code.function.c_str(),
                                            static_cast<std::uint32_t>(line < 0 ? 0 : line),
                                            column_of(object.get(), instruction), scope);
  code.sites.emplace(key, site);
  return site;
}

}  // namespace tapescope::bridge
