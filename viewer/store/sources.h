// The texts of a program's files, as far as they are at hand.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "viewer/store/source_text.h"

namespace tapescope {

using SourceFiles = std::map<std::string, SourceFile, std::less<>>;  // by the names that places have
// That of a place, "train.py:41". Null where there is none.
const SourceFile* source_of(const SourceFiles* files, std::string_view location);

struct Snapshot;
struct StepView;

class Sources {
 public:
  // Those of the ops and questions of the snapshot and of the ones before it. Each is read once, and again
  // when it may lie elsewhere.
  std::shared_ptr<const SourceFiles> of(const Snapshot& snapshot, const SourcePaths& paths);

 private:
  void add(std::string_view location);

  std::map<std::string, std::vector<std::string>, std::less<>> places_;  // where each was looked for
  std::shared_ptr<const StepView> last_;                                 // whose ops are known
  std::shared_ptr<const SourceFiles> files_ = std::make_shared<SourceFiles>();
};

}  // namespace tapescope
