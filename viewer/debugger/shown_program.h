// A program that the window shows: the sample that runs here, a recording, or a program that runs elsewhere.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "viewer/debugger/kept_frames.h"
#include "viewer/debugger/look_back.h"
#include "viewer/debugger/shown_run.h"
#include "viewer/model/job.h"
#include "viewer/model/job_clock.h"
#include "viewer/store/alert_thresholds.h"
#include "viewer/store/ingest.h"

namespace tapescope {
struct HeadlessRun;
class LiveConnection;
}  // namespace tapescope

namespace tapescope::ui {

class ShownProgram : public ShownRun {
 public:
  // `id` distinguishes those that are shown, for as long as the window lives; the sample's is 0.
  explicit ShownProgram(std::uint64_t id) : id_(id) {}
  std::uint64_t id() const { return id_; }

  // --- what it is
  virtual std::string title() const = 0;           // "mnist-mlp", "rank-0.tape", "line_fit (4711)"
  virtual std::string path() const { return {}; }  // of a recording
  virtual bool is_recording() const { return false; }
  virtual const LiveConnection* attached() const { return nullptr; }  // null where it is not attached to
  // What the toolbar says of it: the sample's name and variant, as far as they are known.
  virtual RunRequest described() const = 0;
  virtual ProcessClock clock() const = 0;
  virtual std::string framework() const { return {}; }  // "TensorFlow 2.21"
  virtual JobPlace place() const { return {}; }
  // Where the program's file of that name may be, the likeliest first.
  virtual std::vector<std::string> source_paths(std::string_view file) const = 0;

  // --- what it did
  virtual RunStatus status() const = 0;
  // Never null; program B is that of a comparison which ran interleaved.
  virtual std::shared_ptr<const Snapshot> snapshot(int program) const = 0;
  // Every command given was carried out, and nothing runs.
  virtual bool at_rest() const = 0;
  // Returns once the snapshots hold every event so far.
  virtual void flush() = 0;
  virtual std::uint64_t dropped() const { return 0; }  // by its source's count
  // What ran so far, for reports. At rest.
  virtual HeadlessRun so_far() const = 0;
  // Writes it as a recording. Returns what that lacks, empty when it is whole. Throws Error (surroundings).
  virtual std::string save(const std::string& path) = 0;

  // --- moves as RunControl has them; each returns why it cannot be made, empty where it is on its way
  virtual void run() {}
  virtual void pause() {}
  virtual std::string stop() = 0;
  virtual std::string seek(std::uint64_t cursor) = 0;
  virtual std::string step_nodes(std::int64_t nodes) = 0;
  virtual std::string step_into() = 0;
  virtual std::string step_training(std::uint64_t steps) = 0;
  virtual std::string run_to_op(std::string_view op) = 0;

  // --- values of ops where it does not stand
  // Of that step's ops, as far as they are known; null where none are.
  virtual std::shared_ptr<const KeptFrames> kept(std::uint64_t step) = 0;
  // Why those of that step cannot be read; empty where they can. A sentence without a full stop.
  virtual std::string why_unread(std::uint64_t step) const = 0;
  // Begins to read them: kept() has them once the program is at rest again.
  virtual void read_values(std::uint64_t) {}

  // --- a step of the past, which snapshot() does not know
  virtual LookBack& look_back() = 0;
  virtual const LookBack& look_back() const = 0;

  virtual void set_thresholds(const AlertThresholds& thresholds) = 0;
  // With each frame that is drawn: takes over what came since.
  virtual void catch_up() {}

 protected:
  // Of what is not the sample: apart from its generations and from each other's.
  std::uint64_t own_generation() const { return (std::uint64_t{1} << 32) + id_; }
  // Events and versions of its stores.
  StoreOptions store_options(const AlertThresholds& thresholds) const {
    return {.thresholds = thresholds, .first_version = id_ << 48};
  }

 private:
  std::uint64_t id_;
};

}  // namespace tapescope::ui
