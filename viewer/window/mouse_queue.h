// Presses and releases of the mouse where they were made, where several come in the time of one frame.
#pragma once
#include <array>
#include <deque>

namespace tapescope::ui {

// A frame of a slow display lasts longer than a hand needs to click and to move on: taken together, a click
// would be one at the place where the pointer is afterwards, and two of them one.
class MouseQueue {
 public:
  static constexpr int kButtons = 3;
  static constexpr double kDoubleClick = 0.3;  // seconds from one press to the next
  struct Place {
    float x = 0, y = 0;
    bool operator==(const Place&) const = default;
  };
  struct Turn {
    Place at;
    std::array<bool, kButtons> down{};
    bool again = false;  // a press soon after the button's last: a double click, whatever frames last
  };

  void button(int button, bool down, Place at, double seconds);
  // What the next frame sees. `now` is what it sees where nothing waits; nothing new where `hold` asks for
  // it.
  Turn take(const Turn& now, bool hold);
  bool waits() const { return !events_.empty(); }

 private:
  struct Event {
    int button = 0;
    bool down = false, again = false;
    Place at;
  };
  std::deque<Event> events_;
  Turn shown_;
  std::array<double, kButtons> pressed_{-1, -1, -1};  // when each was last pressed, in seconds
};

}  // namespace tapescope::ui
