// Ids grow in the order of creation: they say which of one name was made first.
#include "viewer/store/distinct_names.h"

#include <set>
#include <unordered_map>

#include "engine/debug/source_names.h"

namespace tapescope {

void tell_sources_apart(StepView& view) {
  std::unordered_map<std::string_view, TensorId> first;
  std::unordered_map<std::string_view, std::set<TensorId>> shared;  // names of several, which are few
  const auto note = [&](std::string_view name, TensorId id) {
    const auto [place, is_new] = first.try_emplace(name, id);
    if (is_new || place->second == id || name.empty()) return;
    shared[name].insert({place->second, id});
  };
  for (const VariableRow& variable : view.variables) note(variable.name, variable.id);
  for (const GradientAnswer& answer : view.answers) note(name_text(answer.name), answer.source);
  for (GradientAnswer& answer : view.answers) answer.given = answer.name;
  if (shared.empty()) return;
  const auto distinct = [&](std::string_view name, TensorId id) {
    const auto found = shared.find(name);
    if (found == shared.end()) return intern_name(name);
    const auto& all = found->second;
    return intern_name(
        numbered_name(name, static_cast<std::size_t>(std::distance(all.begin(), all.find(id)))));
  };
  for (GradientAnswer& answer : view.answers) answer.name = distinct(name_text(answer.name), answer.source);
  for (VariableRow& variable : view.variables)
    variable.name = name_text(distinct(variable.name, variable.id));
}

}  // namespace tapescope
