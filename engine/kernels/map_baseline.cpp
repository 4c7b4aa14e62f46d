// The elementwise loops for every processor of the architecture.
#include "engine/kernels/map_table.h"
#include "engine/kernels/special.h"

namespace {
constexpr int kVectorBytes = 16;
}
// Each needs those before it.
// clang-format off
#include "engine/kernels/vector.inl"
#include "engine/kernels/polynomials.inl"
#include "engine/kernels/unary_functions.inl"
#include "engine/kernels/binary_functions.inl"
#include "engine/kernels/half_vectors.inl"
#include "engine/kernels/convert_loops.inl"
#include "engine/kernels/map_loops.inl"
// clang-format on

namespace tapescope::kernels {
constinit const MapTable kMapBaseline = make_map_table();
}
