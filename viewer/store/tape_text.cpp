// Reads up from the line that enters a tape.
#include "viewer/store/tape_text.h"

#include <fmt/format.h>

#include "engine/explain/python_words.h"
#include "viewer/store/call_lines.h"

namespace tapescope {

std::string tape_made_at(const SourceFiles* files, std::string_view location) {
  const SourceFile* file = source_of(files, location);
  const SourcePlace place = source_place(location);
  if (file == nullptr || is_python(location) || place.line == 0 || place.line > file->lines.size())
    return std::string(location);
  const auto makes = [&](std::uint32_t line) {
    const std::string_view text = file->lines[line - 1];
    return text.substr(0, text.find("//")).find("GradientTape") != std::string_view::npos;
  };
  const std::uint32_t begin = function_around(*file, place.line).line;
  for (std::uint32_t line = place.line; line > begin && line > 0; --line) {
    if (makes(line)) return fmt::format("{}:{}", place.file, line);
    if (begin == 0) break;
  }
  return std::string(location);
}

}  // namespace tapescope
