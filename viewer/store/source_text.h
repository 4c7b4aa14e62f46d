// A program's file as text.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/debug/program_text.h"  // of_word()

namespace tapescope {

struct SourceFile {
  std::string path;
  std::vector<std::string> lines;  // tabs as blanks, up to each fourth column
  std::string missing;             // why there are none, in a sentence; empty where it was read
};
// The first of the paths that can be read. Files of more than 8 MiB are not.
SourceFile read_source(std::span<const std::string> paths);

// Where a file that places name may lie.
using SourcePaths = std::function<std::vector<std::string>(std::string_view file)>;

// "train.py:41" in its parts; line 0 where the text is no place.
struct SourcePlace {
  std::string_view file;
  std::uint32_t line = 0;
};
SourcePlace source_place(std::string_view location);

}  // namespace tapescope
