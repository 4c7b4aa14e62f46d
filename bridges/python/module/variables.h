// TensorFlow's variables as the hooks see them: by their handles.
#pragma once
#include "bridges/python/module/python.h"
#include "bridges/python/module/tensors.h"

namespace tapescope::bridge {

// `plain`: the class of variables that are nothing more; `define`: a variable that was not met before -> its
// handle's id. What was met before is forgotten.
void set_variables(PyObject* plain, PyObject* define);
// Exactly that class.
bool is_plain_variable(PyObject* object);
// The handle of a variable; nothing for an object that is none.
Ref handle_of(PyObject* object);
// The handle as the tables know it, once the variable is recorded; id 0 where it cannot be.
SeenTensor seen_variable(PyObject* variable, PyObject* handle);
// The same of a variable that is read, which tapes that watch what is accessed follow from now on.
SeenTensor note_access(PyObject* variable, PyObject* handle, std::uint32_t site);

}  // namespace tapescope::bridge
