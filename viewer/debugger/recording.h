// Runs to recordings and back: what the command line, the window and the environment's recordings share.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/recording/recorder.h"
#include "viewer/debugger/headless.h"
#include "viewer/model/verdict.h"
#include "viewer/store/recording_source.h"

namespace tapescope {

// Whether a NAME|FILE argument means a file: it is no sample's name and looks or is like one; "-" is standard
// input.
bool names_recording(const std::string& name);

// A sample's variants; none for a program that is no sample.
std::vector<std::string> variants_of(const std::string& sample);

record::ProgramFacts facts_of(const RunRequest& request);
// The name a program gave for itself need not be a sample's.
RunRequest request_of(const record::ProgramFacts& facts);

// Where a program stood when its run was saved.
struct PausedAt {
  std::uint64_t step = 0;
  TapePlace place;
};
void note_paused_at(record::ProgramFacts& facts, const PausedAt& at);
std::optional<PausedAt> paused_at(const record::ProgramFacts& facts);
// How many steps the run was to take; 0 where the recording does not say.
void note_planned_steps(record::ProgramFacts& facts, std::uint64_t steps);
std::uint64_t planned_steps(const record::ProgramFacts& facts);

// Where the file of that name may be, from what its program says and from the current folder.
std::vector<std::string> source_paths_of(const record::ProgramFacts& facts, std::string_view file);
// Of these and of the one in `folder`, those that may be opened unasked, whatever wrote the facts: files in
// that folder or in the current one, and files that are what the facts say of them (record::source_mark).
// Hidden files and folders count as outside of a folder, and the current folder does not count where the
// user's home lies in it.
std::vector<std::string> source_paths_in(const std::string& folder, const record::ProgramFacts& facts,
                                         std::string_view file);
// Of this process, which runs samples.
std::vector<std::string> source_paths_here(std::string_view file);

// The fact that says what a program was not observed for, in a sentence without a full stop.
std::string unseen_by(const record::ProgramFacts& facts);

// One for each program.
std::vector<record::ProgramResults> results_of(const HeadlessRun& run);
// "finished", "interrupted", or what ended it early.
std::string ending_of(const HeadlessRun& run);

// How a recording and its program ended, as far as it was read.
RunEnding ending_of_recording(const RecordingSource::State& state);
// As if what was recorded had just run. `snapshots` are those of programs A and B.
HeadlessRun run_of_recording(const RecordingSource::State& state,
                             const std::shared_ptr<const Snapshot> (&snapshots)[2]);
// Reads a file to its end; what it lacks is reported on standard error. Throws Error (surroundings) for what
// is no recording. `by_digests`: of steps that a digest stands for the ops are not looked at.
HeadlessRun read_recording(const std::string& path, bool by_digests = false);
// The same with the views of all its steps in Snapshot::recent, or of the last ones that have four million
// ops together.
HeadlessRun read_all_steps(const std::string& path);

// Passes what the stores get on to a recorder.
class RecorderTap final : public EventTap {
 public:
  explicit RecorderTap(record::Recorder& recorder) : recorder_(recorder) {}
  void add(std::uint32_t thread, std::span<const Record> records) override { recorder_.add(thread, records); }
  void add_stats(std::span<const StatsEntry> entries) override { recorder_.add_statistics(entries); }
  void clear() override {}

 private:
  record::Recorder& recorder_;
};

// Two recordings of one program each, measured in different runs: ratios of their medians, with the spread of
// each.
Comparison compare_recordings(const HeadlessRun& a, const HeadlessRun& b);

}  // namespace tapescope
