// Warnings that are given a few times only, as TensorFlow limits its own.
#pragma once
#include <atomic>
#include <cstdint>

namespace tapescope {

// Lets the first `most` of its calls through: those of the process, and again those of each session, whose
// reader has not seen the ones before. Any thread.
class Limit {
 public:
  explicit constexpr Limit(std::uint32_t most) : most_(most) {}
  bool allows();

 private:
  std::uint32_t most_;
  std::atomic<std::uint64_t> known_{0};  // the session's number above, how often it was asked below
};

// A session has begun to listen.
void restart_limits();

}  // namespace tapescope
