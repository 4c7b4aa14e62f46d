// What a program writes, as lines.
#include "viewer/debugger/program_output.h"

#include <unistd.h>

#include <chrono>
#include <thread>

#include "tests/support/catch.h"

using namespace tapescope;

namespace {

using Lines = std::vector<std::string>;

Lines texts_of(const std::vector<OutputLine>& lines) {
  Lines texts;
  for (const OutputLine& line : lines) texts.push_back(line.text);
  return texts;
}

Lines lines_of(std::string_view bytes, std::string* open = nullptr) {
  TerminalText text;
  for (const char c : bytes) text.add({&c, 1}, 0);  // cut anywhere
  if (open != nullptr) *open = text.open_line().text;
  return texts_of(text.take_lines());
}

}  // namespace

TEST_CASE("output is lines without colours, and a progress bar is its last state") {
  CHECK(lines_of("one\ntwo\n") == Lines{"one", "two"});
  CHECK(lines_of("\x1b[1m12\x1b[0m/\x1b]0;title\a34\n") == Lines{"12/34"});
  CHECK(lines_of(" 10 %\r 50 %\r100 %\n") == Lines{"100 %"});
  CHECK(lines_of("loss\xc3\xa9\b\b7\n") == Lines{"los7"});
  std::string open;
  CHECK(lines_of("done\n 30 %", &open) == Lines{"done"});
  CHECK(open == " 30 %");
}

TEST_CASE("a line without an end stays of bounded length") {
  TerminalText text;
  text.add(std::string(1u << 20, 'x'), 0);
  CHECK(text.open_line().text.size() <= 4096);
}

TEST_CASE("a line came when its last part was read") {
  TerminalText text;
  text.add("one\nlo", 10);
  text.add("ss 1\nop", 20);
  const std::vector<OutputLine> lines = text.take_lines();
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].at == 10);
  CHECK(lines[1].at == 20);
  CHECK(text.open_line().at == 20);
}

TEST_CASE("what is written to the program's end arrives as it is written, before that is closed") {
  ProgramOutput output([] {});
  REQUIRE(output.program_end() >= 0);
  CHECK(isatty(output.program_end()));  // programs write line by line to one
  const int end = dup(output.program_end());
  output.begin();
  REQUIRE(write(end, "loss 0.5\n", 9) == 9);
  std::vector<OutputLine> lines;
  OutputLine open;
  for (int look = 0; look < 500 && lines.empty(); ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    lines = output.take_lines(open);
  }
  CHECK(texts_of(lines) == Lines{"loss 0.5"});
  close(end);
}
