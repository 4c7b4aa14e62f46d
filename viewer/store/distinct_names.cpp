// Ids grow in the order of creation: they say which of one name was made first.
#include "viewer/store/distinct_names.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
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
  // A tensor that a question asks for in each round, made again in between, is one source.
  std::map<std::tuple<std::string_view, std::uint32_t, NameId>, TensorId> of_question;
  std::unordered_map<TensorId, TensorId> same;
  for (const GradientAnswer& answer : view.answers) {
    if (answer.call >= view.calls.size() || view.variable(answer.source) != nullptr) continue;
    const std::string_view place = view.calls[answer.call].location;
    same.try_emplace(
        answer.source,
        of_question.try_emplace({place, answer.index, answer.name}, answer.source).first->second);
  }
  const auto one_of = [&](TensorId id) {
    const auto found = same.find(id);
    return found == same.end() ? id : found->second;
  };
  for (const VariableRow& variable : view.variables) note(variable.name, variable.id);
  for (const GradientAnswer& answer : view.answers) note(name_text(answer.name), one_of(answer.source));
  std::set<TensorId> asked;
  for (GradientAnswer& answer : view.answers) {
    answer.given = answer.name;
    asked.insert(one_of(answer.source));
  }
  if (shared.empty()) return;
  const auto distinct = [&](std::string_view name, TensorId id) {
    const auto found = shared.find(name);
    if (found == shared.end()) return intern_name(name);
    // Those that were asked for come first, as they do where a program stops.
    const bool is_asked = asked.contains(id);
    const auto before = std::ranges::count_if(found->second, [&](TensorId other) {
      const bool other_is_asked = asked.contains(other);
      return other_is_asked == is_asked ? other < id : other_is_asked;
    });
    return intern_name(numbered_name(name, static_cast<std::size_t>(before)));
  };
  for (GradientAnswer& answer : view.answers)
    answer.name = distinct(name_text(answer.name), one_of(answer.source));
  for (VariableRow& variable : view.variables)
    variable.name = name_text(distinct(variable.name, variable.id));
}

}  // namespace tapescope
