// A recording in the window, which may still grow.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "viewer/debugger/recorded_findings.h"
#include "viewer/debugger/recorded_places.h"
#include "viewer/debugger/shown_program.h"
#include "viewer/store/recording_source.h"

namespace tapescope::ui {

class OpenedRecording final : public ShownProgram {
 public:
  // Throws Error (surroundings) for what is no recording; "-" is standard input. `wake` is called on other
  // threads whenever there is something new to draw. `turns`: of the files that are opened together.
  OpenedRecording(std::uint64_t id, const std::string& path, const std::function<void()>& wake,
                  const AlertThresholds& thresholds, std::shared_ptr<ReadingTurns> turns);
  ~OpenedRecording() override;

  std::string title() const override;
  std::string path() const override { return path_; }
  bool is_recording() const override { return true; }
  RunRequest described() const override;
  ProcessClock clock() const override;
  std::string framework() const override;
  JobPlace place() const override;
  std::vector<std::string> source_paths(std::string_view file) const override;
  RunStatus status() const override;
  // Of program A with what was found when it was recorded.
  std::shared_ptr<const Snapshot> snapshot(int program) const override;
  bool at_rest() const override;  // all that is there was read
  void flush() override { ingest_->flush(); }
  std::uint64_t dropped() const override { return ingest_->lost(); }
  HeadlessRun so_far() const override;
  std::string save(const std::string& path) override;

  // Through the values that it holds.
  std::string stop() override;
  std::string seek(std::uint64_t cursor) override { return shown_after(places_.seek(cursor)); }
  std::string step_nodes(std::int64_t nodes) override { return shown_after(places_.step_nodes(nodes)); }
  std::string step_into() override { return shown_after(places_.step_into()); }
  std::string step_training(std::uint64_t steps) override {
    return shown_after(places_.step_training(steps));
  }
  std::string run_to_op(std::string_view op) override { return shown_after(places_.run_to_op(op)); }

  std::shared_ptr<const KeptFrames> kept(std::uint64_t step) override { return places_.kept(step); }
  std::string why_unread(std::uint64_t step) const override;
  LookBack& look_back() override { return look_; }
  const LookBack& look_back() const override { return look_; }

  void set_thresholds(const AlertThresholds& thresholds) override { ingest_->set_thresholds(thresholds); }
  void catch_up() override;

  // What it says of its program, once it was read; empty before.
  const RunRequest& request() const override;
  const ProgramResult& result(int program) const override;
  const ComparisonResult& comparison() const override;

 private:
  // Shows the step in which one stands after a move; what was wrong with it.
  std::string shown_after(std::string wrong);

  std::string path_;
  std::unique_ptr<Ingest> ingest_;
  RecordingSource* source_ = nullptr;  // the ingest's
  RecordedPlaces places_;
  std::unique_ptr<HeadlessRun> told_;
  bool placed_ = false;  // where the saved program stood was looked at
  RecordedFindings findings_;
  LookBack look_;
};

}  // namespace tapescope::ui
