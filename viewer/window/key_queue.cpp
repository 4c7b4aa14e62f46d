// A turn is what one frame takes.
#include "viewer/window/key_queue.h"

#include <algorithm>

namespace tapescope::ui {
namespace {

constexpr int kFramesOfClick = 2;  // one sees the button pressed, one released; then what it does is done
constexpr int kFramesOfFocus = 2;  // until the field that a key leads to takes letters

}  // namespace

void KeyQueue::button(std::size_t letters) {
  if (click_frames_ == 0) {
    keys_before_click_ = keys_.size();
    letters_before_click_ = letters;
  }
  click_frames_ = kFramesOfClick;
}

KeyQueue::Turn KeyQueue::take(bool typing, std::size_t letters, bool clicking) {
  if (rest_ > 0) {
    --rest_;
    return {};
  }
  const bool clicks = click_frames_ > 0;
  const std::size_t ready = clicks ? keys_before_click_ : keys_.size();
  Turn turn{.letters = clicks ? letters_before_click_ : letters};
  std::size_t taken = 0;
  for (bool ends = false; taken < ready && !ends; ++taken) {
    const Pressed& key = keys_[taken];
    turn.keys.push_back(key);
    ends = key.edits() && (typing || key.chord.ctrl);
    if (!ends) continue;
    turn.letters = std::min(turn.letters, key.letters);
    if (key.chord.ctrl || key.chord.key == Key::tab || key.chord.key == Key::enter) rest_ = kFramesOfFocus;
  }
  keys_.erase(keys_.begin(), keys_.begin() + static_cast<std::ptrdiff_t>(taken));
  for (Pressed& key : keys_) key.letters -= std::min(key.letters, turn.letters);
  if (clicks) {
    keys_before_click_ -= taken;
    letters_before_click_ -= turn.letters;
    // What was typed before the click comes before it.
    if (keys_before_click_ == 0 && !clicking) --click_frames_;
  }
  return turn;
}

}  // namespace tapescope::ui
