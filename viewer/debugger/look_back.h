// A step of the past, shown in place of the last one: what was recorded is read again up to that step's end,
// on a separate thread.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "viewer/debugger/record_sink.h"
#include "viewer/store/store.h"

namespace tapescope {

class LookBack {
 public:
  // `replay` hands over a run from its first record on, until a sink wants no more; on another thread, as
  // `wake` is called when a step is there. It may throw Error, whose sentence take_failure() has.
  using Replay = std::function<void(const RecordSink&)>;
  LookBack(Replay replay, SourcePaths source_paths, std::function<void()> wake);
  ~LookBack();
  LookBack(const LookBack&) = delete;
  LookBack& operator=(const LookBack&) = delete;

  // Begins to read that step, which has ended; until it is there the one before is shown.
  void go_to(std::uint64_t step);
  // Back to what the program did last.
  void leave();
  // The step that is shown, or read; empty where it is the last one.
  std::optional<std::uint64_t> step() const;
  bool reads() const;
  // Why the last one cannot be shown, once; empty where it can.
  std::string take_failure();
  // The run with that step in place of its last one; itself where none is there. Its steps, metrics and
  // alerts stay those of the whole run.
  std::shared_ptr<const Snapshot> of(const std::shared_ptr<const Snapshot>& run) const;

 private:
  struct Reading {
    std::atomic<bool> over{false};
    std::jthread thread;
  };
  std::shared_ptr<const Snapshot> read(std::uint64_t step, const std::stop_token& stop) const;
  void let_go();

  const Replay replay_;
  const SourcePaths source_paths_;
  const std::function<void()> wake_;
  mutable std::mutex mutex_;  // guards what follows
  std::uint64_t asked_ = 0;  // how often; what an earlier call began to read is of no use
  std::optional<std::uint64_t> wanted_, there_;
  std::shared_ptr<const Snapshot> then_;  // as of the end of the step that is there
  std::string failure_;
  mutable std::shared_ptr<const Snapshot> shown_of_, shown_;  // what of() answered last, and from what
  // Those before the last were asked to end, which the judging of a long run does not do at once.
  std::list<Reading> readings_;
};

}  // namespace tapescope
