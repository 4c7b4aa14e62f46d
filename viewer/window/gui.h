// The window: what `tapescope gui` starts.
#pragma once
#include <string>
#include <vector>

#include "samples/sample.h"

namespace tapescope {

// As the command line gave them; empty texts and zeros mean: not given.
struct GuiOptions {
  std::string sample;
  std::string variant;
  std::string compare;              // "A,B"
  std::vector<std::string> open;    // recordings,
  std::vector<std::string> launch;  // a program and its arguments, started and attached to
  std::vector<std::string> attach;  // by process id, name, socket or ssh:// address; the first is in focus
  std::string job;                  // all ranks of a job are attached to, or opened
  std::string script;
  std::string ui_map;
  double scale = 0;           // interface scale; 0: from settings
  std::string theme;          // dark, light or contrast; empty: from settings
  int width = 0, height = 0;  // window pixels; 0: from settings
  SampleOptions options;      // seed, threads, data, steps, parameters (the variant is above)
};

// Opens the window and returns the process's exit code when it closes (design/interfaces.md): 1 where a
// script's command failed, 3 without a display or OpenGL 3. Does not throw for these.
int run_gui(const GuiOptions& options);

}  // namespace tapescope
