// A program of elementwise functions run tile by tile, so that what lies between them never leaves the first cache.
//
// The functions are the loops of map.h, hence the results those of the same ops one by one, bit for bit.
#pragma once
#include <cstdint>
#include <vector>

#include "engine/kernels/map.h"

namespace tapescope::kernels {

// Elements of a tile: 2 KiB of float32, so that registers and inputs share the first cache.
inline constexpr std::int64_t kTileElements = 512;

struct TileProgram {
  // How an input relates to the result's elements, counted row-major.
  enum class Access : std::uint8_t {
    whole,   // one each
    scalar,  // one for all
    row,     // element i % row
    column,  // element i / row
  };
  struct Input {
    DType dtype;
    Access access;
  };
  enum class Code : std::uint8_t { unary, binary, select, convert };
  struct Step {
    Code code;
    std::uint8_t function;         // UnaryOp or BinaryOp
    DType from, to;                // of the operands (of select: of the chosen ones) and of the result
    std::uint8_t operand[3];       // an input, or kFirstRegister + a register
    std::uint8_t target;           // a register, or kResult
    double param;
  };
  static constexpr int kMaxInputs = 16, kMaxRegisters = 8, kMaxSteps = 32;
  static constexpr std::uint8_t kFirstRegister = kMaxInputs, kResult = 255;

  std::vector<Input> inputs;
  std::vector<Step> steps;  // the last one's target is the result, and only its
  std::int64_t row = 1;     // of row and column inputs
  std::int64_t count = 0;   // elements of the result
  DType result = DType::f32;
};

// Whether there is a loop for it: not for half types.
bool tile_supports(const TileProgram::Step& step);

// y = the program's result.
void run_tiles(const TileProgram& program, const void* const* inputs, void* y);
// The result's elements [begin, end) to y, by the calling thread alone.
void run_tiles(const TileProgram& program, const void* const* inputs, std::int64_t begin, std::int64_t end, void* y);

}  // namespace tapescope::kernels
