// The running programs that can be attached to, asked for on a thread of its own while somebody looks.
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

  // As last seen, oldest first, asked for again every second until it is told to rest.
  std::vector<live::Listener> programs();
  void rest();

 private:
  void run();

  const std::function<void()> wake_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<live::Listener> found_;
  bool wanted_ = false, over_ = false;
  std::thread thread_;  // from the first time that somebody looks
};

}  // namespace tapescope::ui
