// What a program that was started here writes: standard output and error as on a terminal, line by line.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "viewer/debugger/output_line.h"

namespace tapescope {

// Text as a terminal shows it: colours and the like are left out; after a carriage return or backspaces text
// replaces what stands in the line, as progress bars do.
class TerminalText {
 public:
  // What was read at that time, in ticks.
  void add(std::string_view bytes, std::uint64_t at);
  // Complete lines since the last call, without their steps.
  std::vector<OutputLine> take_lines();
  const OutputLine& open_line() const { return line_; }  // not ended yet

 private:
  void put(char c);

  enum class In : std::uint8_t { text, escape, sequence, title } in_ = In::text;
  bool returned_ = false;
  OutputLine line_;
  std::vector<OutputLine> lines_;
};

class ProgramOutput {
 public:
  // `wake` is called on another thread when there is more.
  explicit ProgramOutput(std::function<void()> wake);
  // A program that writes after this gets an error, unless it was released.
  ~ProgramOutput();
  ProgramOutput(const ProgramOutput&) = delete;
  ProgramOutput& operator=(const ProgramOutput&) = delete;

  // The program's end, for its standard output and error; -1 where there is none. A terminal, since programs
  // write line by line to one and in blocks to a pipe.
  int program_end() const { return program_end_; }
  // The program has its end: reading begins. What is read is also written to this process's standard output.
  void begin();
  // Lines since the last call; the line that is not ended yet in `open`.
  std::vector<OutputLine> take_lines(OutputLine& open);
  // The program has ended: reads what it had written, and no more.
  void finish();
  // The program runs on without this process: what it writes goes to this process's standard output.
  void release();

 private:
  void read_on(const std::stop_token& stop);
  enum class Read : std::uint8_t { some, nothing, end };
  // What comes within that time, as much as a pipe takes at once.
  Read read_some(int patience_ms, const std::stop_token& stop);

  std::function<void()> wake_;
  int reading_end_ = -1, program_end_ = -1;
  bool heard_ = true;  // this process's standard output still has a reader
  std::atomic<bool> finishing_{false};
  std::mutex mutex_;
  TerminalText text_;
  std::jthread thread_;  // last: joined before what it uses is gone
};

}  // namespace tapescope
