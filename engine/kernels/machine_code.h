// Tile programs as machine code, made by LLVM 19: one loop over vectors that reads the inputs, computes all
// steps in registers and stores the results.
//
// The functions are those of unary_functions.inl and binary_functions.inl, so the results are those of the
// interpreter bit for bit (a NaN may have another sign or payload). LLVM is loaded when it is first needed;
// without it there is no code, and programs run in the interpreter.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace tapescope::kernels {

class CodeCache;
struct TileProgram;

// One loop. The code lives as long as this.
class MachineCode {
 public:
  MachineCode() = default;
  MachineCode(const MachineCode&) = delete;
  MachineCode& operator=(const MachineCode&) = delete;
  virtual ~MachineCode() = default;

  // Elements [begin, end) of each result; end - begin is a positive multiple of `step`. Element `begin` is
  // the first of each y; y[0] of a program that folds are its running values, and it keeps no elements.
  // Inputs are those of the whole program, and where rows are no longer than a tile (TileProgram::row), what
  // repeats by rows and columns is written out for elements [begin, end), but not where it folds.
  using Run = void (*)(const void* const* inputs, void* const* y, std::int64_t begin, std::int64_t end);
  Run run = nullptr;
  std::int64_t step = 0;       // elements that a round of the loop computes
  double milliseconds = 0;     // that making it took, or reading it where it was kept
  std::size_t code_bytes = 0;  // of the object that LLVM made
};

// Whether this build can make code of every step of the program on this processor, provided that LLVM is
// installed: all functions, selections and conversions of float32, float64, int32, int64 and bool but those
// of the C library. x86-64 with AVX2 only.
bool has_machine_code(const TileProgram& program);
// What stands against it: "a function of the C library"; empty where nothing does.
std::string_view obstacle_to_machine_code(const TileProgram& program);

// What decides about the code, and nothing else: programs with equal keys can share it.
std::string code_key(const TileProgram& program);

// Null where has_machine_code is false or LLVM 19 is missing. Not from two threads at once. `vector_bits` is
// 256 or 512, or 0 for the widest that the processor has and TAPESCOPE_VECTOR_BITS allows. Code that is in
// `cache` is taken from there, other code is kept there.
std::shared_ptr<const MachineCode> make_machine_code(const TileProgram& program, int vector_bits = 0,
                                                     const CodeCache* cache = nullptr);

// Loads LLVM; false where it is missing.
bool load_machine_code_compiler();
// Before the process ends: code that is there can still run, no other can be made, and LLVM, whose static
// objects are about to be destroyed, is left alone.
void leave_machine_code_compiler();

}  // namespace tapescope::kernels
