// From the parameters of a trace to what its calls were given, and on from there.
#include "engine/explain/handed_over.h"

#include <map>
#include <set>

namespace tapescope {

Handed handed_over(const Asked& asked, const PathSearch& search) {
  const History& history = asked.history;
  std::map<std::uint64_t, std::set<std::uint32_t>>
      places;  // of parameters that the target depends on, by trace
  for (const std::uint32_t index : search.visited()) {
    for (const TensorId input : history.inputs(history.ops()[index])) {
      if (const TracedParameter* parameter = history.parameter(input))
        places[parameter->trace].insert(parameter->place);
    }
  }
  if (places.empty()) return {};
  std::set<TensorId> looked_at;
  for (auto op = history.ops().rbegin(); op != history.ops().rend(); ++op) {
    if (op->trace == 0 || op->flags & OpRecord::kTraced) continue;
    const auto given = places.find(op->trace);
    if (given == places.end()) continue;
    const auto inputs = history.inputs(*op);
    for (const std::uint32_t place : given->second) {
      if (place >= inputs.size() || !looked_at.insert(inputs[place]).second) continue;
      // No tape stands behind the search: what ran outside of the function ran outside of its tape.
      PathSearch way({history, nullptr, 0, inputs[place], asked.source}, false);
      if (Handed found{way.run()}; !found.steps.empty()) return found;
    }
  }
  return {};
}

}  // namespace tapescope
