// The line of a Python program that a person changes because of a None: often not that of the op.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "viewer/store/snapshot.h"
#include "viewer/store/sources.h"
#include "viewer/store/surroundings.h"

namespace tapescope {

// A line of one of the program's files.
struct SourceLine {
  std::string file;
  std::uint32_t number = 0;
  auto operator<=>(const SourceLine&) const = default;
};

class NonePlaces {
 public:
  // An op that no block recorded is placed at the call that leads to it, where its function only hands a
  // result back and is right as it is; a tensor that no tape watched where it gets its name. Rows of C++
  // stay. The text is searched once for each question, as pictures of a running program follow each other.
  void put_into(std::vector<GradientRow>& rows, const std::shared_ptr<const SourceFiles>& sources,
                const Surroundings& surroundings);

 private:
  // By location, the line that asks, and source: of these files.
  std::map<std::tuple<std::string, std::string, std::string>, SourceLine> known_;
  std::shared_ptr<const SourceFiles> of_;
};

}  // namespace tapescope
