// The optimizers' updates for every processor of the architecture.
#include "engine/nn/update_loops.h"

#include <type_traits>

#include "engine/core/half.h"

namespace {
constexpr int kVectorBytes = 16;
}
// Each needs those before it.
// clang-format off
#include "engine/kernels/vector.inl"
#include "engine/kernels/half_vectors.inl"
#include "engine/nn/update_loops.inl"
// clang-format on

namespace tapescope::updates {
constinit const Table kBaseline = make_update_table();
}
