// Reads files, and adds up ops by line.
#include "viewer/model/source_file.h"

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

std::map<std::uint32_t, LineCost> line_costs(const StepView& view, std::string_view file) {
  std::map<std::uint32_t, LineCost> costs;
  for (std::uint32_t op = 0; op < view.ops.size(); ++op) {
    const OpRow& row = view.ops[op];
    const SourcePlace place = source_place(row.location);
    if (place.line == 0 || place.file != file) continue;
    LineCost& cost = costs[place.line];
    (row.direction == Direction::backward ? cost.backward_us : cost.forward_us) += row.duration_us;
    cost.ops.push_back(op);
  }
  for (auto& [line, cost] : costs) {
    std::ranges::stable_sort(cost.ops, [&](std::uint32_t x, std::uint32_t y) {
      const OpRow &a = view.ops[x], &b = view.ops[y];
      const bool a_back = a.direction == Direction::backward, b_back = b.direction == Direction::backward;
      return a_back != b_back ? b_back : a.duration_us > b.duration_us;
    });
  }
  return costs;
}

}  // namespace tapescope
