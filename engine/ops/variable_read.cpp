// ReadVariableOp: a snapshot is a view of the value's elements, which assignment then leaves alone.
#include "engine/ops/variable_read.h"

#include "engine/gate/jvp.h"

namespace tapescope {
namespace {

void infer(InferContext& c) { c.out(handle_of(c.inputs[0])->value_type); }

void kernel(KernelContext& c) {
  TensorImpl* value = handle_of(c.inputs[0])->value;
  if (!value) [[unlikely]] {
    fail(ErrorKind::type, "ReadVariableOp",
         "the variable stood for an argument while a function was traced and is read outside of it; read the "
         "one that "
         "was given to the function");
  }
  c.outputs[0] = Tensor(new_view(value, value->type, value->data));
}

void vjp(VjpContext& c) { c.set(0, c.grad()); }
void jvp(JvpContext& c) { c.set(0, c.tangent(0)); }

}  // namespace

constinit const OpDef kReadVariable{
    .name = "ReadVariableOp",
    .infer = infer,
    .kernel = kernel,
    .vjp = vjp,
    .linearity = Linearity::linear,
    .jvp = jvp,
    .flags = OpDef::kMakesOutputs | OpDef::kStateful,
    .doc = "The value of a variable at this moment; the gradient passes to the variable unchanged.",
};

std::span<const OpDef* const> variable_ops() {
  static const OpDef* const kVariableReadRows[] = {&kReadVariable};
  return kVariableReadRows;
}

}  // namespace tapescope
