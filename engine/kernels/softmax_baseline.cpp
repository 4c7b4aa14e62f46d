// The loops over rows of softmax for every processor of the architecture.
#include "engine/kernels/softmax_table.h"

namespace {
constexpr int kVectorBytes = 16;
}
// Each needs those before it.
// clang-format off
#include "engine/kernels/vector.inl"
#include "engine/kernels/polynomials.inl"
#include "engine/kernels/softmax_loops.inl"
// clang-format on

namespace tapescope::kernels {
constinit const SoftmaxTable kSoftmaxBaseline = make_softmax_table();
}
