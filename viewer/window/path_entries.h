// Files and folders that a path which is being typed may become.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tapescope::ui {

enum class PathKind {
  recording,  // a .tape file
  program,    // what can be started: an executable file or a .py file
  folder,     // a file to be written: folders alone, what is there is not to be lost by one key
};
// What that command takes as its last argument; nothing where it is no path.
std::optional<PathKind> path_kind(std::string_view command_id);

struct PathEntry {
  std::string path;  // as typed so far and on; a folder's ends with "/"
  std::string note;  // "3.1 MiB · 2 h ago"; "folder"
  bool folder = false;
};
// Those whose name begins with what is typed: files first, the newest first, then folders by name. Names that
// begin with a dot come where a dot was typed. At most 50, of the first 4,096 of a folder. A folder that is
// not there or cannot be read has none. "~/" is the home folder.
std::vector<PathEntry> paths_like(std::string_view typed, PathKind kind);

}  // namespace tapescope::ui
