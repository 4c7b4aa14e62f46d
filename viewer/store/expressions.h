// What a program calls the tensors that it asks about, where they have no name: the arguments of its
// gradient() call, read in its source.
#pragma once
#include <string>
#include <vector>

#include "viewer/store/snapshot.h"
#include "viewer/store/sources.h"

namespace tapescope {

struct AskedExpressions {
  std::string target;                // of the first target; empty where it was not found
  std::vector<std::string> sources;  // as many as were asked for, or none
};
// Of the one question that stands on that line, or begins some lines above it. Expressions of more than 40
// characters are left out.
AskedExpressions asked_expressions(const SourceFile& file, std::uint32_t line, std::size_t sources);

// Puts them in the place of ops' names. A target without one is called by its op and line.
void name_by_expressions(const SourceFiles* sources, std::vector<GradientRow>& rows);

}  // namespace tapescope
