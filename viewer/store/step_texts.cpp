// Readable names, types and places of the ops of a step.
#include "viewer/store/step_texts.h"

#include <fmt/format.h>

namespace tapescope {

std::string shape_text(const Shape& shape) {
  if (shape.rank() == 0) return "scalar";
  std::string text;
  for (int i = 0; i < shape.rank(); ++i) {
    if (i) text += "×";
    text += std::to_string(shape[i]);
  }
  return text;
}

std::string_view reason_text(TapeAnswer answer, std::string_view silencer) {
  switch (answer) {
    case TapeAnswer::no_watched_input: return "none of its inputs is watched";
    case TapeAnswer::not_floating: return "its watched inputs are not of a floating type";
    case TapeAnswer::paused: return "the tape was paused";
    case TapeAnswer::silenced:
      if (silencer.empty()) return "the tapes were silenced";
      return name_text(intern_name(fmt::format("it ran inside {}", silencer)));
    default: return {};
  }
}

std::string_view TextCache::location(SiteId site) {
  const auto [found, added] = locations_.try_emplace(site);
  if (added) found->second = name_text(intern_name(location_text(site_with_id(site))));
  return found->second;
}

std::string_view TextCache::scope(ScopeId scope) {
  const auto [found, added] = scopes_.try_emplace(scope);
  if (added) found->second = name_text(intern_name(scope_path(scope)));
  return found->second;
}

std::string_view TextCache::shapes(std::span<const Type* const> types) {
  const std::string key(reinterpret_cast<const char*>(types.data()), types.size_bytes());
  const auto [found, added] = shapes_.try_emplace(key);
  if (added) {
    // More than a handful says nothing in a label.
    constexpr std::size_t kShown = 4;
    std::string text;
    for (std::size_t i = 0; i < types.size() && i < kShown; ++i) {
      if (i) text += kBetweenShapes;
      text += types[i] ? shape_text(types[i]->shape) : "?";
    }
    if (types.size() > kShown)
      text += fmt::format("{}{} {} more", kBetweenShapes, kMoreShapes, types.size() - kShown);
    found->second = name_text(intern_name(text));
  }
  return found->second;
}

std::string NameGiver::name(std::string_view prefix, std::string_view op) {
  std::string name;
  name.reserve(prefix.size() + op.size() + 4);
  if (!prefix.empty()) name.append(prefix).append("/");
  name.append(op);
  const std::uint32_t before = used_[name]++;
  if (before > 0) name += fmt::format("_{}", before);
  return name;
}

}  // namespace tapescope
