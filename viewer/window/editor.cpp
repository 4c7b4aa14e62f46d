// How editors are given a line, and starting them.
#include "viewer/window/editor.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <thread>

namespace tapescope::ui {
namespace {

bool one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

bool is_in_path(const std::string& program) {
  if (program.find('/') != std::string::npos) return access(program.c_str(), X_OK) == 0;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((folder + "/" + program).c_str(), X_OK) == 0) return true;
  return false;
}

}  // namespace

std::vector<std::string> editor_command(std::string_view editor, const std::string& path, unsigned line,
                                        const std::function<bool(const std::string&)>& is_there) {
  std::istringstream in{std::string(editor)};
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  for (const char* known : {"code", "codium", "kate", "gedit", "gvim"})
    if (words.empty() && is_there(known)) words.emplace_back(known);
  if (words.empty()) return words;
  const std::string name = std::filesystem::path(words[0]).filename();
  const std::string at_line = fmt::format("{}:{}", path, line);
  if (one_of(name, {"code", "code-insiders", "codium", "cursor"})) {
    words.insert(words.end(), {"-g", at_line});
  } else if (one_of(name, {"subl", "zed", "hx", "helix"})) {
    words.push_back(at_line);
  } else {
    words.insert(words.end(), {fmt::format("+{}", line), path});
  }
  const bool in_terminal =
      one_of(name, {"vi", "vim", "nvim", "nano", "pico", "hx", "helix", "micro", "ed"}) ||
      std::ranges::find(words, "-nw") != words.end();
  if (in_terminal) words.insert(words.begin(), {"x-terminal-emulator", "-e"});
  return words;
}

std::string open_in_editor(const std::string& path, unsigned line) {
  std::string editor;
  for (const char* variable : {"VISUAL", "EDITOR"}) {
    const char* value = std::getenv(variable);
    if (editor.empty() && value != nullptr) editor = value;
  }
  std::vector<std::string> words = editor_command(editor, path, line, is_in_path);
  if (words.empty()) return "no editor was found; set $VISUAL to yours";
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t process = 0;
  const int failed = posix_spawnp(&process, arguments[0], nullptr, nullptr, arguments.data(), environ);
  if (failed != 0)
    return fmt::format("cannot start {} ({}); set $VISUAL to your editor", words[0], std::strerror(failed));
  std::thread([process] { waitpid(process, nullptr, 0); }).detach();
  return {};
}

}  // namespace tapescope::ui
