// Attributes read from a case; the families searched by name.
#include "tests/tools/goldens/ops.h"

#include <algorithm>

#include <fmt/format.h>

namespace tapescope::goldens {

Axes Attributes::axes(const char* key) const {
  if (!has(key)) return {};
  if (!is_list(key)) return Axes(integer(key));
  return Axes(std::span<const int>(attrs_.at(key).get<std::vector<int>>()));
}

HeightWidth Attributes::pair(const char* key, int otherwise) const {
  if (!has(key)) return otherwise;
  if (!is_list(key)) return integer(key);
  const std::vector<std::int64_t> sizes = list(key);
  const std::size_t height = sizes.size() == 4 ? 1 : 0;
  const std::size_t width = sizes.size() == 1 ? 0 : height + 1;
  return {static_cast<int>(sizes.at(height)), static_cast<int>(sizes.at(width))};
}

ConvPadding Attributes::padding() const {
  std::string name = text("padding", "valid");
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  if (name == "same") return ConvPadding::same;
  if (name == "valid") return ConvPadding::valid;
  fail(ErrorKind::value, "goldens", fmt::format("padding '{}' is neither same nor valid", name));
}

std::vector<Padding> Attributes::margins() const {
  std::vector<Padding> margins;
  for (const Json& pair : attrs_.at("paddings"))
    margins.push_back({pair.at(0).get<std::int64_t>(), pair.at(1).get<std::int64_t>()});
  return margins;
}

std::optional<Function> function_of(const Json& test) {
  const std::string op = test.at("op").get<std::string>();
  const bool program = op == "program";
  const std::string name = program ? test.at("id").get<std::string>() : op;
  const auto find = [&](std::span<const NamedRun> runs) -> std::optional<Function> {
    for (const NamedRun& run : runs) {
      if (run.name != name) continue;
      return [run = run.run, attrs = Attributes(test)](Tensorspan inputs) { return run(inputs, attrs); };
    }
    return std::nullopt;
  };
  if (program) return find(program_runs());
  for (const auto family : {elementwise_runs(), array_runs(), network_runs(), loss_runs()}) {
    if (auto found = find(family)) return found;
  }
  return std::nullopt;
}

}  // namespace tapescope::goldens
