// The running programs that can be attached to, asked for on a separate thread while they are shown.
#pragma once
#include <condition_variable>
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

 private:
  void run();

  const std::function<void()> wake_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<live::Listener> found_;
  bool wanted_ = false, over_ = false;
  std::thread thread_;  // from the first programs() on
};

}  // namespace tapescope::ui
