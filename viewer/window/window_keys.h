// GLFW's keys as the command table's.
#pragma once
#include "viewer/ui/keys.h"

namespace tapescope::ui {

// Letters and digits by what the keyboard's layout puts there; Key::none for signs, which come as characters.
Key key_of_glfw(int key, int scancode);
Chord chord_of_glfw(int key, int scancode, int modifiers);

}  // namespace tapescope::ui
