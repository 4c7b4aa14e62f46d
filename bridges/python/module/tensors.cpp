// Reads a tensor by the few attributes that are cheap. Nothing here is announced as a read by the host.
#include "bridges/python/module/tensors.h"

#include <algorithm>
#include <array>

#include "bridges/python/module/handles.h"
#include "bridges/python/module/thread.h"

namespace tapescope::bridge {

TensorTypes& tensor_types() {
  static TensorTypes types;
  return types;
}

bool is_eager(PyObject* object) {
  return reinterpret_cast<PyObject*>(Py_TYPE(object)) == tensor_types().eager;
}

namespace {

// What the class of tensors that hold values has in C; null where it is written in Python.
struct Direct {
  getter identity = nullptr;
  PyCFunction dtype = nullptr, shape = nullptr;
} g_direct;

Ref identity_object(PyObject* tensor) {
  static PyObject* const name = interned("_id");
  if (g_direct.identity && is_eager(tensor)) return Ref(g_direct.identity(tensor, nullptr));
  return Ref(PyObject_GetAttr(tensor, name));
}
Ref call(PyObject* tensor, PyCFunction direct, PyObject* name) {
  if (direct && is_eager(tensor)) return Ref(direct(tensor, nullptr));
  return Ref(PyObject_CallMethodObjArgs(tensor, name, nullptr));
}

constexpr int kMostRank = 16;
using Sizes = std::int64_t[kMostRank];

// Types of small rank that were met lately: most ops make one of few.
struct MetType {
  long dtype = -1;
  int rank = 0;
  std::array<std::int64_t, 4> sizes{};
  std::uint32_t type = 0;
};
std::array<MetType, 256> g_met;

std::uint32_t named_type(long dtype, int rank, const std::int64_t* sizes) {
  PyObject* names = tensor_types().dtypes;
  PyObject* name = names ? PyList_GetItem(names, dtype) : nullptr;
  if (!name) PyErr_Clear();
  const std::string_view text = name ? text_of(name) : std::string_view("float32");
  return tapescope_type(text.data(), rank, sizes);
}

std::uint32_t type_number(long dtype, int rank, const std::int64_t* sizes) {
  std::uint64_t hash = static_cast<std::uint64_t>(dtype * 32 + rank);
  for (int i = 0; i < rank; ++i) hash = hash * 0x9E3779B97F4A7C15u + static_cast<std::uint64_t>(sizes[i]);
  MetType& met = g_met[(hash * 0x9E3779B97F4A7C15u) >> 56];
  const bool same = met.dtype == dtype && met.rank == rank && rank <= 4 &&
                    std::equal(sizes, sizes + rank, met.sizes.begin());
  if (same) return met.type;
  const std::uint32_t type = named_type(dtype, rank, sizes);
  if (rank <= 4) {
    met = {.dtype = dtype, .rank = rank, .type = type};
    std::copy_n(sizes, rank, met.sizes.begin());
  }
  return type;
}

}  // namespace

void set_tensor_types(const TensorTypes& types) {
  tensor_types() = types;
  auto* const kind = reinterpret_cast<PyTypeObject*>(types.eager);
  g_direct = {getter_of(kind, "_id"), method_of(kind, "_datatype_enum"), method_of(kind, "_shape_tuple")};
  find_handles(reinterpret_cast<void*>(g_direct.dtype));
  g_met.fill({});
}

std::int64_t identity_of(PyObject* tensor) {
  if (is_eager(tensor)) {
    if (const std::int64_t identity = eager_identity(tensor); identity >= 0) return identity;
  }
  const Ref value = identity_object(tensor);
  if (!value || !PyLong_Check(value.get())) {
    PyErr_Clear();
    return -1;
  }
  return PyLong_AsLongLong(value.get());
}

std::uint32_t type_of(PyObject* tensor) {
  if (HandleType known; is_eager(tensor) && handle_type(tensor, known))
    return type_number(known.dtype, known.rank, known.sizes);
  static PyObject* const dtype = interned("_datatype_enum");
  static PyObject* const shape = interned("_shape_tuple");
  const Ref number = call(tensor, g_direct.dtype, dtype);
  const Ref sizes = number ? call(tensor, g_direct.shape, shape) : Ref();
  if (!number || !sizes) {
    PyErr_Clear();
    return 0;
  }
  Sizes dims;
  int rank = 0;
  if (PyTuple_Check(sizes.get())) {
    for (Py_ssize_t i = 0; i < PyTuple_Size(sizes.get()) && rank < kMostRank; ++i) {
      PyObject* size = PyTuple_GetItem(sizes.get(), i);
      dims[rank++] = PyLong_Check(size) ? PyLong_AsLongLong(size) : -1;
    }
  }
  return type_number(PyLong_AsLong(number.get()), rank, dims);
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
  seen.id = tapescope_created(identity, seen.type, site, created_mark(tensor), number);
  return seen;
}

std::uint16_t created_mark(PyObject* tensor) {
  const HookThread& thread = hook_thread();
  if (thread.backward > 0 && thread.backward == thread.registered) return 0;
  const Values values(tensor);
  return values ? tapescope_mark(&values.get()) : std::uint16_t{0};
}

namespace {

// Of a complex number 'Z' and the letter of its parts.
bool is_complex(const Py_buffer& view) { return view.format && view.format[0] == 'Z'; }

// tapescope_values' letter for a buffer's, whose 'B' is an unsigned byte.
char element_of(const Py_buffer& view) {
  const char letter = !view.format ? 0 : is_complex(view) ? view.format[1] : view.format[0];
  return letter == 'q' ? 'l' : letter == 'Q' ? 'L' : letter == 'B' ? 'u' : letter;
}

}  // namespace

Values::Values(PyObject* tensor, bool any) {
  const bool eager = tensor_types().readable && is_eager(tensor);
  if (HandleValues direct; eager && handle_values(tensor, direct)) {
    tensor_ = Ref::share(tensor);
    values_ = {direct.element, direct.data, direct.count};
    there_ = true;
  } else if (any || eager) {
    there_ = held_ = open_buffer(tensor);
  }
}

bool Values::open_buffer(PyObject* tensor) {
  if (unheard_buffer(tensor, &view_, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) {
    PyErr_Clear();  // a handle, a string, an element type that buffers have no letter for
    return false;
  }
  const auto size = static_cast<std::size_t>(view_.itemsize) / (is_complex(view_) ? 2 : 1);
  values_ = {element_of(view_), view_.buf, size > 0 ? static_cast<std::size_t>(view_.len) / size : 0};
  return true;
}

int Values::rank() const { return tensor_ ? handle_rank(tensor_.get()) : view_.ndim; }

Values::~Values() {
  if (held_) PyBuffer_Release(&view_);
}

}  // namespace tapescope::bridge
