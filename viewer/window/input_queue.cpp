// Holding a button has to be repeated each frame: the backend of 1.86 overwrites it with the real one's
// state.
#include "viewer/window/input_queue.h"

#include "viewer/ui/imgui_compat.h"

namespace tapescope::ui {

void InputQueue::move(ImVec2 at) { steps_.push_back({Step::Kind::move, at}); }

void InputQueue::click(ImVec2 at, int button) {
  // Hover is decided on the frame before the press.
  move(at);
  move(at);
  steps_.push_back({Step::Kind::press, at, button});
  steps_.push_back({Step::Kind::release, at, button});
}

void InputQueue::drag(ImVec2 from, ImVec2 to) {
  move(from);
  move(from);
  steps_.push_back({Step::Kind::press, from});
  for (const float t : {0.33f, 0.67f, 1.0f})
    move({from.x + (to.x - from.x) * t, from.y + (to.y - from.y) * t});
  steps_.push_back({Step::Kind::release, to});
}

void InputQueue::wheel(ImVec2 at, float amount) {
  move(at);
  steps_.push_back({Step::Kind::wheel, at, 0, amount});
}

void InputQueue::key(const Chord& chord) {
  steps_.push_back({.kind = Step::Kind::key_down, .chord = chord});
  steps_.push_back({.kind = Step::Kind::key_up, .chord = chord});
}

void InputQueue::text(std::string utf8) {
  steps_.push_back({.kind = Step::Kind::text, .text = std::move(utf8)});
}

void InputQueue::apply(ImGuiIO& io, Workbench& workbench) {
  if (steps_.empty()) {
    if (rest_ > 0) {
      --rest_;
      compat::set_mouse(io, at_);
    }
    return;
  }
  const Step step = steps_.front();
  steps_.pop_front();
  rest_ = 2;
  switch (step.kind) {
    case Step::Kind::move: at_ = step.at; break;
    case Step::Kind::press:
      at_ = step.at;
      pressed_ = true;
      button_ = step.button;
      break;
    case Step::Kind::release:
      at_ = step.at;
      pressed_ = false;
      break;
    case Step::Kind::wheel: at_ = step.at; break;
    case Step::Kind::key_down:
      workbench.key(step.chord, io.WantTextInput);
      compat::set_key(io, step.chord, true);
      break;
    case Step::Kind::key_up: compat::set_key(io, step.chord, false); break;
    case Step::Kind::text: io.AddInputCharactersUTF8(step.text.c_str()); break;
  }
  if (at_.x >= 0) compat::set_mouse(io, at_);
  if (step.kind == Step::Kind::press || step.kind == Step::Kind::release || pressed_) {
    compat::set_button(io, button_, pressed_);
  }
  if (step.kind == Step::Kind::wheel) compat::add_wheel(io, step.amount);
}

}  // namespace tapescope::ui
