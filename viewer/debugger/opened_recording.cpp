// A separate ingest reads the file; results and places are taken over as they come.
#include "viewer/debugger/opened_recording.h"

#include <filesystem>
#include <utility>

#include "engine/recording/process_facts.h"
#include "viewer/debugger/headless.h"
#include "viewer/debugger/recording.h"

namespace tapescope::ui {
namespace {

void replay(const std::string& path, const RecordSink& sink) {
  using Item = record::RecordingReader::Item;
  if (path == "-") {
    throw Error(ErrorKind::surroundings,
                "what came from standard input is read once, so that only its last step can be shown; write "
                "it to a file on its way, as with tee run.tape, and open that");
  }
  record::RecordingReader reader = record::RecordingReader::open(path);
  for (Item item = reader.next(); item != Item::end && item != Item::waiting; item = reader.next()) {
    if (item == Item::statistics && !sink.statistics(reader.statistics())) return;
    if (item == Item::events && !sink.events(reader.events())) return;
  }
}

// An ending that needs looking at: that the user stopped the run is none.
RunEnding bad_ending(const RecordingSource::State& state) {
  RunEnding ending = ending_of_recording(state);
  const bool stopped =
      ending.loss.empty() && ending.program && ending.program->how == ProgramEnd::interrupted;
  return stopped ? RunEnding{} : ending;
}

}  // namespace

OpenedRecording::OpenedRecording(std::uint64_t id, const std::string& path, const std::function<void()>& wake,
                                 const AlertThresholds& thresholds, std::shared_ptr<ReadingTurns> turns)
    : ShownProgram(id),
      path_(path),
      told_(std::make_unique<HeadlessRun>()),
      look_([path](const RecordSink& sink) { replay(path, sink); },
            [this](std::string_view file) { return source_paths(file); }, wake) {
  // Standard input ends by itself; a file may be one that is still written.
  record::RecordingReader reader =
      record::RecordingReader::open(path, {.follow = path != "-", .digests = true});
  reader.check_header();
  // One that waits for standard input would keep the others from their turn.
  auto source =
      std::make_unique<RecordingSource>(std::move(reader), path == "-" ? nullptr : std::move(turns));
  source_ = source.get();
  StoreOptions options = store_options(thresholds);
  options.source_paths = [this](std::string_view file) { return source_paths(file); };
  ingest_ = std::make_unique<Ingest>(std::move(source), options);
  ingest_->on_publish(wake);
}

OpenedRecording::~OpenedRecording() = default;

std::string OpenedRecording::title() const {
  return path_ == "-" ? "standard input" : std::filesystem::path(path_).filename().string();
}

RunRequest OpenedRecording::described() const {
  RunRequest request = request_of(*source_->without_results().facts);
  if (request.sample.empty()) request.sample = std::filesystem::path(path_).stem().string();
  return request;
}

ProcessClock OpenedRecording::clock() const {
  return clock_of(*source_->without_results().facts, ingest_->store(0).snapshot().get());
}

std::string OpenedRecording::framework() const {
  return record::framework_text(*source_->without_results().facts);
}

JobPlace OpenedRecording::place() const { return place_in_job(*source_->without_results().facts); }

std::vector<std::string> OpenedRecording::source_paths(std::string_view file) const {
  return source_paths_in(std::filesystem::path(path_).parent_path().string(),
                         *source_->without_results().facts, file);
}

RunStatus OpenedRecording::status() const {
  const RecordingSource::State state = source_->without_results();
  RunStatus status;
  status.mode = state.caught_up ? RunMode::finished : RunMode::running;
  status.generation = own_generation();
  status.step = snapshot(0)->steps.size();
  status.steps = status.step;
  if (const std::uint64_t planned = planned_steps(*state.facts); planned > 0) status.steps = planned;
  if (places_.frame()) {
    status.mode = RunMode::paused;
    status.frame = places_.frame();
  }
  status.error = state.loss;
  if (const RunEnding ending = bad_ending(state); !ending.well()) status.error = sentence_of(ending);
  status.unseen = unseen_by(*state.facts);
  return status;
}

std::shared_ptr<const Snapshot> OpenedRecording::snapshot(int program) const {
  auto snapshot = ingest_->store(program).snapshot();
  return program == 0 ? findings_.with_findings(snapshot) : snapshot;
}

bool OpenedRecording::at_rest() const { return source_->without_results().caught_up; }

HeadlessRun OpenedRecording::so_far() const {
  return run_of_recording(source_->state(), {snapshot(0), snapshot(1)});
}

std::string OpenedRecording::save(const std::string& path) {
  if (path_ == "-") {
    throw Error(
        ErrorKind::surroundings,
        "cannot save what came from standard input, which is read once; write it to a file on its way, as "
        "with tee run.tape, and open that");
  }
  std::error_code wrong;
  std::filesystem::copy_file(path_, path, std::filesystem::copy_options::overwrite_existing, wrong);
  if (wrong) {
    throw Error(ErrorKind::surroundings, "cannot save " + path_ + " as " + path + " (" + wrong.message() +
                                             "); give a path in a folder that can be written to");
  }
  return source_->without_results().loss;
}

std::string OpenedRecording::stop() {
  places_.leave();
  look_.leave();
  return {};
}

std::string OpenedRecording::shown_after(std::string wrong) {
  if (!wrong.empty() || !places_.frame()) return wrong;
  const auto last = snapshot(0)->complete;
  if (last && last->step != places_.frame()->step) look_.go_to(places_.frame()->step);
  else look_.leave();
  return {};
}

std::string OpenedRecording::why_unread(std::uint64_t step) const {
  const std::string why = places_.why_not(step);
  return why.empty() ? "a recording has the values that were kept when it was made" : why;
}

void OpenedRecording::catch_up() {
  const RecordingSource::State state = source_->without_results();
  places_.update(state.values);
  if (!state.caught_up || std::exchange(placed_, true)) return;
  flush();  // what was found is of the last step: it is to be there
  findings_.know_end(alert_of(bad_ending(state)));
  *told_ = so_far();
  if (const auto step = snapshot(0)->complete) findings_.know(step->step, told_->origins[0], told_->zeros[0]);
  if (const std::optional<PausedAt> at = paused_at(*state.facts))
    shown_after(places_.go_to(at->step, at->place));
}

const RunRequest& OpenedRecording::request() const { return told_->request; }
const ProgramResult& OpenedRecording::result(int program) const { return told_->programs[program]; }
const ComparisonResult& OpenedRecording::comparison() const { return told_->comparison; }

}  // namespace tapescope::ui
