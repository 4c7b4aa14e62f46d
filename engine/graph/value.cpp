// Values that need more than a line.
#include "engine/graph/value.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>

namespace tapescope {

Value Value::map(std::vector<std::pair<std::string, Value>> entries) {
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  Value value(Kind::map, {});
  for (auto& [key, item] : entries) {
    value.keys_.push_back(std::move(key));
    value.items_.push_back(std::move(item));
  }
  return value;
}

std::string Value::class_name() const {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(type_, nullptr, nullptr, &status), std::free);
  std::string name = plain ? plain.get() : type_;
  // "tapescope::(anonymous namespace)::Config" is Config to its author.
  const std::size_t last = name.rfind("::");
  return last == std::string::npos ? name : name.substr(last + 2);
}

}  // namespace tapescope
