// Lines that a program has written, as the log shows them.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace tapescope {

struct OutputLine {
  std::uint64_t step = 0;  // that was shown when it came; 0: before the first one
  std::string text;
};

struct ProgramLines {
  std::vector<OutputLine> lines;  // the latest kMostOutputLines
  std::uint64_t lost = 0;         // before them
  std::string open;               // the line that is not ended yet
  std::uint64_t version = 0;      // grows with each change
};
inline constexpr std::size_t kMostOutputLines = 20'000;

}  // namespace tapescope
