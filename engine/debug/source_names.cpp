// Counts the sources of one name that were made earlier: ids grow.
#include "engine/debug/source_names.h"

#include <algorithm>

namespace tapescope {

std::string numbered_name(std::string_view name, std::size_t place) {
  return place == 0 ? std::string(name) : std::string(name) + "#" + std::to_string(place + 1);
}

std::string SourceNames::text(const std::string& name, TensorId source) const {
  std::set<TensorId> all;
  for (const auto* known : {&before_, &now_}) {
    if (const auto found = known->find(name); found != known->end())
      all.insert(found->second.begin(), found->second.end());
  }
  return numbered_name(name, static_cast<std::size_t>(std::distance(all.begin(), all.lower_bound(source))));
}

}  // namespace tapescope
