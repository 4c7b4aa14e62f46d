// Findings of hooks that are written in Python, ops that they timed themselves, and what replicas hold.
#include <vector>

#include "bridges/python/module/functions.h"
#include "bridges/python/module/tensors.h"

namespace tapescope::bridge {
namespace {

struct Text {
  const char* text = nullptr;
  Py_ssize_t size = 0;
  std::uint32_t name() const { return size > 0 ? name_id(text, size) : 0; }
  std::uint16_t op() const {
    return size > 0 ? tapescope_op_name(text, static_cast<std::size_t>(size)) : std::uint16_t{0};
  }
};

// (about, subject, reason, op, site, message, fix, detail, target)
PyObject* finding(PyObject*, PyObject* arguments) {
  int about;
  unsigned site;
  Text subject, reason, op, message, fix, detail, target;
  if (!PyArg_ParseTuple(arguments, "is#s#s#Is#s#s#s#", &about, &subject.text, &subject.size, &reason.text,
                        &reason.size, &op.text, &op.size, &site, &message.text, &message.size, &fix.text,
                        &fix.size, &detail.text, &detail.size, &target.text, &target.size)) {
    return nullptr;
  }
  const tapescope_found found{about,          op.op(),    subject.name(), reason.name(), site,
                              message.name(), fix.name(), detail.name(),  target.name()};
  tapescope_finding(&found);
  Py_RETURN_NONE;
}

// (norm, elements, count)
PyObject* finding_figures(PyObject*, PyObject* arguments) {
  double norm;
  Id elements, count;
  if (!PyArg_ParseTuple(arguments, "dKK", &norm, &elements, &count)) return nullptr;
  tapescope_finding_figures(norm, elements, count);
  Py_RETURN_NONE;
}

// (op, name, site)
PyObject* finding_step(PyObject*, PyObject* arguments) {
  Text op, name;
  unsigned site;
  if (!PyArg_ParseTuple(arguments, "s#s#I", &op.text, &op.size, &name.text, &name.size, &site))
    return nullptr;
  tapescope_finding_step(op.op(), name.name(), site);
  Py_RETURN_NONE;
}

// Numbers of a sequence.
template <class T>
std::vector<T> numbers_of(PyObject* items) {
  std::vector<T> found;
  for (Py_ssize_t i = 0; i < length_of(items); ++i)
    found.push_back(static_cast<T>(PyLong_AsUnsignedLongLongMask(item_of(items, i))));
  return found;
}

// (op, input ids, their types, identities of the outputs, their types, site, flags, begin, end) -> id of the
// first output
PyObject* timed_op(PyObject*, PyObject* arguments) {
  Text op;
  PyObject *inputs, *input_types, *identities, *output_types;
  unsigned site, flags;
  Id begin, end;
  if (!PyArg_ParseTuple(arguments, "s#OOOOIIKK", &op.text, &op.size, &inputs, &input_types, &identities,
                        &output_types, &site, &flags, &begin, &end)) {
    return nullptr;
  }
  const auto ids = numbers_of<tapescope_tensor>(inputs);
  const auto in = numbers_of<std::uint32_t>(input_types);
  const auto outputs = numbers_of<std::int64_t>(identities);
  const auto out = numbers_of<std::uint32_t>(output_types);
  if (PyErr_Occurred()) return nullptr;
  if (in.size() != ids.size() || out.size() != outputs.size()) {
    PyErr_SetString(PyExc_ValueError, "timed_op: a type for each input and output is expected");
    return nullptr;
  }
  tapescope_op_call call{};
  call.op = op.op();
  call.flags = static_cast<std::uint8_t>(flags);
  call.site = site;
  call.begin = begin;
  call.end = end;
  call.inputs = ids.size();
  call.input = ids.data();
  call.input_type = in.data();
  call.outputs = outputs.size();
  call.identity = outputs.data();
  call.output_type = out.data();
  return number(tapescope_op(&call));
}

// (index, name, id of the source, is it the source's value, hash)
PyObject* replica(PyObject*, PyObject* arguments) {
  unsigned index;
  Text name;
  Id source, hash;
  int value;
  if (!PyArg_ParseTuple(arguments, "Is#KpK", &index, &name.text, &name.size, &source, &value, &hash))
    return nullptr;
  tapescope_replica(index, name.name(), source, value, hash);
  Py_RETURN_NONE;
}

// (trace of the profiler or None, site) -> whether it shows what the call waited in exchanges
PyObject* graph_wait(PyObject*, PyObject* arguments) {
  const char* trace;
  Py_ssize_t size;
  unsigned site;
  if (!PyArg_ParseTuple(arguments, "z#I", &trace, &size, &site)) return nullptr;
  return PyBool_FromLong(tapescope_graph_wait(trace, static_cast<std::size_t>(size), site));
}

// (address, bytes) -> the hash of what lies there
PyObject* hash_at(PyObject*, PyObject* arguments) {
  Id address, bytes;
  if (!PyArg_ParseTuple(arguments, "KK", &address, &bytes)) return nullptr;
  return number(tapescope_hash(reinterpret_cast<const void*>(static_cast<std::uintptr_t>(address)),
                               static_cast<std::size_t>(bytes)));
}

// Of the elements of an object that has a buffer; 0 where it has none.
PyObject* hash_of(PyObject*, PyObject* object) {
  Py_buffer view{};
  if (unheard_buffer(object, &view, PyBUF_C_CONTIGUOUS) != 0) {
    PyErr_Clear();
    return number(0);
  }
  const std::uint64_t hash = tapescope_hash(view.buf, static_cast<std::size_t>(view.len));
  PyBuffer_Release(&view);
  return number(hash);
}

PyMethodDef g_finding_methods[] = {{"finding", finding, METH_VARARGS, nullptr},
                                   {"finding_figures", finding_figures, METH_VARARGS, nullptr},
                                   {"finding_step", finding_step, METH_VARARGS, nullptr},
                                   {"timed_op", timed_op, METH_VARARGS, nullptr},
                                   {"replica", replica, METH_VARARGS, nullptr},
                                   {"graph_wait", graph_wait, METH_VARARGS, nullptr},
                                   {"hash_at", hash_at, METH_VARARGS, nullptr},
                                   {"hash_of", hash_of, METH_O, nullptr},
                                   {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyMethodDef* finding_methods() { return g_finding_methods; }

}  // namespace tapescope::bridge
