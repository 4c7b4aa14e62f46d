// A program to be launched, as people type it: the `launch` command, the first screen and the settings.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "viewer/debugger/launch.h"

namespace tapescope::ui {

struct LaunchLine {
  std::string program;    // "train.py", "build/fit"
  std::string arguments;  // as a shell takes them
  std::string folder;     // that it runs in; empty: the window's
  std::string python;     // that runs PROGRAM.py; empty: the usual one
  std::string record;     // file; empty: none
  bool runs = false;      // does not stand before its first op
  double when = 0;        // seconds since 1970 when it was launched; 0 unknown
  bool operator==(const LaunchLine&) const = default;
  // Apart from when.
  bool same(const LaunchLine& other) const;
};

// "[--folder DIR] [--python PYTHON] [--record FILE] [--run] PROGRAM ARGUMENTS". What is wrong; empty where
// nothing is.
std::string parse_launch(std::string_view text, LaunchLine& line);
// What the command reads back as the same.
std::string text_of(const LaunchLine& line);
// "train.py --epochs 3"
std::string title_of(const LaunchLine& line);
// A leading ~ is the user's home.
Launch launch_of(const LaunchLine& line);
// Puts it first; some are kept.
void remember(std::vector<LaunchLine>& list, LaunchLine line);

}  // namespace tapescope::ui
