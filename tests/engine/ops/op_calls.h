// Calls of every op of the table, as programs make them: what the tests that are generated from the table run
// on.
#pragma once
#include <string>
#include <vector>

#include "engine/ops/ops.h"

namespace tapescope {

struct MadeCall {
  const OpDef* op;
  std::vector<Tensor> inputs;
  Attrs attrs;

  std::string text() const;
};

// Runs a program of each op in `dtype` (float32 or float64), with its gradient and second gradient, and gives
// each distinct call once. `size` is that of one dimension of most tensors: 0 and 1 are where shapes go
// wrong; programs that refuse such a size are left out.
std::vector<MadeCall> op_calls(DType dtype, std::int64_t size);

// Runs it; outputs of every dtype.
std::vector<Tensor> run_call(const MadeCall& call, const std::vector<Tensor>& inputs);
inline std::vector<Tensor> run_call(const MadeCall& call) { return run_call(call, call.inputs); }

}  // namespace tapescope
