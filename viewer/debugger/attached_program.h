// A program that runs elsewhere and that the window is attached to.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "viewer/debugger/live_connection.h"
#include "viewer/debugger/shown_program.h"

namespace tapescope {
class Spool;
}

namespace tapescope::ui {

class AttachedProgram final : public ShownProgram {
 public:
  // `which` is a process id, a name or a socket. Throws Error (surroundings) where it cannot be attached to.
  // `wake` is called on other threads whenever there is something new to draw.
  AttachedProgram(std::uint64_t id, const std::string& which, const std::function<void()>& wake,
                  const AlertThresholds& thresholds);
  ~AttachedProgram() override;  // the program runs on

  LiveConnection& program() { return *program_; }

  std::string title() const override { return program_->title(); }
  const LiveConnection* attached() const override { return program_.get(); }
  RunRequest described() const override;
  ProcessClock clock() const override;
  std::string framework() const override;
  JobPlace place() const override;
  std::vector<std::string> source_paths(std::string_view file) const override;
  RunStatus status() const override;
  std::shared_ptr<const Snapshot> snapshot(int program) const override {
    return program_->ingest().store(program).snapshot();
  }
  bool at_rest() const override { return program_->at_rest(); }
  void flush() override { program_->ingest().flush(); }
  HeadlessRun so_far() const override;
  std::string save(const std::string& path) override;

  void run() override;
  void pause() override { program_->pause(); }
  std::string stop() override { return {}; }  // it is not the window's to end
  std::string seek(std::uint64_t cursor) override;
  std::string step_nodes(std::int64_t nodes) override;
  std::string step_into() override;
  std::string step_training(std::uint64_t steps) override;
  std::string run_to_op(std::string_view op) override;

  // Of the places where it stood; reading adds those from the cursor to the end of the step.
  std::shared_ptr<const KeptFrames> kept(std::uint64_t step) override { return program_->seen(step); }
  std::string why_unread(std::uint64_t step) const override;
  void read_values(std::uint64_t) override { program_->read_rest(); }
  LookBack& look_back() override { return look_; }
  const LookBack& look_back() const override { return look_; }

  void set_thresholds(const AlertThresholds& thresholds) override {
    program_->ingest().set_thresholds(thresholds);
  }

  // Its results are what its events hold, as of the last snapshot.
  const RunRequest& request() const override;
  const ProgramResult& result(int program) const override;
  const ComparisonResult& comparison() const override;

 private:
  const HeadlessRun& results() const;

  std::unique_ptr<Spool> spool_;
  std::unique_ptr<LiveConnection> program_;
  mutable std::unique_ptr<HeadlessRun>
      results_;  // what the last call of results() found, and from which snapshot
  LookBack look_;  // last: its thread reads the spool
};

}  // namespace tapescope::ui
