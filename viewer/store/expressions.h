// What a program calls the tensors that it asks about, where they have no name: the arguments of its
// gradient() call, read in its source.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "viewer/store/snapshot.h"
#include "viewer/store/source_text.h"

namespace tapescope {

struct AskedExpressions {
  std::string target;                // of the first target; empty where it was not found
  std::vector<std::string> sources;  // as many as were asked for, or none
};
// Of the one question that stands on that line, or begins some lines above it. Expressions of more than 40
// characters are left out.
AskedExpressions asked_expressions(const SourceFile& file, std::uint32_t line, std::size_t sources);

class Expressions {
 public:
  // Puts them in the place of ops' names. A target without one is called by its op and line.
  void name(const SourcePaths& paths, std::vector<GradientRow>& rows);

 private:
  // Read again when it may lie elsewhere.
  const SourceFile* file(std::string_view name, const SourcePaths& paths);

  struct Looked {
    std::vector<std::string> paths;
    SourceFile file;
  };
  std::map<std::string, Looked, std::less<>> files_;
};

}  // namespace tapescope
