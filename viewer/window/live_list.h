// The running programs that can be attached to, asked for on a separate thread while they are shown.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "engine/live/place.h"

namespace tapescope::ui {

class LiveList {
 public:
  // `wake` is called on that thread when another list is there.
  explicit LiveList(std::function<void()> wake) : wake_(std::move(wake)) {}
  ~LiveList();
  LiveList(const LiveList&) = delete;
  LiveList& operator=(const LiveList&) = delete;

  // As last seen, oldest first, asked for again every second until rest().
  std::vector<live::Listener> programs();
  void rest();
  // Programs of another machine.
  struct Host {
    std::string address;  // ssh://HOST; empty: none was asked for
    bool asked = false;   // the answer is on its way
    std::vector<live::Listener> programs;
    std::string problem;  // why there is none, one sentence
  };
  Host host() const;
  // Asks that machine, "ssh://HOST" or "HOST", on a separate thread.
  void ask(const std::string& address);
  // Grows with each list that differs from the one before.
  std::uint64_t changes() const { return changes_; }

 private:
  void run();

  const std::function<void()> wake_;
  mutable std::mutex mutex_;
  Host host_;
  std::condition_variable changed_;
  std::vector<live::Listener> found_;
  std::atomic<std::uint64_t> changes_{0};
  bool wanted_ = false, over_ = false;
  std::jthread asking_;
  std::thread thread_;  // from the first programs() on
};

}  // namespace tapescope::ui
