// AssignVariableOp.
#include "engine/tape/variable_ops.h"

#include "engine/tape/variable.h"

namespace tapescope {
namespace {

void infer(InferContext& c) { c.set_outputs(0); }

void kernel(KernelContext& c) {
  const Variable variable = Variable::of_handle(Tensor::share(c.inputs[0]));
  variable.assign(Tensor::share(c.inputs[1]), Location());
}

}  // namespace

constinit const OpDef kAssignVariable{
    .name = "AssignVariableOp",
    .infer = infer,
    .kernel = kernel,
    .flags = OpDef::kStateful,
    .no_gradient = NoGradient::not_differentiable,
    .doc = "Gives a variable a value; nothing is differentiated through it.",
};

namespace {

[[maybe_unused]] const bool g_named = (kAssignVariable.id = intern_op_name(kAssignVariable.name), true);

}  // namespace

}  // namespace tapescope
