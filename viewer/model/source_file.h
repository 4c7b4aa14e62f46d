// A program's file as text, and what its lines cost in a step.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "viewer/store/step_view.h"

namespace tapescope {

struct SourceFile {
  std::string path;
  std::vector<std::string> lines;  // tabs as blanks, up to each fourth column
  std::string missing;             // why there are none, in a sentence; empty where it was read
};
// The first of the paths that can be read. Files of more than 8 MiB are not.
SourceFile read_source(std::span<const std::string> paths);

// "train.py:41" in its parts; line 0 where the text is no place.
struct SourcePlace {
  std::string_view file;
  std::uint32_t line = 0;
};
SourcePlace source_place(std::string_view location);

struct LineCost {
  double forward_us = 0, backward_us = 0;  // of its ops' runs; updates count forward
  std::vector<std::uint32_t> ops;          // that run forward, the costliest first, then its backward ones
};
// By line, of the ops of that file. A call's ops have their own lines.
std::map<std::uint32_t, LineCost> line_costs(const StepView& view, std::string_view file);

}  // namespace tapescope
