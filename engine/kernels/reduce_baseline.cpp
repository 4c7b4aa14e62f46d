// The reduction loops for every processor of the architecture.
#include "engine/kernels/reduce_table.h"

namespace {
constexpr int kVectorBytes = 16;
}
// Each needs those before it.
// clang-format off
#include "engine/kernels/vector.inl"
#include "engine/kernels/reduce_loops.inl"
// clang-format on

namespace tapescope::kernels {
constinit const ReduceTable kReduceBaseline = make_reduce_table();
}
