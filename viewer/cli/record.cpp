// record: runs a user's program and keeps what it did; explain, check, report and compare run it likewise.
#include <fnmatch.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/recording/environment.h"
#include "engine/recording/mend.h"
#include "viewer/cli/cli.h"
#include "viewer/debugger/headless.h"
#include "viewer/debugger/launch.h"
#include "viewer/debugger/recording.h"
#include "viewer/model/complain.h"
#include "viewer/model/typed_text.h"
#include "viewer/store/source_text.h"

namespace tapescope {
namespace {

namespace fs = std::filesystem;

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (fs::temp_directory_path() / "tapescope-XXXXXX").string();
    if (!mkdtemp(pattern.data()))
      throw Error(ErrorKind::surroundings,
                  fmt::format("cannot make a folder at {}; free some space or set TMPDIR", pattern));
    path_ = pattern;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

Launch launch_of(const ProgramArguments& program, const std::string& file) {
  Launch launch;
  launch.words = program.words;
  launch.record = file;
  launch.values = program.values;
  if (program.megabytes >= 0) launch.budget = program.megabytes;
  launch.answers = program.answers;
  return launch;
}

// A program that was killed, or left without a word, could not write its end.
void write_end_for(const LaunchedProgram& program, const std::string& file) {
  record::Ending ending = program.ending();
  if (ending.how == ProgramEnd::exit) ending.how = ProgramEnd::left;
  try {
    record::append_end(file, ending);
  } catch (const Error& error) {
    complain(error.what());
  }
}

Error wrote_nothing(const ProgramArguments& program) {
  return Error(
      ErrorKind::surroundings,
      fmt::format("{} wrote no recording: it does not use Tapescope's library, or did not get as far; link "
                  "tapescope::engine into it (find_package(tapescope)), or give a Python program as "
                  "PROGRAM.py",
                  program.words[0]));
}

// The recording of the program itself, else the largest one of the programs that it started.
std::optional<std::string> recording_in(const fs::path& folder, pid_t process, std::size_t& count) {
  std::optional<fs::path> found;
  count = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".tape") continue;
    ++count;
    const auto is_own = [&](const fs::path& path) { return path.stem() == std::to_string(process); };
    if (!found || is_own(entry.path()) || (!is_own(*found) && entry.file_size() > fs::file_size(*found)))
      found = entry.path();
  }
  return found ? std::optional(found->string()) : std::nullopt;
}

struct Options {
  ProgramArguments program;
  std::string out;
};

// Recordings that `file` may name, with the time of their last change: any process, host and rank, and the
// second one of a name that is taken.
std::map<std::string, fs::file_time_type> recordings_named(const std::string& file) {
  std::string pattern = fs::path(file).filename().string();
  for (std::size_t at = pattern.find('%'); at != std::string::npos; at = pattern.find('%', at)) {
    if (at + 1 < pattern.size()) pattern.replace(at, 2, "*");
    else break;
  }
  const fs::path name(pattern),
      folder = fs::path(file).has_parent_path() ? fs::path(file).parent_path() : ".";
  const std::string second = name.stem().string() + "-[0-9]*" + name.extension().string();
  std::map<std::string, fs::file_time_type> found;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    const std::string known = entry.path().filename().string();
    if (fnmatch(pattern.c_str(), known.c_str(), 0) == 0 || fnmatch(second.c_str(), known.c_str(), 0) == 0)
      found[fs::path(file).has_parent_path() ? entry.path().string() : known] =
          entry.last_write_time(ignored);
  }
  return found;
}

