// What to say of a file that is no recording: whether it is a program or its source.
#include "engine/recording/no_recording.h"

#include <array>

#include <fmt/format.h>

namespace tapescope::record {
namespace {

bool begins_with(std::span<const std::uint8_t> bytes, std::string_view text) {
  if (bytes.size() < text.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (bytes[i] != static_cast<std::uint8_t>(text[i])) return false;
  }
  return true;
}

bool is_source(std::string_view path) {
  constexpr std::array<std::string_view, 7> kEndings = {".cpp", ".cc", ".cxx", ".c", ".h", ".hpp", ".cu"};
  for (const std::string_view ending : kEndings) {
    if (path.ends_with(ending)) return true;
  }
  return false;
}

// As a command line takes it.
std::string as_program(std::string_view path) {
  std::string word(path);
  if (word.find('/') == std::string::npos) word = "./" + word;
  return word.find(' ') == std::string::npos ? word : '"' + word + '"';
}

}  // namespace

std::string no_recording(std::string_view path, std::span<const std::uint8_t> begin) {
  if (path.ends_with(".py") ||
      begins_with(begin,
                  "\x7f"
                  "ELF") ||
      begins_with(begin, "#!"))
    return fmt::format("{} is a program and no recording; give it after --, as in 'tapescope explain -- {}'",
                       path, as_program(path));
  if (is_source(path))
    return fmt::format(
        "{} is a source file and no recording; build it and give the program after --, as in 'tapescope "
        "explain -- ./PROGRAM'",
        path);
  return fmt::format("{} is no recording; make one with 'tapescope record -- PROGRAM'", path);
}

}  // namespace tapescope::record
