// A program of elementwise functions run tile by tile, so that what lies between them never leaves the first
// cache.
//
// The functions are the loops of map.h, hence the results those of the same ops one by one, bit for bit.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/kernels/fold.h"
#include "engine/kernels/map.h"

namespace tapescope::kernels {

class CompiledTiles;
class MachineCode;

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
    std::uint8_t function;  // UnaryOp or BinaryOp
    DType from, to;         // of the operands (of select: of the chosen ones) and of the result
    std::uint8_t
        operand[3];       // an input, kFirstRegister + a register, or kFirstResult + a result written before
    std::uint8_t target;  // likewise, but no input
    double param;

    int operands() const { return code == Code::select ? 3 : code == Code::binary ? 2 : 1; }
  };
  // Of registers and steps what machine code is still made of in some milliseconds.
  static constexpr int kMaxInputs = 16, kMaxRegisters = 48, kMaxResults = 8, kMaxSteps = 192;
  static constexpr int kCachedRegisters = 8;  // that share the first cache with the inputs
  static constexpr std::uint8_t kFirstRegister = kMaxInputs, kFirstResult = kFirstRegister + kMaxRegisters;

  std::vector<Input> inputs;
  std::vector<Step> steps;  // each result is the target of one of them
  std::vector<DType> results;
  std::int64_t row = 1;    // of row and column inputs
  std::int64_t count = 0;  // elements of each result
  // What machine code folds the one result by, in place of storing it: see fold_tiles. `row` is the length of
  // a run then, if an input follows rows or columns.
  std::optional<Fold> fold;
  // The machine code that takes the interpreter's place when it is there; null where none is asked for.
  std::shared_ptr<CompiledTiles> compiled;

  // Whether no element of the input is read after that element of the result was written: they may share
  // memory.
  bool reads_first(int input, int result) const;
};

// Whether there is a loop for it: not for half types.
bool tile_supports(const TileProgram::Step& step);

// Nanoseconds of an element in each step, run alone by the interpreter's loops on elements in the first
// cache. Takes some microseconds a step.
std::vector<double> measure_steps(const TileProgram& program);

// A round of machine code that folds computes no more elements.
inline constexpr std::int64_t kMostLeft = 32;
// Folds the elements [begin, begin + n), one run, by machine code into the kRunning values of the accumulator
// at `running`, element i of the run into i % kRunning. Stores the elements of the last round, which is not
// whole, at `rest`; returns how many these are.
std::int64_t fold_tiles(const TileProgram& program, const MachineCode& code, const void* const* inputs,
                        std::int64_t begin, std::int64_t n, void* running, void* rest);

// Each y = a result of the program.
void run_tiles(const TileProgram& program, const void* const* inputs, void* const* y);
// The results' elements [begin, end), by the calling thread alone: element `begin` is the first of each y.
void run_tiles(const TileProgram& program, const void* const* inputs, std::int64_t begin, std::int64_t end,
               void* const* y);

}  // namespace tapescope::kernels
