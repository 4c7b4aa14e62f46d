// Elements made ahead on a separate thread.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace tapescope {

// Calls `produce` on its thread until it gives nothing, never more than `depth` results ahead. What it throws
// comes out of next() in its place. Ends its thread when it is destroyed.
template <class T>
class Prefetcher {
 public:
  Prefetcher(std::function<std::optional<T>()> produce, std::size_t depth)
      : produce_(std::move(produce)), depth_(depth), thread_([this] { run(); }) {}
  ~Prefetcher() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    room_.notify_all();
    thread_.join();
  }
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  // The next result; nothing at the end.
  std::optional<T> next() {
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [this] { return !results_.empty() || ended_; });
    if (results_.empty()) {
      if (failure_) std::rethrow_exception(failure_);
      return std::nullopt;
    }
    std::optional<T> result(std::move(results_.front()));
    results_.pop_front();
    lock.unlock();
    room_.notify_one();
    return result;
  }

 private:
  void run() {
    while (true) {
      std::optional<T> result;
      std::exception_ptr failure;
      try {
        result = produce_();
      } catch (...) {
        failure = std::current_exception();
      }
      std::unique_lock lock(mutex_);
      const bool more = result.has_value();
      if (more) results_.push_back(std::move(*result));
      else ended_ = true;
      failure_ = failure;
      ready_.notify_one();
      if (!more) return;
      room_.wait(lock, [this] { return results_.size() < depth_ || stop_; });
      if (stop_) return;
    }
  }

  std::function<std::optional<T>()> produce_;
  std::size_t depth_;
  std::mutex mutex_;
  std::condition_variable ready_, room_;
  std::deque<T> results_;
  std::exception_ptr failure_;
  bool ended_ = false, stop_ = false;
  std::thread thread_;  // last: it uses all the others
};

}  // namespace tapescope
