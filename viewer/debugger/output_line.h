// Lines that a program has written, as the log shows them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tapescope {

struct Snapshot;

struct OutputLine {
  std::uint64_t at = 0;    // ticks, when it was read, which is soon after it was written
  std::uint64_t step = 0;  // that ran then or had run last, as people count; 0: before the first one
  std::string text;
};

struct ProgramLines {
  std::vector<OutputLine> lines;  // the latest kMostOutputLines
  std::uint64_t lost = 0;         // before them
  OutputLine open;                // that is not ended yet; no text where there is none
  std::uint64_t version = 0;      // grows with each change
  std::size_t placed = 0;         // of the lines: their steps are known for good
};
inline constexpr std::size_t kMostOutputLines = 20'000;

// Finds the steps of the lines that are not placed yet: records come later than the text that was written
// beside them, and a loop runs through many steps between two looks.
void place_lines(ProgramLines& lines, const Snapshot& program);

}  // namespace tapescope
