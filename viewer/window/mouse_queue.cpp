// A frame takes one event; one before it brings the pointer to its place.
#include "viewer/window/mouse_queue.h"

#include <cstddef>

namespace tapescope::ui {

void MouseQueue::button(int button, bool down, Place at, double seconds) {
  if (button < 0 || button >= kButtons) return;
  double& pressed = pressed_[static_cast<std::size_t>(button)];
  events_.push_back({button, down, down && pressed >= 0 && seconds - pressed < kDoubleClick, at});
  if (down) pressed = seconds;
}

MouseQueue::Turn MouseQueue::take(const Turn& now, bool hold) {
  shown_.again = false;
  if (events_.empty()) return shown_ = now;
  if (hold) return shown_;
  const Event next = events_.front();
  if (shown_.at != next.at) {
    shown_.at = next.at;
    return shown_;
  }
  shown_.down[static_cast<std::size_t>(next.button)] = next.down;
  shown_.again = next.again;
  events_.pop_front();
  return shown_;
}

}  // namespace tapescope::ui