int record_command(const Options& options) {
  if (options.program.words.empty())
    throw UsageError(
        "no program to record; give it and its arguments after --: tapescope record -- PROGRAM ARGUMENTS");
  if (options.out == "-")
    throw UsageError("-o - would mix the recording with what the program prints; give it a file");
  const std::string file =
      options.out.empty() ? name_of_program(options.program.words) + ".tape" : options.out;
  const auto before = recordings_named(file);
  LaunchedProgram program(launch_of(options.program, file));
  program.wait();
  std::vector<std::string> written;
  for (const auto& [path, time] : recordings_named(file)) {
    const auto former = before.find(path);
    if (former == before.end() || former->second != time) written.push_back(path);
  }
  if (written.empty()) {
    complain(wrote_nothing(options.program).what());
    return program.exit_code() != 0 ? program.exit_code() : kExitSurroundings;
  }
  // Of others' processes it is not known how they ended.
  const std::string own = record::recording_path(file, program.process());
  if (written.size() == 1 && (written[0] == own || file.find('%') == std::string::npos))
    write_end_for(program, written[0]);
  if (options.out.empty())
    complain(fmt::format("recorded to {}; 'tapescope explain {}' says what is in it",
                         fmt::join(written, ", "), shell_word(written[0])));
  return program.exit_code();
}

}  // namespace

void add_program_arguments(CliCommand& command, ProgramArguments& program, const std::string& what) {
  command
      .option("--values", program.values,
              "of a program: steps whose tensors are recorded, a list of first, last, every:N and numbers "
              "from 1; "
              "only:NAME keeps those named so")
      .type_name("RULE");
  command
      .option("--budget", program.megabytes, "of a program: megabytes for them; what is left out is counted")
      .type_name("MB")
      .between(0.0, 1e6);
  command.takes_program(program.words, what);
}

namespace {

// Lines are those of the build: a text that was changed since shows others.
void complain_of_older_build(const ProgramArguments& arguments, const HeadlessRun& run) {
  const std::string& program = arguments.words[0];
  if (program.find('/') == std::string::npos || !run.snapshots[0]) return;
  std::error_code none;
  const fs::file_time_type built = fs::last_write_time(program, none);
  if (none) return;
  std::set<std::string_view> seen;
  for (const GradientRow& row : run.snapshots[0]->gradients) {
    const std::string_view file = source_place(row.location).file;
    if (file.empty() || file.ends_with(".py") || !seen.insert(file).second) continue;
    for (const std::string& path : source_paths_in({}, run.facts, file)) {
      const fs::file_time_type changed = fs::last_write_time(path, none);
      if (none) continue;
      if (changed > built) {
        complain(
            fmt::format("{} was changed after {} was built: the lines of the answer are those of the build; "
                        "build it again",
                        path, program));
        return;
      }
      break;
    }
  }
}

}  // namespace

HeadlessRun run_recorded(const ProgramArguments& arguments, bool output_is_complaint) {
  const ScratchFolder folder;
  // A file for each process: programs may start others.
  Launch launch = launch_of(arguments, (folder.path() / "%p.tape").string());
  launch.output_is_complaint = output_is_complaint;
  LaunchedProgram program(launch);
  program.wait();
  std::size_t count = 0;
  const std::optional<std::string> file = recording_in(folder.path(), program.process(), count);
  if (!file) throw wrote_nothing(arguments);
  if (count > 1)
    complain(
        fmt::format("{} processes were recorded, this is about one of them; 'tapescope record -o %p.tape -- "
                    "PROGRAM' keeps each",
                    count));
  if (fs::path(*file).stem() == std::to_string(program.process())) write_end_for(program, *file);
  HeadlessRun run = read_recording(*file);
  complain_of_older_build(arguments, run);
  return run;
}

void add_record_command(CliCommand& root) {
  auto options = std::make_shared<Options>();
  CliCommand command =
      root.subcommand("record",
                      "run a program of yours and record it; the exit code is the program's, "
                      "128 and the number for a signal");
  command
      .option(
          "-o,--out", options->out,
          "the recording, %p being the process; the program's name with .tape in this folder if not given")
      .type_name("FILE");
  add_program_arguments(command, options->program,
                        "is what runs: a program that uses Tapescope's library, or PROGRAM.py");
  command.run([options] { return record_command(*options); });
}

}  // namespace tapescope
