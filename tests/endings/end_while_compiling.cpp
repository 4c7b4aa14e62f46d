// A process may end while machine code of a function is being made. Runs itself many times, each ending when
// some of several programs are compiled and others are not; 0 when every one ended well.
#include <sys/wait.h>
#include <unistd.h>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "engine/kernels/compiled_tiles.h"
#include "engine/kernels/tile.h"

using namespace tapescope;
using namespace tapescope::kernels;

namespace {

constexpr int kPrograms = 6;

// exp and tanh in turn, `length` of them.
TileProgram chain(int length) {
  TileProgram program{.inputs = {{DType::f32, TileProgram::Access::whole}},
                      .steps = {},
                      .results = {DType::f32},
                      .count = 1000};
  for (int k = 0; k < length; ++k) {
    const std::uint8_t from = k == 0 ? 0 : TileProgram::kFirstRegister;
    const std::uint8_t to = k + 1 == length ? TileProgram::kFirstResult : TileProgram::kFirstRegister;
    program.steps.push_back({TileProgram::Code::unary,
                             static_cast<std::uint8_t>(k % 2 ? UnaryOp::tanh : UnaryOp::exp),
                             DType::f32,
                             DType::f32,
                             {from},
                             to,
                             0});
  }
  return program;
}

// Destroyed after the static objects that LLVM makes. A thread that compiles still would go on without them.
struct Asked {
  std::vector<std::shared_ptr<CompiledTiles>> programs;
  ~Asked() {
    for (const auto& tiles : programs) {
      while (tiles->state() == CompiledTiles::State::waiting) usleep(1000);
    }
  }
} asked;

// Ends when `compiled` of the programs are.
int end_after(int compiled) {
  for (int i = 0; i < kPrograms; ++i) {
    const auto tiles = CompiledTiles::of(chain(2 + i));
    if (!tiles) return 0;
    tiles->code(1000);
    tiles->code(1000);
    asked.programs.push_back(tiles);
  }
  if (compiled > 0) asked.programs[static_cast<std::size_t>(compiled - 1)]->compile();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) return end_after(std::atoi(argv[1]));
  for (int round = 0; round < 4; ++round) {
    for (int compiled = 0; compiled < kPrograms; ++compiled) {
      const pid_t child = fork();
      if (child == 0) {
        execl(argv[0], argv[0], std::to_string(compiled).c_str(), nullptr);
        _exit(127);
      }
      int status = 0;
      if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
        fmt::print(stderr, "ended with status {:#x} after {} programs were compiled\n", status, compiled);
        return 1;
      }
    }
  }
  return 0;
}
