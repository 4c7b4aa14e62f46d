// What the user chose, checked against what a sample offers.
#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "samples/sample.h"

namespace tapescope {
namespace {

std::optional<double> parsed(const std::string& text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stopped != end || text.empty()) return std::nullopt;
  return number;
}

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorKind::value, message); }

std::vector<std::string> names_of(const std::vector<SampleParameter>& parameters) {
  std::vector<std::string> names;
  for (const SampleParameter& parameter : parameters) names.push_back(parameter.name);
  return names;
}

}  // namespace

double SampleOptions::number(const SampleParameter& parameter) const {
  const std::string given = text(parameter);
  const std::optional<double> value = parsed(given);
  if (!value)
    refuse(fmt::format("parameter {} got '{}', expected a number such as {}", parameter.name, given,
                       parameter.default_value));
  return *value;
}

std::int64_t SampleOptions::count(const SampleParameter& parameter) const {
  const double value = number(parameter);
  if (value < 1 || value > 2147483647.0 || value != std::floor(value)) {
    refuse(fmt::format("parameter {} got {}, expected a whole number of at least 1", parameter.name, value));
  }
  return static_cast<std::int64_t>(value);
}

std::string SampleOptions::text(const SampleParameter& parameter) const {
  const auto found = parameters.find(parameter.name);
  return found == parameters.end() ? parameter.default_value : found->second;
}

SampleOptions checked_options(const SampleInfo& info, SampleOptions options) {
  if (options.variant.empty()) options.variant = info.variants.front();
  if (std::find(info.variants.begin(), info.variants.end(), options.variant) == info.variants.end()) {
    refuse(fmt::format("sample {} has no variant '{}', expected one of {}", info.name, options.variant,
                       fmt::join(info.variants, ", ")));
  }
  if (options.steps && *options.steps < 1)
    refuse(fmt::format("got {} steps, expected at least one", *options.steps));
  const std::vector<std::string> names = names_of(info.parameters);
  for (const auto& [name, value] : options.parameters) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    if (names.empty()) refuse(fmt::format("sample {} has no parameter '{}': it has none", info.name, name));
    refuse(fmt::format("sample {} has no parameter '{}', expected one of {}", info.name, name,
                       fmt::join(names, ", ")));
  }
  for (const SampleParameter& parameter : info.parameters) {
    options.parameters.emplace(parameter.name, parameter.default_value);
    // A parameter whose default is a number takes numbers only: found out here rather than in the middle of a
    // run.
    if (parsed(parameter.default_value)) options.number(parameter);
  }
  return options;
}

}  // namespace tapescope
