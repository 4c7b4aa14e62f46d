// By the age of the oldest bytes under way: buffers of the system and of ssh hold megabytes, which a socket
// that takes more says nothing about.
#include "engine/live/line.h"

#include <algorithm>

namespace tapescope::live {
namespace {

using namespace std::chrono_literals;

constexpr auto kBehind = 1s;  // a window that is later does not look live
constexpr auto kKeepsUp =
    400ms;  // the viewer says every 100 ms what it has got; lines of half a second are rare
constexpr auto kBetween = 500ms;            // a change shows in the line after that
constexpr auto kCalm = 3s;                  // before it is tried with more
constexpr std::uint64_t kFew = 256u << 10;  // bytes: a viewer that is slow for a moment has them soon
constexpr auto kBetweenMarks = 20ms;

}  // namespace

void Line::given(std::uint64_t bytes, Clock::time_point now) {
  given_ = bytes;
  if (!speaks_) return;
  if (marks_.empty() || now - marks_.back().at >= kBetweenMarks) marks_.push_back({bytes, now});
}

void Line::arrived(std::uint64_t bytes, Clock::time_point now) {
  speaks_ = true;
  arrived_ = std::max(arrived_, bytes);
  auto took = Clock::duration::max();
  for (; !marks_.empty() && marks_.front().bytes <= arrived_; marks_.pop_front())
    took = now - marks_.front().at;
  if (was_full_ && took < kKeepsUp) {
    window_ = std::min(2 * window_, kMostWindow);
    was_full_ = false;
  }
}

bool Line::has_room() {
  const bool full = speaks_ && given_ - arrived_ >= window_;
  was_full_ |= full;
  return !full;
}

std::uint64_t Line::every(Clock::time_point now) {
  const auto age = marks_.empty() ? Clock::duration(0) : now - marks_.front().at;
  if (age > kKeepsUp) behind_ = now;
  if (now - changed_ < kBetween) return every_;
  const bool late = age > kBehind && given_ - arrived_ > kFew;
  // Full for so long, although the window was tried larger: more is made than is carried.
  const bool full = was_full_ && now - changed_ > 2 * kBetween;
  if ((late || full) && every_ < kMostEvery) {
    every_ *= 2;
    window_ = std::max(window_ / 2, kLeastWindow);
    was_full_ = false;
    changed_ = now;
  } else if (every_ > 1 && now - std::max(behind_, changed_) > kCalm) {
    every_ /= 2;
    changed_ = now;
  }
  return every_;
}

}  // namespace tapescope::live
