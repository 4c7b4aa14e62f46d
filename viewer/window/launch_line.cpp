// Reads and writes launch lines.
#include "viewer/window/launch_line.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "viewer/model/typed_text.h"

namespace tapescope::ui {
namespace {

constexpr std::size_t kMostKept = 12;

std::string at_home(const std::string& path) {
  const char* const home = std::getenv("HOME");
  const bool is_home = home != nullptr && (path == "~" || path.starts_with("~/"));
  return is_home ? home + path.substr(1) : path;
}

}  // namespace

bool LaunchLine::same(const LaunchLine& other) const {
  LaunchLine then = other;
  then.when = when;
  return then == *this;
}

std::string parse_launch(std::string_view text, LaunchLine& line) {
  text = trimmed(text);
  const std::pair<std::string_view, std::string LaunchLine::*> options[] = {
      {"--folder", &LaunchLine::folder},
      {"--python", &LaunchLine::python},
      {"--record", &LaunchLine::record}};
  while (text.starts_with("--")) {
    const std::string word = take_quoted(text);
    if (word == "--") break;
    if (word == "--run") {
      line.runs = true;
      continue;
    }
    const auto option = std::find_if(std::begin(options), std::end(options),
                                     [&](const auto& known) { return known.first == word; });
    if (option == std::end(options))
      return fmt::format(
          "`{}` is no option of launch; before the program may stand --folder, --python, "
          "--record and --run",
          word);
    if (text.empty()) return fmt::format("`{}` needs a value after it", word);
    line.*(option->second) = take_quoted(text);
  }
  if (text.empty()) return "`launch` needs a program after it";
  line.program = take_quoted(text);
  line.arguments = std::string(text);
  return {};
}

std::string text_of(const LaunchLine& line) {
  std::string text;
  const auto option = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) text += fmt::format("{} {} ", name, shell_word(value));
  };
  option("--folder", line.folder);
  option("--python", line.python);
  option("--record", line.record);
  if (line.runs) text += "--run ";
  if (line.program.starts_with("--")) text += "-- ";
  return text + title_of(line);
}

std::string title_of(const LaunchLine& line) {
  return shell_word(line.program) + (line.arguments.empty() ? "" : " " + line.arguments);
}

Launch launch_of(const LaunchLine& line) {
  Launch launch;
  launch.words = words_of(line.arguments);
  launch.words.insert(launch.words.begin(), at_home(line.program));
  launch.folder = at_home(line.folder);
  launch.python = at_home(line.python);
  launch.record = at_home(line.record);
  return launch;
}

void remember(std::vector<LaunchLine>& list, LaunchLine line) {
  std::erase_if(list, [&](const LaunchLine& other) { return other.same(line); });
  list.insert(list.begin(), std::move(line));
  if (list.size() > kMostKept) list.resize(kMostKept);
}

}  // namespace tapescope::ui
