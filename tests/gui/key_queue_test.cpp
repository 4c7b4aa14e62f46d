// What several keys in the time of one frame do, and when.
#include "viewer/window/key_queue.h"

#include "tests/support/catch.h"

namespace tapescope::ui {
namespace {

KeyQueue::Pressed press(Key key, std::size_t letters, bool ctrl = false) {
  return {.chord = {.key = key, .ctrl = ctrl}, .letters = letters};
}

TEST_CASE("letters are taken up to the key that edits what stands then") {
  KeyQueue queue;
  queue.press(press(Key::a, 0));
  queue.press(press(Key::backspace, 1));
  queue.press(press(Key::b, 1));
  const KeyQueue::Turn first = queue.take(true, 2);
  CHECK(first.letters == 1);
  REQUIRE(first.keys.size() == 2);
  CHECK(first.keys.back().chord.key == Key::backspace);
  CHECK(queue.waits());
  const KeyQueue::Turn second = queue.take(true, 1);
  CHECK(second.letters == 1);
  CHECK(second.keys.size() == 1);
  CHECK(!queue.waits());
}

TEST_CASE("a key that is pressed twice edits twice, one that is held is the text field's to repeat") {
  KeyQueue queue;
  queue.press(press(Key::left, 0));
  queue.press(press(Key::left, 0));
  CHECK(queue.take(true, 0).keys.size() == 1);
  CHECK(queue.take(true, 0).keys.size() == 1);
  for (int i = 0; i < 3; ++i) {
    KeyQueue::Pressed repeated = press(Key::left, 0);
    repeated.repeats = true;
    queue.press(repeated);
  }
  CHECK(queue.take(true, 0).keys.size() == 3);
}

TEST_CASE("without a text field all keys of a frame act in it") {
  KeyQueue queue;
  for (int i = 0; i < 3; ++i) queue.press(press(Key::f10, 0));
  CHECK(queue.take(false, 0).keys.size() == 3);
}

TEST_CASE("what follows a command or a Tab waits until its field has the keyboard") {
  for (const KeyQueue::Pressed& leads : {press(Key::l, 0, true), press(Key::tab, 0)}) {
    KeyQueue queue;
    queue.press(leads);
    queue.press(press(Key::x, 0));
    const KeyQueue::Turn first = queue.take(true, 1);
    CHECK(first.letters == 0);
    CHECK(first.keys.size() == 1);
    int frames = 0;
    for (; queue.take(true, 1).letters == 0; ++frames) REQUIRE(queue.waits());
    CHECK(frames == 2);
  }
}

TEST_CASE("keys before a click come before it, those after it when it has done its work") {
  KeyQueue queue;
  queue.press(press(Key::a, 0));
  queue.button(1);
  queue.button(1);
  queue.press(press(Key::a, 1, true));
  const KeyQueue::Turn first = queue.take(true, 1);
  CHECK(first.letters == 1);
  CHECK(first.keys.size() == 1);
  CHECK(queue.take(true, 0).keys.empty());
  CHECK(queue.take(true, 0).keys.size() == 1);
}

}  // namespace
}  // namespace tapescope::ui
