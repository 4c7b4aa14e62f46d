// Starts a user's program, C++ or Python, so that it is recorded or waits for the window.
#pragma once
#include <sys/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/recording/ending.h"
#include "viewer/debugger/program_output.h"

namespace tapescope {

struct Launch {
  std::vector<std::string> words;  // the program and its arguments
  std::string folder;              // that it runs in; empty: this process's
  std::string python;              // that runs PROGRAM.py; empty: python_command()
  std::string record;              // file to record into; empty: none
  std::string values;              // rule of the steps whose values are kept; empty: as the environment says
  std::optional<double> budget;    // megabytes for them
  bool waits_for_window = false;   // stopped before its first op until a window lets it go
  bool passes_signals_on = true;   // those that arrive here; one such program at a time
  bool answers = false;            // PyTorch: sees all that its answers about None need, which slows it
  bool output_is_complaint = false;  // its standard output goes to standard error
  // Where it is set the program's output is kept, and this is called on another thread when there is more.
  std::function<void()> wake_with_output;
};

// Whether Python runs it.
bool is_python_program(const std::vector<std::string>& words);

// The path of the Python file that is run; empty for other programs.
std::string script_of(const Launch& launch);

// The words that start the program. One that ends in .py, and `python3 PROGRAM`, is run by
// `python3 -m tapescope` ($PYTHON names another).
std::vector<std::string> command_line_of(const Launch& launch);

// The folder with the Python package that was built or installed beside this binary; empty where there is
// none.
std::string python_package_folder();
// The Python that runs programs: $PYTHON, else python3.
std::string python_command();

// Replaces this process by `python3 -m tapescope ARGUMENTS`. Throws Error (surroundings) with one sentence
// where Python cannot be started.
[[noreturn]] void become_python(const std::vector<std::string>& arguments);

// A name for the program's recording: "train" of "./build/train" and of "train.py".
std::string name_of_program(const std::vector<std::string>& words);

class LaunchedProgram {
 public:
  // Throws Error (surroundings) with one sentence where it cannot be started.
  explicit LaunchedProgram(const Launch& launch);
  ~LaunchedProgram();  // waits for its end
  LaunchedProgram(const LaunchedProgram&) = delete;
  LaunchedProgram& operator=(const LaunchedProgram&) = delete;

  pid_t process() const { return process_; }
  // Waits for its end.
  void wait();
  // Whether it has ended.
  bool ended();
  // As its parent sees it.
  record::Ending ending() const;
  // As shells give it on: 128 and the signal's number for one.
  int exit_code() const;
  void kill(int signal) const;
  // Asks it to end, and kills it where it has not within a second.
  void end();
  // It runs on by itself.
  void release();
  // What it writes, where that is kept; else null.
  ProgramOutput* output() const { return output_.get(); }

 private:
  void stop_passing() const;

  pid_t process_ = -1;
  int status_ = 0;
  bool ended_ = false, passes_signals_on_ = false;
  std::unique_ptr<ProgramOutput> output_;
};

}  // namespace tapescope
