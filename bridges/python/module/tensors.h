// The framework's tensors as the hooks see them: identity, type, values.
#pragma once
#include <cstdint>

#include "bridges/native/tapescope_c.h"
#include "bridges/python/module/python.h"

namespace tapescope::bridge {

// What a program's tensors are called by: set once, when the hooks are.
struct TensorTypes {
  PyObject* eager = nullptr;   // the class of tensors that hold values
  PyObject* dtypes = nullptr;  // a list: names of element types, by number
  bool readable = true;        // values lie in the host's memory
};
TensorTypes& tensor_types();
void set_tensor_types(const TensorTypes& types);

// Exactly the class of tensors that hold values.
bool is_eager(PyObject* object);
// -1 where it has none.
std::int64_t identity_of(PyObject* tensor);
std::uint32_t type_of(PyObject* tensor);

struct SeenTensor {
  tapescope_tensor id = 0;
  std::uint32_t type = 0;
};
// Known to the tables; id 0 where not.
SeenTensor find_tensor(PyObject* tensor);
// As above; one that no hook saw made came from the host at `site`.
SeenTensor seen_tensor(PyObject* tensor, std::uint32_t site, bool number);

// By which values that left for the host are known when they come back; 0 for what a gradient of the
// framework makes, which no program read.
std::uint16_t created_mark(PyObject* tensor);

// PyObject_GetBuffer() for ourselves: it counts as no read of the program's.
int unheard_buffer(PyObject* object, Py_buffer* view, int flags);

// The values of a tensor that holds them, as long as this lives; empty where they cannot be read. Made and
// destroyed under the interpreter's lock.
class Values {
 public:
  // `any`: of any object that has a buffer.
  explicit Values(PyObject* tensor, bool any = false);
  ~Values();
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;
  explicit operator bool() const { return there_; }
  const tapescope_values& get() const { return values_; }
  int rank() const;

 private:
  bool open_buffer(PyObject* tensor);

  Ref tensor_;      // where its memory is read directly
  Py_buffer view_;  // where held_
  tapescope_values values_{};
  bool there_ = false, held_ = false;
};

}  // namespace tapescope::bridge
