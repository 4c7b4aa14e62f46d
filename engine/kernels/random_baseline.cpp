// The loops of random numbers for every processor of the architecture.
#include "engine/kernels/random_table.h"

namespace {
constexpr int kVectorBytes = 16;
}
// Each needs those before it.
// clang-format off
#include "engine/kernels/vector.inl"
#include "engine/kernels/random_loops.inl"
// clang-format on

namespace tapescope::kernels {
constinit const RandomTable kRandomBaseline{word_loop, normal_loop};
}
