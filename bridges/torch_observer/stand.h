// What an attached viewer sees where the program stands: copies of the values, as the program may write into
// its tensors later.
#pragma once
#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/python_variable.h>

#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "bridges/torch_observer/lines.h"
#include "bridges/torch_observer/tensors.h"

namespace tapescope_observer {

// As tapescope_values wants it; 0 for a type that it does not know.
inline char element_of(c10::ScalarType type) {
  switch (type) {
    case c10::ScalarType::Float: return 'f';
    case c10::ScalarType::Double: return 'd';
    case c10::ScalarType::Half: return 'e';
    case c10::ScalarType::BFloat16: return 'B';
    case c10::ScalarType::Int: return 'i';
    case c10::ScalarType::Long: return 'l';
    case c10::ScalarType::Bool: return '?';
    default: return 0;
  }
}

// Whether its elements lie in the host's memory as they are.
inline bool is_readable(const at::TensorBase& tensor) {
  return tensor.defined() && tensor.device().is_cpu() && tensor.layout() == c10::kStrided &&
         tensor.has_storage() && !tensor.is_neg() && !tensor.is_conj() &&
         !tensor.unsafeGetTensorImpl()->has_symbolic_sizes_strides() &&
         (tensor.numel() == 0 || tensor.storage().data() != nullptr) && element_of(tensor.scalar_type()) != 0;
}

// Copies the elements, the last index first. No op of PyTorch's: modes and profilers of the program would
// hear it.
inline char* copy_elements(const char* from, c10::IntArrayRef sizes, c10::IntArrayRef strides,
                           std::size_t bytes, char* to) {
  if (sizes.empty()) {
    std::memcpy(to, from, bytes);
    return to + bytes;
  }
  if (sizes.size() == 1 && strides[0] == 1) {
    std::memcpy(to, from, static_cast<std::size_t>(sizes[0]) * bytes);
    return to + static_cast<std::size_t>(sizes[0]) * bytes;
  }
  for (std::int64_t i = 0; i < sizes[0]; ++i)
    to = copy_elements(from + i * strides[0] * static_cast<std::int64_t>(bytes), sizes.slice(1),
                       strides.slice(1), bytes, to);
  return to;
}

inline const char* first_element(const at::TensorBase& readable) {
  return static_cast<const char*>(readable.storage().data()) +
         readable.storage_offset() * static_cast<std::int64_t>(readable.itemsize());
}

// A copy of a readable tensor's elements, in order; freed by its release().
inline tapescope_held copy_of(const at::TensorBase& tensor) {
  const auto count = static_cast<std::size_t>(tensor.numel());
  const std::size_t bytes = tensor.itemsize();
  char* const copy = new char[count * bytes + 1];
  const char* const data = first_element(tensor);
  if (count > 0 && tensor.is_contiguous()) std::memcpy(copy, data, count * bytes);
  else if (count > 0) copy_elements(data, tensor.sizes(), tensor.strides(), bytes, copy);
  return {{element_of(tensor.scalar_type()), copy, count}, copy, [](void* owner) {
            delete[] static_cast<char*>(owner);
          }};
}

// Whether values are not a number or infinite, in the bits of tapescope_look.
inline int look_at(const tapescope_table& table, const at::TensorBase& tensor) {
  if (!is_readable(tensor) || !c10::isFloatingType(tensor.scalar_type())) return 0;
  const tapescope_held held = copy_of(tensor);
  const int found = table.look(&held.values);
  held.release(held.owner);
  return found & (TAPESCOPE_HAS_NAN | TAPESCOPE_HAS_INFINITY);
}

// The tensors of one place.
class Stand {
 public:
  // `names_of(tensors)`: what the program calls them, a list of texts.
  Stand(const tapescope_table& table, PyObject* names_of) : table_(table), names_of_(names_of) {}

  // An undefined tensor is shown as None. `name` 0: as the program calls it.
  void add(int list, const at::Tensor& tensor, Operand known, std::uint32_t name = 0,
           tapescope_tensor source = 0) {
    items_.push_back({list, tensor, known, name, source});
  }

  // For tapescope_place; the interpreter's lock is held.
  static void describe(void* context, tapescope_frame* frame) {
    static_cast<Stand*>(context)->describe(frame);
  }

 private:
  struct Item {
    int list;
    at::Tensor tensor;
    Operand known;
    std::uint32_t name;
    tapescope_tensor source;
  };

  void describe(tapescope_frame* frame) {
    if (!std::exchange(named_, true)) find_names();
    for (const Item& item : items_) {
      tapescope_shown shown{};
      shown.list = item.list;
      shown.none = !item.tensor.defined();
      shown.name = item.name;
      shown.type = item.known.type;
      shown.id = item.known.id;
      shown.source = item.source;
      tapescope_held held;
      if (is_readable(item.tensor)) {
        held = copy_of(item.tensor);
        shown.held = &held;
      }
      table_.show(frame, &shown);
    }
  }

  static bool has_object(const at::Tensor& tensor) {
    return holds(*tensor.unsafeGetTensorImpl()->pyobj_slot());
  }
  // Releases of PyTorch name it differently; the earlier ones ask for the interpreter as well.
  template <class Slot>
  static bool holds(Slot& slot) {
    if constexpr (requires { slot.load_pyobj(); }) {
      return slot.load_pyobj() != nullptr;
    } else if constexpr (requires { slot.check_pyobj(); }) {
      return slot.check_pyobj().has_value();
    } else {
      return slot.pyobj_interpreter() && slot.check_pyobj(slot.pyobj_interpreter()).has_value();
    }
  }

  void find_names() {
    PyObject* const objects = PyList_New(0);
    std::vector<Item*> nameless;
    for (Item& item : items_) {
      // To make an object of a tensor that Python does not hold would give a new Parameter the wrong class.
      if (!objects || item.name != 0 || !item.tensor.defined() || !has_object(item.tensor)) continue;
      PyObject* const object = THPVariable_Wrap(item.tensor);
      if (object && PyList_Append(objects, object) == 0) nameless.push_back(&item);
      Py_XDECREF(object);
    }
    PyObject* const texts =
        names_of_ && !nameless.empty() ? PyObject_CallFunctionObjArgs(names_of_, objects, nullptr) : nullptr;
    for (std::size_t i = 0; texts && PyList_Check(texts) && i < nameless.size(); ++i) {
      PyObject* const text = PyList_GetItem(texts, static_cast<Py_ssize_t>(i));
      Py_ssize_t size = 0;
      const char* const characters = text ? PyUnicode_AsUTF8AndSize(text, &size) : nullptr;
      if (characters && size > 0) nameless[i]->name = table_.name(characters, static_cast<std::size_t>(size));
    }
    PyErr_Clear();
    Py_XDECREF(texts);
    Py_XDECREF(objects);
  }

  const tapescope_table& table_;
  PyObject* const names_of_;
  std::vector<Item> items_;
  bool named_ = false;
};

// What a handler of a signal raised while the program stood in an op, which cannot return it: it is raised
// at the program's next instruction.
inline void raise_later() {
  static PyObject *type = nullptr, *value = nullptr, *trace = nullptr;  // the interpreter's lock is held
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
  PyErr_Fetch(&type, &value, &trace);
  const auto raise = [](void*) {
    if (!type) return 0;
    PyErr_Restore(std::exchange(type, nullptr), std::exchange(value, nullptr), std::exchange(trace, nullptr));
    return -1;
  };
  if (Py_AddPendingCall(raise, nullptr) != 0) PyErr_SetInterrupt();
}

}  // namespace tapescope_observer
