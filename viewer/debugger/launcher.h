// Starts a program, waits on a separate thread until it can be attached to, and keeps what it writes.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "viewer/debugger/launch.h"
#include "viewer/debugger/output_line.h"

namespace tapescope {

class Launcher {
 public:
  // `wake` is called on other threads when there is something new.
  explicit Launcher(std::function<void()> wake) : wake_(std::move(wake)) {}
  ~Launcher();  // ends the program
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

  // Starts the program so that it stands before its first op; ends the one before. Throws Error
  // (surroundings) where it cannot be started.
  void start(Launch launch);
  // It was started, and has neither listened nor failed.
  bool starts() const { return starts_; }
  double seconds() const;  // since it was started
  // The socket of a program that listens now, once; empty before. Throws Error (surroundings), once, where it
  // ended before it listened or does not listen in time: it is ended then.
  std::string arrived();
  // Waits for that.
  std::string await();

  // The last one that was started, until it was released.
  const Launch* launch() const { return program_ ? &launch_ : nullptr; }
  pid_t process() const { return program_ ? program_->process() : 0; }
  void end();
  void release();  // it runs on by itself

  // Takes what was written since. `program`: what it did so far, by which lines get their steps; null where
  // it is not shown.
  void take_output(const Snapshot* program);
  const ProgramLines& output() const { return output_; }

 private:
  void watch(const std::stop_token& stop);

  std::function<void()> wake_;
  Launch launch_;
  std::string socket_;
  std::chrono::steady_clock::time_point since_, limit_;
  bool starts_ = false;
  std::unique_ptr<LaunchedProgram> program_;
  ProgramLines output_;
  std::jthread watch_;
};

}  // namespace tapescope
