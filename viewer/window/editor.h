// Opens a file at a line in the user's editor.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tapescope::ui {

// The words of the command: `editor` is what the user chose ($VISUAL, $EDITOR; may hold arguments), else the
// first known one that `is_there`. Empty where there is none. One that needs a terminal gets a window with
// one.
std::vector<std::string> editor_command(std::string_view editor, const std::string& path, unsigned line,
                                        const std::function<bool(const std::string&)>& is_there);
// Starts it apart from the window. What is wrong, in a sentence; empty where it was started.
std::string open_in_editor(const std::string& path, unsigned line);

}  // namespace tapescope::ui
