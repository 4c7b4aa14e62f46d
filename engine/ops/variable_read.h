// The op that reads a variable through its handle.
#pragma once
#include <span>

#include "engine/gate/op.h"

namespace tapescope {

// Hangs on a handle's tensor and leads to the variable's value. The variable keeps `value` up to date and
// alive; a handle that outlives its variable is never read again.
struct HandleExtension : TensorExtension {
  explicit HandleExtension(const Type* type) : TensorExtension(Kind::handle), value_type(type) {}
  const Type* value_type;
  TensorImpl* value = nullptr;  // null where it stands for a variable argument of a trace
};

inline HandleExtension* handle_of(const TensorImpl* handle) {
  return static_cast<HandleExtension*>(handle->extension);
}

// ReadVariableOp: handle -> snapshot of the value; the gradient passes unchanged.
extern const OpDef kReadVariable;
std::span<const OpDef* const> variable_ops();

}  // namespace tapescope
