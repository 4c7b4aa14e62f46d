// Keys and letters in the order they were typed, where several come in the time of one frame.
#pragma once
#include <cstddef>
#include <vector>

#include "viewer/ui/keys.h"

namespace tapescope::ui {

// Where a text field has the keyboard it takes the letters of a frame first and each key once, so a key that
// edits ends the turn of its frame: what follows is for the next ones. A slow display has frames of a second.
class KeyQueue {
 public:
  struct Pressed {
    Chord chord;
    bool character = false;   // it came as a character that the layout gives, not as a key
    bool repeats = false;     // the keyboard repeats it while it is down
    int code = 0;             // GLFW's, 0 for a button of the mouse
    std::size_t letters = 0;  // that wait before it
    bool edits() const { return !character && !repeats && !chord.types(); }
  };
  struct Turn {
    std::vector<Pressed> keys;
    std::size_t letters = 0;  // the first so many of those that wait
  };

  void press(const Pressed& key) { keys_.push_back(key); }
  // A mouse button went down or up: what comes after it waits until a click has done its work.
  void button(std::size_t letters);
  // What the next frame takes; `letters` wait, `typing` is whether a text field has the keyboard, and
  // `clicking` whether the mouse has more to do.
  Turn take(bool typing, std::size_t letters, bool clicking = false);
  // What was typed before a click has not been taken.
  bool comes_before_click() const { return click_frames_ > 0 && keys_before_click_ > 0; }
  const std::vector<Pressed>& waiting() const { return keys_; }
  bool waits() const { return !keys_.empty() || click_frames_ > 0 || rest_ > 0; }

 private:
  std::vector<Pressed> keys_;
  int click_frames_ = 0, rest_ = 0;
  std::size_t keys_before_click_ = 0, letters_before_click_ = 0;
};

}  // namespace tapescope::ui
