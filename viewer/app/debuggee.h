// The program that is shown: the session that listens to it, the stores its events fill, and its run control.
#pragma once
#include <functional>
#include <memory>

#include "viewer/app/run_control.h"
#include "viewer/store/ingest.h"

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

  RunControl& control() { return control_; }
  const RunControl& control() const { return control_; }
  RunStatus status() const { return control_.status(); }
  // Never null.
  std::shared_ptr<const Snapshot> snapshot(int program) const { return ingest_.store(program).snapshot(); }
  // Every command given was carried out, and nothing runs.
  bool at_rest() const { return control_.wait_at_rest(0); }
  // Returns once the snapshots hold every event so far.
  void flush() { ingest_.flush(); }
  std::uint64_t dropped() const { return ingest_.lost(); }

 private:
  Session session_;
  Ingest ingest_;
  RunControl control_;  // last: its thread ends before those that listen to it
};

}  // namespace tapescope::ui
