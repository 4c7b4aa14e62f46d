// How far a viewer is behind, by what it says that it has got.
#pragma once
#include <chrono>
#include <cstdint>
#include <deque>

namespace tapescope::live {

// Of every how many steps a line carries the ops, and how many bytes may be under way. N begins with 1,
// doubles while the viewer is more than a second and 256 KiB behind, and halves when it has kept up for three
// seconds. Of a viewer that never says what it has got nothing is known: N stays 1, and there is always room.
class Line {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::uint64_t kMostEvery = 1u << 10;
  static constexpr std::uint64_t kLeastWindow = 1u << 20, kMostWindow = 16u << 20;

  // Bytes given to the line so far, all in all.
  void given(std::uint64_t bytes, Clock::time_point now);
  // Bytes that the viewer says it has got.
  void arrived(std::uint64_t bytes, Clock::time_point now);
  // Now and then; returns N.
  std::uint64_t every(Clock::time_point now);
  // Whether more is to be given: else it would wait in buffers, where nothing can be left out of it any more.
  bool has_room();

 private:
  struct Mark {
    std::uint64_t bytes = 0;
    Clock::time_point at;
  };
  std::deque<Mark> marks_;  // not arrived yet
  std::uint64_t given_ = 0, arrived_ = 0;
  std::uint64_t window_ = kLeastWindow;  // bytes
  bool speaks_ = false, was_full_ = false;
  std::uint64_t every_ = 1;
  Clock::time_point changed_{}, behind_{};
};

}  // namespace tapescope::live
