// Names that distinguish sources of one name: "w" is the one made first, "w#2" the next.
#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "engine/core/tensor.h"

namespace tapescope {

// The name of the source that was made at `place` (from 0) among those that share `name`.
std::string numbered_name(std::string_view name, std::size_t place);

// What steps ask gradients for. A source of this step or of the one before has its place among both, so that
// names stay where steps ask in turn for one or the other.
class SourceNames {
 public:
  void begin_step() { before_ = std::exchange(now_, {}); }
  void note(const std::string& name, TensorId source) { now_[name].insert(source); }
  // Of one that was noted.
  std::string text(const std::string& name, TensorId source) const;

 private:
  std::map<std::string, std::set<TensorId>> now_, before_;
};

}  // namespace tapescope
