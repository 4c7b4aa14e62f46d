// The sample that runs in the window's own process.
#pragma once
#include <functional>
#include <memory>

#include "viewer/debugger/shown_program.h"

namespace tapescope {
class Spool;
}

namespace tapescope::ui {

class SampleProgram final : public ShownProgram {
 public:
  // `wake` is called on other threads whenever there is something new to draw.
  explicit SampleProgram(const std::function<void()>& wake);
  ~SampleProgram() override;

  // Ends what ran and forgets its events. Throws Error for unusable options.
  void load(const RunRequest& request);
  // Ends what runs, since something else is shown.
  void end();
  RunControl& control() { return control_; }
  const RunControl& control() const { return control_; }

  std::string title() const override { return control_.request().sample; }
  RunRequest described() const override { return control_.request(); }
  ProcessClock clock() const override;
  std::vector<std::string> source_paths(std::string_view file) const override;
  RunStatus status() const override { return control_.status(); }
  std::shared_ptr<const Snapshot> snapshot(int program) const override;
  bool at_rest() const override { return control_.wait_at_rest(0); }
  void flush() override { ingest_.flush(); }
  std::uint64_t dropped() const override { return ingest_.lost(); }
  HeadlessRun so_far() const override;
  std::string save(const std::string& path) override;

  // Starts, or continues; a start forgets the run before.
  void run() override;
  void pause() override { control_.pause(); }
  std::string stop() override;
  std::string seek(std::uint64_t cursor) override;
  std::string step_nodes(std::int64_t nodes) override;
  std::string step_into() override;
  std::string step_training(std::uint64_t steps) override;
  std::string run_to_op(std::string_view op) override;

  std::shared_ptr<const KeptFrames> kept(std::uint64_t step) override;
  std::string why_unread(std::uint64_t step) const override;
  void read_values(std::uint64_t step) override;
  LookBack& look_back() override { return look_; }
  const LookBack& look_back() const override { return look_; }

  void set_thresholds(const AlertThresholds& thresholds) override { ingest_.set_thresholds(thresholds); }

  const RunRequest& request() const override { return control_.request(); }
  const ProgramResult& result(int program) const override { return control_.result(program); }
  const ComparisonResult& comparison() const override { return control_.comparison(); }

 private:
  record::ProgramFacts facts_;  // of the window's process
  Session session_;
  std::unique_ptr<Spool> spool_;
  Ingest ingest_;
  std::shared_ptr<FrameReader> reader_;  // of the last step that was read, of this generation
  std::uint64_t read_generation_ = 0;
  RunControl control_;  // its thread ends before those that listen to it
  LookBack look_;       // last: its thread reads the spool
};

}  // namespace tapescope::ui
