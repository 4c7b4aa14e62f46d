// What several clicks in the time of one frame do, and when.
#include "viewer/window/mouse_queue.h"

#include <string>

#include "tests/support/catch.h"
#include "viewer/window/key_queue.h"

namespace tapescope::ui {
namespace {

constexpr MouseQueue::Place kHere{10, 20}, kThere{300, 40};

TEST_CASE("a click is where it was made, wherever the pointer is when a frame is drawn") {
  MouseQueue mouse;
  mouse.button(0, true, kHere, 1.0);
  mouse.button(0, false, kHere, 1.1);
  MouseQueue::Turn turn = mouse.take({.at = kThere}, false);
  CHECK(turn.at == kHere);
  CHECK_FALSE(turn.down[0]);  // what lies under the pointer is known a frame later
  turn = mouse.take({.at = kThere}, false);
  CHECK(turn.at == kHere);
  CHECK(turn.down[0]);
  CHECK_FALSE(mouse.take({.at = kThere}, false).down[0]);
  CHECK_FALSE(mouse.waits());
  CHECK(mouse.take({.at = kThere}, false).at == kThere);
}

TEST_CASE("a drag moves while the button is down, and lets go at its end") {
  MouseQueue mouse;
  mouse.take({.at = kHere}, false);
  mouse.button(0, true, kHere, 1.0);
  mouse.button(0, false, kThere, 1.1);
  CHECK(mouse.take({.at = kThere}, false).down[0]);
  MouseQueue::Turn turn = mouse.take({.at = kThere}, false);
  CHECK(turn.at == kThere);
  CHECK(turn.down[0]);
  CHECK_FALSE(mouse.take({.at = kThere}, false).down[0]);
}

TEST_CASE("two presses are a double click by the time between them, not by the time of frames") {
  for (const double apart : {0.2, 0.5}) {
    MouseQueue mouse;
    mouse.take({.at = kHere}, false);
    for (const double press : {1.0, 1.0 + apart}) {
      mouse.button(0, true, kHere, press);
      mouse.button(0, false, kHere, press + 0.05);
    }
    CHECK_FALSE(mouse.take({.at = kHere}, false).again);
    CHECK_FALSE(mouse.take({.at = kHere}, false).down[0]);
    const MouseQueue::Turn second = mouse.take({.at = kHere}, false);
    CHECK(second.down[0]);
    CHECK(second.again == (apart < MouseQueue::kDoubleClick));
  }
}

TEST_CASE("a press of another button is no double click") {
  MouseQueue mouse;
  mouse.take({.at = kHere}, false);
  mouse.button(0, true, kHere, 1.0);
  mouse.button(0, false, kHere, 1.05);
  mouse.button(1, true, kHere, 1.1);
  mouse.take({.at = kHere}, false);
  mouse.take({.at = kHere}, false);
  const MouseQueue::Turn other = mouse.take({.at = kHere}, false);
  CHECK(other.down[1]);
  CHECK_FALSE(other.again);
}

TEST_CASE("a button that is down where nothing waits stays down") {
  MouseQueue mouse;
  MouseQueue::Turn held{.at = kHere};
  held.down[0] = true;
  CHECK(mouse.take(held, false).down[0]);
  mouse.button(1, true, kHere, 2.0);
  const MouseQueue::Turn both = mouse.take(held, false);
  CHECK(both.down[0]);
  CHECK(both.down[1]);
}

TEST_CASE("a click waits for what was typed before it, and what is typed after it for the click") {
  MouseQueue mouse;
  KeyQueue keys;
  keys.press({.chord = {.key = Key::backspace}});
  keys.press({.chord = {.key = Key::backspace}});
  keys.button(0);
  mouse.button(0, true, kHere, 1.0);
  mouse.button(0, false, kHere, 1.1);
  keys.press({.chord = {.key = Key::a, .ctrl = true}});
  std::string order;
  for (int frame = 0; frame < 12; ++frame) {
    if (mouse.take({.at = kHere}, keys.comes_before_click()).down[0]) order += "click ";
    for (const KeyQueue::Pressed& key : keys.take(true, 0, mouse.waits()).keys)
      order += key.chord.key == Key::a ? "a " : "erase ";
  }
  CHECK(order == "erase erase click a ");
}

}  // namespace
}  // namespace tapescope::ui
