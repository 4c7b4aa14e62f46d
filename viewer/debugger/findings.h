// What only running a program once more tells of its run: which op made the first value that is not finite,
// and which ops made gradients zero. Found on a thread of its own.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "viewer/debugger/nonfinite_origin.h"
#include "viewer/debugger/run_control.h"
#include "viewer/debugger/zero_origin.h"
#include "viewer/store/snapshot.h"

namespace tapescope {

class Findings {
 public:
  // `wake` is called on the search's thread when something was found.
  explicit Findings(std::function<void()> wake);
  // Gives up what is under way, after the training step it runs.
  ~Findings();
  Findings(const Findings&) = delete;
  Findings& operator=(const Findings&) = delete;

  // Searches what this snapshot of a run at rest leaves open and was not searched yet; returns at once.
  // `generation` tells runs apart, as in RunStatus.
  void search(std::uint64_t generation, const RunRequest& request,
              const std::shared_ptr<const Snapshot>& snapshot);
  // Somebody else searched: a recording tells what was found of its run and of its last step.
  void know(std::uint64_t last_step, std::optional<NonFiniteOrigin> origin, std::vector<ZeroProof> zeros);
  // Gives up what is under way without waiting for it; nothing is known any more.
  void forget();
  bool caught_up() const;

  std::optional<NonFiniteOrigin> origin() const;
  // Of the snapshot's last complete step.
  std::vector<ZeroProof> zeros(const Snapshot& snapshot) const;
  // The snapshot with what is known put into its alerts and gradients; itself where nothing is.
  std::shared_ptr<const Snapshot> told(const std::shared_ptr<const Snapshot>& snapshot) const;

 private:
  // What is to be searched, or was.
  struct Questions {
    std::optional<std::uint64_t> nonfinite_step;  // the first one
    std::optional<std::uint64_t> zeros_step;
    std::size_t zeros = 0;  // rows of that step: the last statistics may come after the step's end
    bool operator==(const Questions&) const = default;
  };
  struct Task {
    RunRequest request;
    std::shared_ptr<const Snapshot> snapshot;
    Questions questions;
    std::stop_source stop{};
  };
  static Questions questions_of(const Snapshot& snapshot);
  void main();
  void answer(const Task& task);
  void forget_all();  // with the lock held

  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable work_;
  std::optional<Task> next_;
  std::stop_source under_way_{std::nostopstate};
  bool busy_ = false, quit_ = false;
  std::uint64_t generation_ = 0, version_ = 0;  // looked at last
  Questions asked_;
  std::optional<NonFiniteOrigin> origin_;
  std::optional<std::uint64_t> zeros_step_;
  std::vector<ZeroProof> zeros_;
  std::uint64_t revision_ = 0;  // of what is known
  // What told() answered last, and from what.
  mutable std::shared_ptr<const Snapshot> told_of_, told_;
  mutable std::uint64_t told_revision_ = 0;
  std::thread thread_;  // last: it uses the rest
};

}  // namespace tapescope
