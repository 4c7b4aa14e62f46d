// Looks into one folder.
#include "viewer/window/path_entries.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include <fmt/format.h>

#include "viewer/model/units.h"

namespace tapescope::ui {
namespace {

constexpr std::size_t kMostEntries = 50, kMostRead = 4096;

bool fits(const std::string& path, const std::string& name, PathKind kind) {
  if (kind == PathKind::recording) return name.ends_with(".tape");
  return kind == PathKind::program && (name.ends_with(".py") || access(path.c_str(), X_OK) == 0);
}

}  // namespace

std::optional<PathKind> path_kind(std::string_view command_id) {
  if (command_id == "open" || command_id == "open-beside") return PathKind::recording;
  if (command_id == "launch" || command_id == "choose-program") return PathKind::program;
  if (command_id == "save" || command_id == "save-tensor" || command_id == "export") return PathKind::folder;
  return std::nullopt;
}

std::vector<PathEntry> paths_like(std::string_view typed, PathKind kind) {
  const std::size_t slash = typed.rfind('/');
  const std::string folder(slash == std::string_view::npos ? std::string_view() : typed.substr(0, slash + 1));
  const std::string_view begin = typed.substr(folder.size());
  std::string where = folder.empty() ? "./" : folder;
  if (const char* home = std::getenv("HOME"); home != nullptr && where.starts_with("~/"))
    where.replace(0, 1, home);
  struct Found {
    PathEntry entry;
    double changed = 0;
  };
  std::vector<Found> files, folders;
  std::error_code wrong;
  std::size_t read = 0;
  for (std::filesystem::directory_iterator at(where, wrong), end; !wrong && at != end && read < kMostRead;
       at.increment(wrong), ++read) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(begin) || (name.starts_with('.') && begin.empty())) continue;
    struct stat about {};
    const std::string path = at->path().string();
    if (stat(path.c_str(), &about) != 0) continue;
    // What is offered is opened as it stands.
    const std::string offered = (folder.starts_with("~/") ? where : folder) + name;
    if (S_ISDIR(about.st_mode)) {
      folders.push_back({{offered + "/", "folder", true}, 0});
    } else if (S_ISREG(about.st_mode) && fits(path, name, kind)) {
      const auto changed = static_cast<double>(about.st_mtime);
      files.push_back({{offered,
                        fmt::format("{} · {} ago", format_bytes(static_cast<double>(about.st_size)),
                                    format_age(static_cast<double>(std::time(nullptr)) - changed)),
                        false},
                       changed});
    }
  }
  std::ranges::sort(files, [](const Found& x, const Found& y) {
    return x.changed != y.changed ? x.changed > y.changed : x.entry.path < y.entry.path;
  });
  std::ranges::sort(folders, {}, [](const Found& found) { return found.entry.path; });
  std::vector<PathEntry> entries;
  for (std::vector<Found>* some : {&files, &folders}) {
    for (Found& found : *some) {
      if (entries.size() < kMostEntries) entries.push_back(std::move(found.entry));
    }
  }
  return entries;
}

}  // namespace tapescope::ui
