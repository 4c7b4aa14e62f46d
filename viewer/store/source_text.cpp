// Reads files.
#include "viewer/store/source_text.h"

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

namespace tapescope {
namespace {

constexpr std::uintmax_t kLargest = 8u << 20;

bool read_lines(const std::string& path, std::vector<std::string>& lines) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed) || failed) return false;
  if (std::filesystem::file_size(path, failed) > kLargest || failed) return false;
  std::ifstream in(path);
  if (!in) return false;
  for (std::string line; std::getline(in, line);) {
    std::string shown;
    for (const char letter : line) {
      if (letter != '\t' && letter != '\r') shown += letter;
      if (letter != '\t') continue;
      do shown += ' ';
      while (shown.size() % 4 != 0);
    }
    lines.push_back(std::move(shown));
  }
  return true;
}

}  // namespace

SourceFile read_source(std::span<const std::string> paths) {
  SourceFile file;
  for (const std::string& path : paths) {
    if (!read_lines(path, file.lines)) continue;
    file.path = path;
    return file;
  }
  if (paths.empty()) return file;
  file.missing = fmt::format("{} is not here", std::filesystem::path(paths[0]).filename().string());
  for (const std::string& path : paths) {
    if (path.find('/') != std::string::npos)
      file.missing += fmt::format("{} {}", &path == &paths[0] ? "; looked for" : " or", path);
  }
  return file;
}

SourcePlace source_place(std::string_view location) {
  const std::size_t colon = location.rfind(':');
  if (colon == std::string_view::npos) return {};
  SourcePlace place{location.substr(0, colon)};
  const std::string_view number = location.substr(colon + 1);
  const auto [end, wrong] = std::from_chars(number.data(), number.data() + number.size(), place.line);
  if (wrong != std::errc() || end != number.data() + number.size()) return {};
  return place;
}

}  // namespace tapescope
