// Tensors whose values NumPy takes by itself, such as np.exp(t): it asks their class for a buffer and calls
// nothing of Python's. The class's function for that is replaced in place.
//
// The limited interface reads the slot but has no call that sets it. Its place in the class is that of
// CPython 3.11 to 3.14; where the fields around it are not those that the interface returns, nothing is
// replaced.
#include "bridges/python/module/functions.h"
#include "bridges/python/module/ops.h"
#include "bridges/python/module/tensors.h"
#include "bridges/python/module/thread.h"

namespace tapescope::bridge {
namespace {

using GetBuffer = int (*)(PyObject*, Py_buffer*, int);

struct BufferSlots {
  GetBuffer get;
  void (*release)(PyObject*, Py_buffer*);
};

// The head of CPython's PyTypeObject, up to its flags.
struct TypeHead {
  PyVarObject object;
  const char* name;
  Py_ssize_t basic_size, item_size;
  void *dealloc, *vectorcall_offset, *getattr, *setattr, *as_async, *repr, *as_number, *as_sequence,
      *as_mapping, *hash, *call, *str, *getattro, *setattro;
  BufferSlots* as_buffer;
  unsigned long flags;
};

GetBuffer g_original = nullptr;
BufferSlots* g_slots = nullptr;

// Of a class; null where its fields lie elsewhere.
BufferSlots* slots_of(PyTypeObject* type) {
  auto* const head = reinterpret_cast<TypeHead*>(type);
  const auto at = [&](int slot) { return PyType_GetSlot(type, slot); };
  const bool known = head->hash == at(Py_tp_hash) && head->getattro == at(Py_tp_getattro) &&
                     head->setattro == at(Py_tp_setattro) && head->flags == PyType_GetFlags(type);
  if (!known || !head->as_buffer) return nullptr;
  return reinterpret_cast<void*>(head->as_buffer->get) == at(Py_bf_getbuffer) ? head->as_buffer : nullptr;
}

int get_buffer(PyObject* tensor, Py_buffer* view, int flags) {
  const int failed = g_original(tensor, view, flags);
  if (failed == 0 && !hook_thread().muted && tapescope_listening()) {
    const Guard guard;
    note_host_read(tensor);
  }
  return failed;
}

// Reads of the class set_tensor_types() named are heard from here on; whether they can be.
PyObject* hear_buffers(PyObject*, PyObject*) {
  PyObject* eager = tensor_types().eager;
  g_slots = eager && PyType_Check(eager) ? slots_of(reinterpret_cast<PyTypeObject*>(eager)) : nullptr;
  if (!g_slots) Py_RETURN_FALSE;
  if (g_slots->get != get_buffer) g_original = std::exchange(g_slots->get, get_buffer);
  Py_RETURN_TRUE;
}

PyObject* leave_buffers(PyObject*, PyObject*) {
  if (g_slots && g_slots->get == get_buffer) g_slots->get = g_original;
  Py_RETURN_NONE;
}

PyMethodDef g_buffer_methods[] = {{"hear_buffers", hear_buffers, METH_NOARGS, nullptr},
                                  {"leave_buffers", leave_buffers, METH_NOARGS, nullptr},
                                  {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyMethodDef* buffer_methods() { return g_buffer_methods; }

int unheard_buffer(PyObject* object, Py_buffer* view, int flags) {
  if (g_original && is_eager(object)) return g_original(object, view, flags);
  return PyObject_GetBuffer(object, view, flags);
}

}  // namespace tapescope::bridge
