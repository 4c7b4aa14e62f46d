// Reads a tensor by the few attributes that are cheap. Nothing here is announced as a read by the host.
#include "bridges/python/module/tensors.h"

#include <array>

namespace tapescope::bridge {

TensorTypes& tensor_types() {
  static TensorTypes types;
  return types;
}

bool is_eager(PyObject* object) {
  return reinterpret_cast<PyObject*>(Py_TYPE(object)) == tensor_types().eager;
}

std::int64_t identity_of(PyObject* tensor) {
  static PyObject* const name = interned("_id");
  const Ref value(PyObject_GetAttr(tensor, name));
  if (!value || !PyLong_Check(value.get())) {
    PyErr_Clear();
    return -1;
  }
  return PyLong_AsLongLong(value.get());
}

std::uint32_t type_of(PyObject* tensor) {
  static PyObject* const dtype = interned("_datatype_enum");
  static PyObject* const shape = interned("_shape_tuple");
  const Ref number(PyObject_CallMethodObjArgs(tensor, dtype, nullptr));
  const Ref sizes(PyObject_CallMethodObjArgs(tensor, shape, nullptr));
  if (!number || !sizes) {
    PyErr_Clear();
    return 0;
  }
  std::array<std::int64_t, 16> dims{};
  int rank = 0;
  if (PyTuple_Check(sizes.get())) {
    for (Py_ssize_t i = 0; i < PyTuple_Size(sizes.get()) && rank < 16; ++i) {
      PyObject* size = PyTuple_GetItem(sizes.get(), i);
      dims[rank++] = PyLong_Check(size) ? PyLong_AsLongLong(size) : -1;
    }
  }
  PyObject* names = tensor_types().dtypes;
  PyObject* name = names ? PyList_GetItem(names, PyLong_AsLong(number.get())) : nullptr;
  if (!name) PyErr_Clear();
  const std::string_view text = name ? text_of(name) : std::string_view("float32");
  return tapescope_type(text.data(), rank, dims.data());
}

SeenTensor find_tensor(PyObject* tensor) {
  SeenTensor seen;
  const std::int64_t identity = identity_of(tensor);
  if (identity >= 0) seen.id = tapescope_known(identity, &seen.type);
  return seen;
}

SeenTensor seen_tensor(PyObject* tensor, std::uint32_t site, bool number) {
  SeenTensor seen;
  const std::int64_t identity = identity_of(tensor);
  if (identity < 0) return seen;
  seen.id = tapescope_known(identity, &seen.type);
  if (seen.id != 0) return seen;
  seen.type = type_of(tensor);
  std::uint16_t mark = 0;
  if (const Values values(tensor); values) mark = tapescope_mark(&values.get());
  seen.id = tapescope_created(identity, seen.type, site, mark, number);
  return seen;
}

bool open_values(PyObject* tensor, Py_buffer& view, tapescope_values& values, bool any) {
  if (!any && (!tensor_types().readable || !is_eager(tensor))) return false;
  if (PyObject_GetBuffer(tensor, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) {
    PyErr_Clear();  // a handle, a string, an element type that buffers have no letter for
    return false;
  }
  const char letter = view.format ? view.format[0] : 0;
  values.element = letter == 'q' ? 'l' : letter;
  values.data = view.buf;
  values.count = view.itemsize > 0 ? static_cast<std::size_t>(view.len / view.itemsize) : 0;
  return true;
}

Values::~Values() {
  if (held_) PyBuffer_Release(&view_);
}

}  // namespace tapescope::bridge
