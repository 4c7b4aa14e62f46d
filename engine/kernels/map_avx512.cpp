// The loops of polynomials for processors with AVX-512.
#include "engine/kernels/map_table.h"
#include "engine/kernels/special.h"

// Each needs those before it.
// clang-format off
#include "engine/kernels/avx512.inl"
#include "engine/kernels/vector.inl"
#include "engine/kernels/polynomials.inl"
#include "engine/kernels/unary_functions.inl"
#include "engine/kernels/binary_functions.inl"
#include "engine/kernels/half_vectors.inl"
#include "engine/kernels/convert_loops.inl"
#include "engine/kernels/map_loops.inl"
// clang-format on

namespace tapescope::kernels {
constinit const MapTable kMapAvx512 = make_map_table();
}
#if defined(__clang__) && defined(__x86_64__)
#pragma clang attribute pop
#endif
