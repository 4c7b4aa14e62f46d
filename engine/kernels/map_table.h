// The loops of one instruction set, as a table of plain functions. Internal to the kernels.
#pragma once
#include "engine/kernels/map.h"

namespace tapescope::kernels {

inline constexpr int kUnaryCount = static_cast<int>(UnaryOp::count_);
inline constexpr int kBinaryCount = static_cast<int>(BinaryOp::count_);
inline constexpr int kModeCount = static_cast<int>(Mode::count_);

using ConvertLoop = void (*)(const void* x, void* y, std::int64_t n);
// y[i] += x[i]
using AccumulateLoop = void (*)(void* y, const void* x, std::int64_t n);

// y = (a f b) g c, each step rounded by itself; b and c are arrays or one element.
using PairLoop = void (*)(const void* a, const void* b, const void* c, void* y, std::int64_t n);
// Functions that pairs are made of: add, sub and mul, the first of the enumeration.
inline constexpr int kPairCount = 3;
static_assert(static_cast<int>(BinaryOp::mul) == kPairCount - 1);

struct MapTable {
  UnaryLoop unary[kUnaryCount][kDTypeCount] = {};
  BinaryLoop binary[kBinaryCount][kModeCount][kDTypeCount] = {};
  ConvertLoop convert[kDTypeCount][kDTypeCount] = {};
  PairLoop pair[kPairCount][2][kPairCount][2] =
      {};  // of float32: f, whether b is one element, g, whether c is
};

extern const MapTable kMapBaseline;
extern const MapTable kMapAvx2;    // equal to the baseline where the processor is no x86-64
extern const MapTable kMapAvx512;  // with polynomials alone

bool cpu_has_avx2();    // with FMA and F16C
bool cpu_has_avx512();  // F, BW, DQ and VL, and AVX2
// The table in use.
extern constinit const MapTable* g_map;

}  // namespace tapescope::kernels
