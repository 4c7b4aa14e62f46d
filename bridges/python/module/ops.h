// Hooks around TensorFlow's ops: calls, backward steps, reads that C++ does itself.
#pragma once
#include "bridges/native/tapescope_c.h"
#include "bridges/python/module/python.h"

namespace tapescope::bridge {

// What Python decides: called rarely, and never while an op's own hook would be.
struct OpCallbacks {
  PyObject* rule = nullptr;   // op type -> mask of inputs that never get a gradient
  PyObject* graph = nullptr;  // (op type, inputs, outputs, op name, graph): an op added to a graph
};
OpCallbacks& op_callbacks();

// The number of an op type; asks for its rule when it is seen first.
std::uint16_t op_number(std::string_view name);
// The callback of op_callbacks.add_op_callback().
PyObject* op_callback(PyObject* self, PyObject* arguments, PyObject* keywords);
// In place of pywrap_tfe's TFE_Py_FastPathExecute, TFE_Py_Execute and of the gradient function; `self` is the
// original.
PyObject* fast_path(PyObject* original, PyObject* arguments);
PyObject* execute(PyObject* original, PyObject* arguments);
PyObject* gradient_function(PyObject* original, PyObject* arguments);
// In place of variable_accessed and convert_to_eager_tensor.
PyObject* variable_accessed(PyObject* original, PyObject* arguments);
PyObject* converted(PyObject* original, PyObject* arguments, PyObject* keywords);

// The place of what happens now: the user's line; in a backward step that of the forward op.
std::uint32_t place_here();
// The line of the user's code that led here, also where it is traced.
std::uint32_t place_in_program();
// A tensor came from the host; 0 where it is known already.
tapescope_tensor note_created(PyObject* tensor);
// The program took a tensor's values for the host; nothing where no line of the user's led there.
void note_host_read(PyObject* tensor);

// Records what a backward step returned: None, zeros, values that are not finite; nothing where there is none
// of these, but `always`. `cotangents`: what it was given. `inputs`: the forward op's, or null.
bool note_step_result(tapescope_tensor forward_output, PyObject* results, PyObject* cotangents,
                      PyObject* inputs, bool always = false);
// A step of a walk inside a trace: its symbolic tensors go to the list that the question gave.
void note_traced_step(tapescope_tensor forward_output, PyObject* results, PyObject* cotangents);
// Looks through the forward ops of the step for values that are not finite, and records the ops that made
// them.
void note_nonfinite_ops();
void forget_step();

}  // namespace tapescope::bridge
