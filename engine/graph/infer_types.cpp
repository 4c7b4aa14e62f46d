// Inference wants tensors: heads without elements stand in for them.
#include "engine/graph/infer_types.h"

#include <memory>

namespace tapescope {

std::vector<const Type*> infer_types(const OpDef& op, std::span<const Type* const> inputs, const Attrs& attrs,
                                     const Location& location) {
  const auto heads = std::make_unique<TensorImpl[]>(inputs.size());
  std::vector<TensorImpl*> operands;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    heads[i].type = inputs[i];
    operands.push_back(&heads[i]);
  }
  InferContext context{op, operands, attrs, location};
  op.infer(context);
  return {context.types(), context.types() + context.outputs};
}

}  // namespace tapescope
