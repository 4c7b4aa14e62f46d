// Writes the loop of a tile program as LLVM instructions, by the text of unary_functions.inl and
// binary_functions.inl.
#pragma once
#include "engine/kernels/llvm_library.h"
#include "engine/kernels/tile.h"

namespace tapescope::kernels {

// All loops have one name, so that an object can be kept for other processes.
inline constexpr const char* kLoopName = "tapescope_loop";

// Whether elements of the dtype, and the step, can be instructions.
bool is_loop_type(DType type);
bool makes_instructions(const TileProgram::Step& step);

struct LoopPlace {
  const Llvm& llvm;
  LLVMContextRef context;
  LLVMModuleRef module;
  int vector_bits;
  unsigned lanes;  // elements of a round
};
// Adds the function MachineCode::Run of the program. Each of its steps makes instructions.
void build_loop(const TileProgram& program, const LoopPlace& place);

}  // namespace tapescope::kernels
