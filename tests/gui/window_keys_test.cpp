// What GLFW's key codes are called. Letters, digits and signs need a keyboard: hand_test.py types them.
#include "viewer/window/window_keys.h"

#include <GLFW/glfw3.h>

#include <utility>
#include <vector>

#include "tests/support/catch.h"

namespace tapescope::ui {
namespace {

TEST_CASE("the keys without a letter have GLFW's codes, with what is held down beside them") {
  for (int number = 1; number <= 12; ++number)
    CHECK(text_of({key_of_glfw(GLFW_KEY_F1 + number - 1, 0)}) == "F" + std::to_string(number));
  const std::vector<std::pair<int, Key>> named = {{GLFW_KEY_HOME, Key::home},
                                                  {GLFW_KEY_END, Key::end},
                                                  {GLFW_KEY_LEFT, Key::left},
                                                  {GLFW_KEY_RIGHT, Key::right},
                                                  {GLFW_KEY_UP, Key::up},
                                                  {GLFW_KEY_DOWN, Key::down},
                                                  {GLFW_KEY_PAGE_UP, Key::page_up},
                                                  {GLFW_KEY_PAGE_DOWN, Key::page_down},
                                                  {GLFW_KEY_ESCAPE, Key::escape},
                                                  {GLFW_KEY_ENTER, Key::enter},
                                                  {GLFW_KEY_KP_ENTER, Key::enter},
                                                  {GLFW_KEY_TAB, Key::tab},
                                                  {GLFW_KEY_SPACE, Key::space},
                                                  {GLFW_KEY_BACKSPACE, Key::backspace},
                                                  {GLFW_KEY_DELETE, Key::del},
                                                  {GLFW_KEY_INSERT, Key::insert},
                                                  {GLFW_KEY_PAUSE, Key::pause},
                                                  {GLFW_KEY_KP_ADD, Key::plus},
                                                  {GLFW_KEY_KP_SUBTRACT, Key::minus},
                                                  {GLFW_KEY_F25, Key::none},
                                                  {GLFW_KEY_LEFT_SHIFT, Key::none}};
  for (const auto& [code, key] : named) {
    INFO(code);
    CHECK(key_of_glfw(code, 0) == key);
  }
  CHECK(chord_of_glfw(GLFW_KEY_F10, 0, GLFW_MOD_SHIFT) == Chord{.key = Key::f10, .shift = true});
  CHECK(chord_of_glfw(GLFW_KEY_F5, 0, GLFW_MOD_CONTROL) == Chord{.key = Key::f5, .ctrl = true});
  CHECK(chord_of_glfw(GLFW_KEY_LEFT, 0, GLFW_MOD_ALT) == Chord{.key = Key::left, .alt = true});
  // Whether + needs shift is the keyboard's matter.
  CHECK(chord_of_glfw(GLFW_KEY_KP_ADD, 0, GLFW_MOD_SHIFT) == Chord{.key = Key::plus});
}

}  // namespace
}  // namespace tapescope::ui
