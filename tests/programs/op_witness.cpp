// A second look at the programs, without the debugger: linked beside one, it prints with WITNESS_OPS=1 each
// op that ran, whether any input and output is finite, and whether it is zero everywhere.
//
//   op DIRECTION NAME FILE:LINE in STATES out STATES elements N      a state is value, zero or nonfinite
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "engine/gate/state.h"
#include "engine/tapescope.h"

namespace {

using namespace tapescope;

const char* state_of(const Tensor& tensor) {
  if (!tensor || tensor.dtype() == DType::resource || !is_floating(tensor.dtype())) return "other";
  bool zero = true;
  for (const double value : elements(tensor)) {
    if (!std::isfinite(value)) return "nonfinite";
    zero &= value == 0;
  }
  return zero ? "zero" : "value";
}

struct Witness : ForwardListener {
  Witness() {
    if (!std::getenv("WITNESS_OPS")) return;
    run_functions_eagerly(true);
    state().accumulators.push_back(this);
    state().listen.fetch_or(kListenForward, std::memory_order_relaxed);
  }
  void executed(const OpCall& call) override {
    const ThreadState& ts = state();
    const Location& place = ts.origin ? *ts.origin : call.location;
    std::string in, out;
    for (TensorImpl* input : call.inputs) in += std::string(" ") + state_of(Tensor::share(input));
    for (const Tensor& output : call.outputs) out += std::string(" ") + state_of(output);
    std::printf("op %s %.*s %s in%s out%s elements %lld\n", ts.backward_depth ? "backward" : "forward",
                static_cast<int>(call.op.name.size()), call.op.name.data(), location_text(place).c_str(),
                in.c_str(), out.c_str(),
                static_cast<long long>(call.outputs.empty() ? 0 : call.outputs[0].numel()));
  }
};
const Witness witness;

}  // namespace
