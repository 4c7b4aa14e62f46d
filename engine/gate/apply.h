// The one gate: every op a program runs passes apply().
//
// In this order it (1) hands the call to the batching or (2) tracing mode of the thread, else (3) infers,
// allocates and runs the kernel, (4) offers the call to each active tape, (5) to forward accumulators,
// (6) emits an event, (7) stops at the debugger's gate. Steps 4 to 7 cost one branch when nothing listens.
#pragma once
#include <array>
#include <initializer_list>

#include "engine/core/attrs.h"
#include "engine/core/public.h"
#include "engine/gate/arg.h"
#include "engine/gate/op.h"

namespace tapescope TAPESCOPE_PUBLIC {

// Runs the op on `inputs` (borrowed, none null) and fills `outputs`. Throws Error as the op's inference does.
void apply(const OpDef& op, OpInputs inputs, const Attrs& attrs, const Location& location,
           TensorList& outputs);

// The usual case of one output.
Tensor apply(const OpDef& op, OpInputs inputs, const Attrs& attrs, const Location& location);

inline Tensor apply(const OpDef& op, const Arg& a, const Attrs& attrs = kNoAttrs) {
  TensorImpl* inputs[] = {a.tensor().impl()};
  return apply(op, inputs, attrs, a.location());
}

// A number takes the other's dtype; two numbers are float32 where one is real.
inline Tensor apply(const OpDef& op, const Arg& a, const Arg& b, const Attrs& attrs = kNoAttrs) {
  TensorImpl* inputs[2];
  if (a.is_number()) {
    const DType dtype = b.is_number() ? tapescope_inside::common_dtype(a.number(), b.number())
                                      : b.tensor().impl()->type->dtype;
    inputs[1] = b.tensor(dtype).impl();
    inputs[0] = a.tensor(dtype, op.name).impl();
  } else {
    inputs[0] = a.tensor().impl();
    inputs[1] = b.tensor(inputs[0]->type->dtype, op.name).impl();
  }
  return apply(op, inputs, attrs, a.location());
}

}  // namespace tapescope
