// The program that is shown: a sample that runs here, a recording, or a program that runs elsewhere.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "viewer/app/findings.h"
#include "viewer/app/recorded_places.h"
#include "viewer/app/shown_run.h"
#include "viewer/store/ingest.h"

namespace tapescope {
struct HeadlessRun;
class LiveProgram;
class RecordingSource;
class Spool;
}  // namespace tapescope

namespace tapescope::ui {

class Debuggee final : public ShownRun {
 public:
  // `wake` is called on other threads whenever there is something new to draw.
  explicit Debuggee(std::function<void()> wake);
  ~Debuggee() override;
  Debuggee(const Debuggee&) = delete;
  Debuggee& operator=(const Debuggee&) = delete;

  // Ends what ran and forgets its events. Throws Error for unusable options.
  void load(const RunRequest& request);
  // Starts, or continues; a start forgets the run before.
  void run();
  // Ends what ran and shows a recording, which may still grow. Throws Error (surroundings) for what is none, and keeps
  // what was shown.
  void open(const std::string& path);
  bool shows_recording() const { return recording_ != nullptr; }
  // Ends what ran and shows a running program, given by process id, name or socket. Throws Error (surroundings) where it cannot
  // be attached to, and keeps what was shown.
  void attach(const std::string& which);
  // The program runs on; what it did so far stays to be seen.
  void detach();
  // The program that was attached to last; null where something else is shown.
  const LiveProgram* live() const { return live_.get(); }
  // The window is there and does not hang: a program that stands for it is let go where nobody says so for ten seconds.
  void still_here();
  // What the program said that somebody should read; empty when nothing. With each frame that is drawn.
  std::string take_news();
  // What the recording or the attached program says about itself; empty where none is shown.
  RunRequest recorded_request() const;
  // Writes what is shown as a recording. Returns what it lacks, empty when it is whole. Throws Error (surroundings).
  std::string save(const std::string& path);

  // Moves as RunControl has them, of what is shown: through the values of a recording too. Each returns why it cannot be
  // made; empty where it is on its way.
  std::string seek(std::uint64_t cursor);
  std::string step_nodes(std::int64_t nodes);
  std::string step_into();
  std::string step_training(std::uint64_t steps);
  std::string run_to_op(std::string_view op);
  std::string stop();
  void pause();
  void set_breakpoints(std::vector<BreakRule> rules);
  std::vector<BreakRule> breakpoints() const;

  // Takes what the recording told since the last call, or has searched what a run at rest leaves open; with each frame that
  // is drawn.
  void catch_up();

  RunControl& control() { return control_; }
  const RunControl& control() const { return control_; }
  RunStatus status() const;
  // Never null. Of program A with what a second run of it told.
  std::shared_ptr<const Snapshot> snapshot(int program) const;
  // Every command given was carried out, and nothing runs but the search of findings.
  bool at_rest() const;
  // Nothing is searched that the last snapshot would tell.
  bool searched() const { return findings_.caught_up(); }
  // Returns once the snapshots hold every event so far.
  void flush() { shown().flush(); }
  // Beside those that the snapshots tell of.
  std::uint64_t dropped() const { return live_ ? 0 : shown().lost(); }
  // For the alerts of what is shown now and later.
  void set_thresholds(const AlertThresholds& thresholds);
  // What ran so far, for reports.
  HeadlessRun so_far() const;
  const RunRequest& request() const override;
  const ProgramResult& result(int program) const override;
  const ComparisonResult& comparison() const override;

 private:
  const Ingest& shown() const;
  Ingest& shown() { return const_cast<Ingest&>(std::as_const(*this).shown()); }
  void close_recording();

  std::function<void()> wake_;
  AlertThresholds thresholds_;
  Session session_;
  std::unique_ptr<Spool> spool_;
  Ingest ingest_;
  std::string path_;                      // of the recording that is shown
  std::unique_ptr<Ingest> opened_;
  RecordingSource* recording_ = nullptr;  // the opened ingest's source
  RecordedPlaces places_;
  std::unique_ptr<HeadlessRun> recorded_;  // what the recording says of its program, once it was read
  bool placed_ = false;                    // where the saved program stood was looked at
  std::unique_ptr<Spool> live_spool_;
  std::unique_ptr<LiveProgram> live_;
  std::uint64_t openings_ = 0;            // of recordings and programs
  Findings findings_;
  RunControl control_;  // last: its thread ends before those that listen to it
};

}  // namespace tapescope::ui
