// Lines of a program's output stand at the step that ran when they were written, whatever is shown by then.
#include "viewer/debugger/output_line.h"

#include <memory>

#include "engine/events/clock.h"
#include "tests/support/catch.h"
#include "viewer/store/snapshot.h"

using namespace tapescope;

namespace {

constexpr std::uint64_t kFirst = 1'000'000'000;

std::uint64_t after_us(double us) {
  return kFirst + static_cast<std::uint64_t>(us * 1e3 / nanoseconds_per_tick());
}

// Steps 0, 1, 2 ... each of which begins 100 us after the one before, the first 50 us after the first event.
Snapshot run_of(std::uint64_t steps) {
  Snapshot run;
  run.step_base = 1;
  run.first_ticks = kFirst;
  for (std::uint64_t step = 0; step < steps; ++step)
    run.steps.push_back({.step = step, .step_us = 90, .begin_us = 50 + 100.0 * static_cast<double>(step)});
  return run;
}

ProgramLines written_at(std::initializer_list<double> times) {
  ProgramLines lines;
  for (const double us : times) lines.lines.push_back({.at = after_us(us), .text = "line"});
  return lines;
}

std::vector<std::uint64_t> steps_of(const ProgramLines& lines) {
  std::vector<std::uint64_t> steps;
  for (const OutputLine& line : lines.lines) steps.push_back(line.step);
  return steps;
}

using Steps = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("a line stands at the step that ran when it was written, not at the one that is shown") {
  ProgramLines lines = written_at({20, 60, 145, 155, 540});
  lines.lines.insert(lines.lines.begin(), {.at = kFirst - 1000, .text = "before anything"});
  place_lines(lines, run_of(1000));
  CHECK(steps_of(lines) == Steps{0, 0, 1, 1, 2, 5});
  CHECK(lines.placed == lines.lines.size());
  CHECK(lines.version == 1);
}

TEST_CASE("a line that is ahead of the records gets its step when they come") {
  ProgramLines lines = written_at({60, 460});
  lines.open = {.at = after_us(470), .text = "epoch 1"};
  place_lines(lines, run_of(2));
  CHECK(steps_of(lines) == Steps{1, 2});
  CHECK(lines.placed == 1);
  place_lines(lines, run_of(9));
  CHECK(steps_of(lines) == Steps{1, 5});
  CHECK(lines.open.step == 5);
  CHECK(lines.placed == 2);
  const std::uint64_t version = lines.version;
  place_lines(lines, run_of(9));
  CHECK(lines.version == version);
}

TEST_CASE("a line of the step that runs has it before its end") {
  Snapshot run = run_of(3);
  const auto open = std::make_shared<StepView>();
  open->step = 3;
  open->begin_us = 350;
  open->ops.emplace_back();
  run.current = open;
  ProgramLines lines = written_at({340, 400});
  place_lines(lines, run);
  CHECK(steps_of(lines) == Steps{3, 4});
  CHECK(lines.placed == 1);
}

TEST_CASE("before the first record lines have no step, and none of them is settled") {
  ProgramLines lines = written_at({10});
  place_lines(lines, Snapshot{});
  CHECK(steps_of(lines) == Steps{0});
  CHECK(lines.placed == 0);
}
