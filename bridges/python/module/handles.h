// TensorFlow's C interface to the values of an eager tensor, where its libraries have it: Python's ways to
// type and values of a tensor make objects, and take ten times as long.
#pragma once
#include <cstdint>

#include "bridges/python/module/python.h"

namespace tapescope::bridge {

// Looks for the functions in the library that `function` is part of, and in those that it needs. Without
// them, or for a null `function`, the functions below find nothing.
void find_handles(void* function);

// The identity of a tensor of that class; -1 where the functions are missing.
std::int64_t eager_identity(PyObject* tensor);

struct HandleType {
  int dtype = 0;  // TensorFlow's number
  int rank = 0;
  std::int64_t sizes[16];  // `rank` of them
};
// `tensor` is of the class of tensors that hold values. False where the type is not known.
bool handle_type(PyObject* tensor, HandleType& type);

struct HandleValues {
  const void* data = nullptr;  // as long as the tensor lives
  char element = 0;            // as tapescope_values has it
  std::size_t count = 0;
};
// The values of a tensor in the host's memory; false for elements that tapescope_values does not know.
bool handle_values(PyObject* tensor, HandleValues& values);
// Of the same; -1 where it is not known.
int handle_rank(PyObject* tensor);

}  // namespace tapescope::bridge
