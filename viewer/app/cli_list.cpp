// list: the samples there are.
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "viewer/app/cli.h"
#include "viewer/app/report_json.h"

namespace tapescope {
namespace {

std::string list_text(const std::vector<SampleInfo>& samples) {
  std::string out;
  for (const SampleInfo& info : samples) {
    out += fmt::format("{}\n    {}\n    variants   {}\n", info.name, info.promise, fmt::join(info.variants, ", "));
    std::string parameters;
    for (const SampleParameter& parameter : info.parameters) {
      parameters += fmt::format("{}{}={} ({})", parameters.empty() ? "" : ", ", parameter.name, parameter.default_value,
                                parameter.what);
    }
    if (!parameters.empty()) out += fmt::format("    parameters {}\n", parameters);
  }
  return out;
}

}  // namespace

void add_list_command(Command& root) {
  auto json = std::make_shared<std::string>();
  Command command = root.subcommand("list", "name the samples, their variants and parameters");
  command.option("--json", *json, "write the JSON document to FILE; '-' is standard output, and nothing else")
      .type_name("FILE");
  command.run([json] {
    if (*json != "-") write_output("-", list_text(sample_registry()));
    if (!json->empty()) write_output(*json, json_text(list_json(sample_registry())));
    return kExitDone;
  });
}

}  // namespace tapescope
