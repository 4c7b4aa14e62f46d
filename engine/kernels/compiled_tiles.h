// A tile program's machine code, made by a thread in the background while the interpreter runs the program.
//
// The thread stops when the main thread ends the process, by returning from main or by std::exit. Another
// thread shall not call std::exit: LLVM's objects would be destroyed while it compiles.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "engine/kernels/machine_code.h"

namespace tapescope::kernels {

// What became of the code of one program. Programs of equal steps share their code. Thread-safe.
class CompiledTiles : public std::enable_shared_from_this<CompiledTiles> {
 public:
  enum class State : std::uint8_t {
    interpreted,  // not run twice yet
    waiting,      // for the thread that compiles
    compiled,
    refused,  // LLVM could not make it, or the process is about to end
    missing,  // there is no LLVM
  };

  // Null where has_machine_code(program) is false.
  static std::shared_ptr<CompiledTiles> of(const TileProgram& program);

  // The code once it is made, else null. Asks for it when the program has run before: what runs once is not
  // worth compiling. `elements` are those about to be computed.
  const MachineCode* code(std::int64_t elements) {
    const MachineCode* ready = code_.load(std::memory_order_acquire);
    if (ready || state() != State::interpreted) return ready;
    count(elements);
    return code_.load(std::memory_order_acquire);
  }
  // The code if it is made; asks for nothing. `was_there` where another program had asked for it.
  const MachineCode* made() const { return code_.load(std::memory_order_acquire); }
  bool was_there() const { return was_there_; }
  State state() const { return state_.load(std::memory_order_acquire); }
  // Asks for the code and waits until it is made or refused.
  void compile();
  // For tests: programs are compiled before they run for the first time, and their callers wait for it.
  static void compile_at_once(bool on);

 private:
  friend class TileCompiler;
  CompiledTiles() = default;
  void count(std::int64_t elements);
  void finish(std::shared_ptr<const MachineCode> made, State otherwise = State::refused);

  std::unique_ptr<const TileProgram> program_;  // without its code
  std::string key_;
  std::shared_ptr<const MachineCode> owned_;
  std::atomic<const MachineCode*> code_{nullptr};
  bool was_there_ = false;  // set before the code
  std::atomic<State> state_{State::interpreted};
  std::atomic<std::int64_t> computed_{0};  // elements
};

}  // namespace tapescope::kernels
