// One program's events as tables: records in, immutable snapshots out.
//
// add(), add_stats() and publish() belong to the ingest thread; snapshot() is for any thread.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

#include "engine/events/records/record.h"
#include "engine/events/session.h"
#include "viewer/store/alert_thresholds.h"
#include "viewer/store/snapshot.h"
#include "viewer/store/source_text.h"

namespace tapescope {

// StoreOptions::summaries of a program that runs, which may be for days: 8 MiB of steps.
inline constexpr std::size_t kSummariesOfRunning = 1u << 16;

struct StoreOptions {
  std::size_t held_steps = 64;         // full records of this many steps are kept,
  std::size_t held_bytes = 64u << 20;  // as long as they fit in here
  std::size_t recent_steps = 8;        // views of this many are in a snapshot,
  std::size_t recent_ops = 20'000;     // as long as they have no more ops together
  std::size_t outside_bytes =
      16u << 20;  // records outside of any step; later ones beyond are counted as lost
  std::size_t log_lines = 100'000;
  // Summaries of steps and points of a metric: the first 512 and the latest. A recording's are all kept, a
  // program that runs for days has a limit.
  std::size_t summaries = ~std::size_t{0};
  AlertThresholds thresholds;
  // Reads what the program calls tensors without a name; absent: ops' names stand.
  SourcePaths source_paths = {};
  // Versions of snapshots count from here: who shows several stores in turn knows them apart by it.
  std::uint64_t first_version = 0;
  std::uint64_t step_base = 0;  // Snapshot::step_base
};

class Store {
 public:
  explicit Store(int program = 0, StoreOptions options = {});
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Records of one thread, in order. A step_begin with a number already seen replaces that step and forgets
  // later ones: the debugger went back.
  void add(std::uint32_t thread, std::span<const Record> records);
  // Summaries of gradients, matched to this program's sources by id; others are ignored.
  void add_stats(std::span<const StatsEntry> entries);
  // For the alerts of the next snapshot on.
  void set_thresholds(const AlertThresholds& thresholds);
  // What the first step is called from the next snapshot on (Snapshot::step_base).
  void set_step_base(std::uint64_t base);
  // Forgets everything.
  void clear();

  // True when something came in since the last publish().
  bool dirty() const;
  // Makes the next snapshot. Costs up to some milliseconds for steps of 100,000 ops. Unless it is to be
  // exact, what is said of a program that marks no steps may lag behind its steps for some seconds.
  void publish(bool exact = true);
  // What the last one took to judge such a program, which has a share of the time by itself; else 0.
  double seconds_judging() const;

  // The latest picture; never null. Any thread.
  std::shared_ptr<const Snapshot> snapshot() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
  mutable std::mutex mutex_;  // guards published_ alone, for the length of a pointer copy
  std::shared_ptr<const Snapshot> published_;
};

}  // namespace tapescope
