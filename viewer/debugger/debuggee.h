// The programs that are shown: the sample that runs here, recordings, programs that run elsewhere. One of
// them is in focus: it is program A of every panel, and moves go to it. Another one may stand beside it as
// program B.
#pragma once
#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "viewer/debugger/launcher.h"
#include "viewer/debugger/sample_program.h"
#include "viewer/store/recording_source.h"

namespace tapescope::ui {

class AttachedProgram;

class Debuggee {
 public:
  // `wake` is called on other threads whenever there is something new to draw.
  explicit Debuggee(std::function<void()> wake);
  ~Debuggee();
  Debuggee(const Debuggee&) = delete;
  Debuggee& operator=(const Debuggee&) = delete;

  // --- which programs
  // Where something that is opened goes: to the place of the program in focus, which ends, or beside those
  // that are open.
  enum class Where : std::uint8_t { instead, beside };
  // Makes a sample ready in place of the program in focus, or where a sample is open already; that takes the
  // focus. Throws Error for unusable options.
  void load(const RunRequest& request);
  // A recording, which may still grow. Throws Error (surroundings) for what is none, and keeps what was
  // shown.
  void open(const std::string& path, Where where = Where::instead);
  // A running program, given by process id, name or socket. Throws Error (surroundings) where it cannot be
  // attached to, and keeps what was shown.
  void attach(const std::string& which, Where where = Where::instead);
  // Starts a program, which catch_up() attaches to once it stands before its first op. Ends the one that was
  // started before and runs. Throws Error (surroundings) where it cannot be started.
  void launch(Launch launch, Where where = Where::instead);
  // How the program in focus was started, where that was done here; else null.
  const Launch* launched() const;
  const Launcher& launcher() const { return launcher_; }
  // Waits until it is attached to. Throws Error (surroundings) where that cannot be.
  void await_launched();
  // Ends it, also where it is not attached to yet.
  void end_launched() { launcher_.end(); }
  // What has come of launch(), once: where what was started has been placed, or why it was not.
  struct Launched {
    std::optional<Where> where;
    std::string failure;
  };
  Launched take_launched() { return std::exchange(arrived_, {}); }
  // In the order they were opened; never empty.
  const std::vector<std::shared_ptr<ShownProgram>>& programs() const { return programs_; }
  std::size_t focus() const { return focus_; }
  void set_focus(std::size_t program);
  std::optional<std::size_t> beside() const { return beside_; }
  void set_beside(std::optional<std::size_t> program);  // any but the one in focus
  // Of several: a recording is closed, an attached program runs on, a sample ends. The next one takes the
  // focus where it had it.
  void let_go(std::size_t program);
  // Nothing was opened and no step of the sample is shown.
  bool untouched() const;

  const ShownProgram& shown() const { return *programs_[focus_]; }  // in focus
  ShownProgram& shown() { return *programs_[focus_]; }
  const ShownProgram* second() const { return beside_ ? programs_[*beside_].get() : nullptr; }  // beside it
  RunControl& control() { return sample_->control(); }
  const RunControl& control() const { return sample_->control(); }

  // --- of the program in focus
  bool shows_recording() const { return shown().is_recording(); }
  const LiveConnection* live() const { return shown().attached(); }
  // The program runs on; what it did so far stays to be seen.
  void detach();
  void run();
  // Of a rank of a job that is attached to: all its attached ranks, so that none waits in an exchange for one
  // that stands until it times out. The same holds where one stops at a breakpoint.
  void pause();
  std::string stop() { return shown().stop(); }
  std::string seek(std::uint64_t cursor) { return shown().seek(cursor); }
  std::string step_nodes(std::int64_t nodes) { return shown().step_nodes(nodes); }
  std::string step_into() { return shown().step_into(); }
  std::string step_training(std::uint64_t steps);  // of a job: all ranks
  std::string run_to_op(std::string_view op) { return shown().run_to_op(op); }
  // Those of a recording are the sample's: it is what may run.
  void set_breakpoints(std::vector<Breakpoint> breakpoints);
  std::vector<Breakpoint> breakpoints() const;
  std::string save(const std::string& path) { return shown().save(path); }
  RunStatus status() const { return shown().status(); }
  std::shared_ptr<const Snapshot> snapshot(int program) const { return shown().snapshot(program); }
  // Events that were lost, in all: most are counted twice, by their source and by the records that say so.
  std::uint64_t dropped() const { return std::max(shown().dropped(), snapshot(0)->lost_events); }
  HeadlessRun so_far() const;
  // Results at rest, of the program beside it as well; null for an attached program alone, which answers
  // nothing but events.
  const ShownRun* results() const;

  // --- of all programs
  void pause_all();  // those that run
  void run_all();    // those that are paused
  // The program in focus is at rest, recordings were read, and all that pause_all() asked to pause did.
  bool at_rest() const;
  // Any of them runs or, where it is a recording, is being read.
  bool runs() const;
  bool reads_recordings() const;
  void flush();
  // For the alerts of what is shown now and later.
  void set_thresholds(const AlertThresholds& thresholds);
  // With each frame that is drawn: takes what they reported since the last call.
  void catch_up();
  // The window is there and does not hang: a program that stands for it is let go without this call for
  // ten seconds.
  void still_here();
  // A sentence of one of them that the user should read; empty when there is none. With each frame that is
  // drawn.
  std::string take_news();

 private:
  void place(std::shared_ptr<ShownProgram> program, Where where);
  std::optional<std::size_t> place_of_sample() const;
  AttachedProgram* attached(std::size_t program) const;
  const ShownProgram* launched_program() const;  // null where it is not open
  bool shows_launched() const;
  // The attached ranks of the job that the program is one of, itself among them; it alone where it is of
  // none.
  std::vector<ShownProgram*> job_of(const ShownProgram& program) const;
  void pause_jobs_of_stopped();
  void meet_launched();

  // A and B that ran apart.
  class Pair final : public ShownRun {
   public:
    explicit Pair(const Debuggee& of) : of_(of) {}
    const RunRequest& request() const override { return of_.shown().request(); }
    const ProgramResult& result(int program) const override {
      return (program == 0 ? of_.shown() : *of_.second()).result(0);
    }
    const ComparisonResult& comparison() const override;

   private:
    const Debuggee& of_;
    mutable ComparisonResult found_;
  };

  std::function<void()> wake_;
  AlertThresholds thresholds_;
  std::shared_ptr<SampleProgram> sample_;  // open or not
  std::vector<std::shared_ptr<ShownProgram>> programs_;
  std::size_t focus_ = 0;
  std::optional<std::size_t> beside_;
  Launcher launcher_;
  Where launch_where_ = Where::instead;
  Launched arrived_;
  std::uint64_t openings_ = 0;  // of recordings and programs
  std::shared_ptr<ReadingTurns> turns_;
  bool all_to_pause_ = false;
  std::vector<std::uint64_t> stood_;  // ids of programs that stood at the last catch_up()
  Pair pair_{*this};
};

}  // namespace tapescope::ui
