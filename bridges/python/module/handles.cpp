// Of tensorflow/c/eager/c_api.h and c_api_experimental.h, which keep their functions from version to version,
// and of pywrap_tensor.h, whose function gives the handle of a Python object. Missing ones switch all of them
// off.
#include "bridges/python/module/handles.h"

#include <dlfcn.h>

namespace tapescope::bridge {
namespace {

struct Functions {
  std::int64_t (*identity)(const PyObject*) = nullptr;
  void* (*handle)(const PyObject*) = nullptr;
  int (*dtype)(void*) = nullptr;
  int (*rank)(void*, void*) = nullptr;
  std::int64_t (*size)(void*, int, void*) = nullptr;
  std::int64_t (*count)(void*, void*) = nullptr;
  void* (*data)(void*, void*) = nullptr;
  int (*code)(const void*) = nullptr;
  void* status = nullptr;  // used under the interpreter's lock
} g_functions;

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

void* handle_of(PyObject* tensor) { return g_functions.status ? g_functions.handle(tensor) : nullptr; }

bool good() { return g_functions.code(g_functions.status) == 0; }

// By TensorFlow's numbers of element types.
char element_of(int dtype) {
  switch (dtype) {
    case 1: return 'f';
    case 2: return 'd';
    case 3: return 'i';
    case 4: return 'u';
    case 5: return 'h';
    case 6: return 'b';
    case 8: return 'f';  // complex: its parts, two for each element
    case 9: return 'l';
    case 10: return '?';
    case 14: return 'B';
    case 17: return 'H';
    case 18: return 'd';
    case 19: return 'e';
    case 22: return 'I';
    case 23: return 'L';
    default: return 0;
  }
}

}  // namespace

void find_handles(void* function) {
  g_functions = {};
  Dl_info there;
  if (!function || dladdr(function, &there) == 0 || !there.dli_fname) return;
  void* library = dlopen(there.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (!library) return;
  Functions found;
  void* (*make_status)() = nullptr;
  const bool all = find(library, "_Z16PyEagerTensor_IDPK7_object", found.identity) &&
                   find(library, "_Z18EagerTensor_HandlePK7_object", found.handle) &&
                   find(library, "TFE_TensorHandleDataType", found.dtype) &&
                   find(library, "TFE_TensorHandleNumDims", found.rank) &&
                   find(library, "TFE_TensorHandleDim", found.size) &&
                   find(library, "TFE_TensorHandleNumElements", found.count) &&
                   find(library, "TFE_TensorHandleDevicePointer", found.data) &&
                   find(library, "TF_GetCode", found.code) && find(library, "TF_NewStatus", make_status);
  if (all) {
    found.status = make_status();
    g_functions = found;
  }
  dlclose(library);  // what the program loaded stays
}

std::int64_t eager_identity(PyObject* tensor) {
  return g_functions.status ? g_functions.identity(tensor) : -1;
}

bool handle_type(PyObject* tensor, HandleType& type) {
  void* handle = handle_of(tensor);
  if (!handle) return false;
  type.dtype = g_functions.dtype(handle);
  type.rank = g_functions.rank(handle, g_functions.status);
  if (!good() || type.rank < 0 || type.rank > 16) return false;
  for (int i = 0; i < type.rank; ++i) type.sizes[i] = g_functions.size(handle, i, g_functions.status);
  return good();
}

bool handle_values(PyObject* tensor, HandleValues& values) {
  void* handle = handle_of(tensor);
  if (!handle) return false;
  const int dtype = g_functions.dtype(handle);
  values.element = element_of(dtype);
  if (values.element == 0) return false;
  const std::int64_t count = g_functions.count(handle, g_functions.status);
  if (!good() || count < 0) return false;
  values.count = static_cast<std::size_t>(count) * (dtype == 8 || dtype == 18 ? 2 : 1);
  values.data = g_functions.data(handle, g_functions.status);
  return good() && (values.data || values.count == 0);
}

int handle_rank(PyObject* tensor) {
  void* handle = handle_of(tensor);
  const int rank = handle ? g_functions.rank(handle, g_functions.status) : -1;
  return handle && good() ? rank : -1;
}

}  // namespace tapescope::bridge
