// The command line: parses, dispatches, maps what went wrong to an exit code and one sentence.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "viewer/cli/command_line.h"
#include "viewer/debugger/run_control.h"

namespace tapescope {

struct HeadlessRun;

// design/interfaces.md
inline constexpr int kExitDone = 0, kExitFired = 1, kExitArguments = 2, kExitSurroundings = 3,
                     kExitInternal = 4;

// The whole program; returns its exit code.
int run_cli(int argc, const char* const* argv, const std::string& commit);
// What --version prints: version and commit, then which optional parts this build has and lacks.
std::string version_text(const std::string& commit);

// What went wrong with what the user asked for; becomes exit code 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A user's program, as `record` takes it.
struct ProgramArguments {
  std::vector<std::string> words;  // empty: none was given
  std::string values;              // rule; empty: as the environment says
  double megabytes = -1;           // for values; negative: likewise
  bool answers = false;            // the answers are what its run is for, not its times
};
// Adds --values, --budget and what follows `--`.
void add_program_arguments(CliCommand& command, ProgramArguments& program, const std::string& what);
// Runs it and reads its recording. `output_is_complaint`: standard output is for what is said of it.
HeadlessRun run_recorded(const ProgramArguments& program, bool output_is_complaint);

// Options of whatever runs a sample.
struct SampleArguments {
  std::string name;
  std::vector<std::string> names;  // of commands that take several recordings of one job; else empty
  std::string variant;
  std::uint64_t seed = 1;
  int threads = 1;
  std::string data;
  std::vector<std::string> set;
  std::int64_t steps = 0;    // 0: the sample's own
  ProgramArguments program;  // in place of the sample

  // Whether it ran, or runs, in another process.
  bool of_elsewhere() const;
  // Throws UsageError for a --set without '=', and for unknown names with the nearest known one.
  RunRequest request() const;
};
enum class Takes : std::uint8_t { sample, sample_or_recording, recordings_of_job };
// `positional`: the name is an argument, else an option.
void add_sample_arguments(CliCommand& command, SampleArguments& arguments, bool with_variant = true,
                          Takes takes = Takes::sample);
// Runs the sample of that name or the program, or reads the recording. Throws UsageError for options that the
// latter two do not take.
HeadlessRun run_or_read(const SampleArguments& arguments, bool output_is_complaint = false);
void add_run_options(CliCommand& command, SampleArguments& arguments);

// What `run`, `compare --variants` and `report` do without further options; `gui` falls back on them where
// there is no display.
int run_and_print(const SampleArguments& sample);
int compare_and_print(const SampleArguments& sample, const std::string& variants);
int print_recording(const std::string& path);

// The known name nearest to `given`: a few letters apart, or beginning with it; empty when none is near.
std::string nearest(std::string_view given, const std::vector<std::string>& known);

// Writes to the file, or to standard output for "-". Throws Error (surroundings) when it cannot.
void write_output(const std::string& path, const std::string& text);

}  // namespace tapescope
