// Translates GLFW's key codes.
#include "viewer/window/window_keys.h"

#include <GLFW/glfw3.h>

#include <cctype>

namespace tapescope::ui {

Key key_of_glfw(int key, int scancode) {
  const auto from = [](Key first, int offset) { return static_cast<Key>(static_cast<int>(first) + offset); };
  if (key >= GLFW_KEY_F1 && key <= GLFW_KEY_F12) return from(Key::f1, key - GLFW_KEY_F1);
  switch (key) {
    case GLFW_KEY_HOME: return Key::home;
    case GLFW_KEY_END: return Key::end;
    case GLFW_KEY_LEFT: return Key::left;
    case GLFW_KEY_RIGHT: return Key::right;
    case GLFW_KEY_UP: return Key::up;
    case GLFW_KEY_DOWN: return Key::down;
    case GLFW_KEY_PAGE_UP: return Key::page_up;
    case GLFW_KEY_PAGE_DOWN: return Key::page_down;
    case GLFW_KEY_ESCAPE: return Key::escape;
    case GLFW_KEY_ENTER:
    case GLFW_KEY_KP_ENTER: return Key::enter;
    case GLFW_KEY_TAB: return Key::tab;
    case GLFW_KEY_SPACE: return Key::space;
    case GLFW_KEY_BACKSPACE: return Key::backspace;
    case GLFW_KEY_DELETE: return Key::del;
    case GLFW_KEY_INSERT: return Key::insert;
    case GLFW_KEY_PAUSE: return Key::pause;
    case GLFW_KEY_KP_ADD: return Key::plus;
    case GLFW_KEY_KP_SUBTRACT: return Key::minus;
    default: break;
  }
  const char* name = glfwGetKeyName(key, scancode);
  if (name == nullptr || name[0] == 0 || name[1] != 0) return Key::none;
  if (std::isalpha(static_cast<unsigned char>(name[0])) != 0)
    return from(Key::a, std::tolower(name[0]) - 'a');
  if (std::isdigit(static_cast<unsigned char>(name[0])) != 0) return from(Key::n0, name[0] - '0');
  // The key of + is = without shift on many keyboards; enlarging must not need shift.
  if (name[0] == '=' || name[0] == '+') return Key::plus;
  if (name[0] == '-') return Key::minus;
  return Key::none;
}

Chord chord_of_glfw(int key, int scancode, int modifiers) {
  Chord chord{key_of_glfw(key, scancode), (modifiers & GLFW_MOD_CONTROL) != 0,
              (modifiers & GLFW_MOD_SHIFT) != 0, (modifiers & GLFW_MOD_ALT) != 0};
  if (chord.key == Key::plus || chord.key == Key::minus) chord.shift = false;
  return chord;
}

}  // namespace tapescope::ui
