// The program that is shown: a sample that runs here, or a recording.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "viewer/app/run_control.h"
#include "viewer/store/ingest.h"

namespace tapescope {
struct HeadlessRun;
class RecordingSource;
class Spool;
}  // namespace tapescope

namespace tapescope::ui {

class Debuggee {
 public:
  // `wake` is called on other threads whenever there is something new to draw.
  explicit Debuggee(std::function<void()> wake);
  ~Debuggee();
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
  // What the recording says about its program; empty where none is shown.
  RunRequest recorded_request() const;
  // Writes what is shown as a recording. Returns what it lacks, empty when it is whole. Throws Error (surroundings).
  std::string save(const std::string& path);

  RunControl& control() { return control_; }
  const RunControl& control() const { return control_; }
  RunStatus status() const;
  // Never null.
  std::shared_ptr<const Snapshot> snapshot(int program) const { return shown().store(program).snapshot(); }
  // Every command given was carried out, and nothing runs.
  bool at_rest() const;
  // Returns once the snapshots hold every event so far.
  void flush() { shown().flush(); }
  std::uint64_t dropped() const { return shown().lost(); }
  // For the alerts of what is shown now and later.
  void set_thresholds(const AlertThresholds& thresholds);
  // What ran so far, for reports.
  HeadlessRun so_far() const;

 private:
  const Ingest& shown() const { return opened_ ? *opened_ : ingest_; }
  Ingest& shown() { return opened_ ? *opened_ : ingest_; }
  void close_recording();

  std::function<void()> wake_;
  AlertThresholds thresholds_;
  Session session_;
  std::unique_ptr<Spool> spool_;
  Ingest ingest_;
  std::string path_;                      // of the recording that is shown
  std::unique_ptr<Ingest> opened_;
  RecordingSource* recording_ = nullptr;  // the opened ingest's source
  std::uint64_t openings_ = 0;
  RunControl control_;  // last: its thread ends before those that listen to it
};

}  // namespace tapescope::ui
