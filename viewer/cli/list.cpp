// list: the samples there are, or the running programs that can be attached to.
#include <ctime>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/error.h"
#include "engine/live/place.h"
#include "viewer/cli/cli.h"
#include "viewer/debugger/ssh_host.h"
#include "viewer/export/report_json.h"
#include "viewer/model/complain.h"

namespace tapescope {
namespace {

std::string list_text(const std::vector<SampleInfo>& samples) {
  std::string out;
  for (const SampleInfo& info : samples) {
    out += fmt::format("{}\n    {}\n    variants   {}\n", info.name, info.promise,
                       fmt::join(info.variants, ", "));
    std::string parameters;
    for (const SampleParameter& parameter : info.parameters) {
      parameters += fmt::format("{}{}={} ({})", parameters.empty() ? "" : ", ", parameter.name,
                                parameter.default_value, parameter.what);
    }
    if (!parameters.empty()) out += fmt::format("    parameters {}\n", parameters);
  }
  return out;
}

std::string when(double since) {
  const auto seconds = static_cast<std::time_t>(since);
  std::tm local{};
  char text[32] = "";
  if (localtime_r(&seconds, &local)) std::strftime(text, sizeof text, "%F %T", &local);
  return text;
}

std::string live_text(const std::vector<live::Listener>& programs) {
  std::string out;
  for (const live::Listener& program : programs) {
    if (!program.problem.empty()) continue;
    const std::uint64_t viewer = program.greeting.attached;
    out += fmt::format("{:>8}  {:<24} since {}  {}", program.pid, program.greeting.name,
                       when(program.greeting.since),
                       viewer == 0 ? std::string("free") : fmt::format("attached to by process {}", viewer));
    if (program.greeting.rank)
      out += fmt::format(", rank {} of job {}", *program.greeting.rank, program.greeting.job);
    out += "\n";
  }
  return out.empty() ? "no program listens; start one that links the library with TAPESCOPE_LISTEN=1\n" : out;
}

Json live_json(const std::vector<live::Listener>& programs) {
  Json list = Json::array(), stale = Json::array();
  for (const live::Listener& program : programs) {
    if (!program.problem.empty()) {
      stale.push_back({{"pid", program.pid}, {"path", program.path}, {"message", program.problem}});
      continue;
    }
    list.push_back(
        {{"pid", program.pid},
         {"name", program.greeting.name},
         {"path", program.path},
         {"since", program.greeting.since},
         {"attached", program.greeting.attached == 0 ? Json(nullptr) : Json(program.greeting.attached)},
         {"framework", program.greeting.framework.empty() ? Json(nullptr) : Json(program.greeting.framework)},
         {"rank", program.greeting.rank ? Json(*program.greeting.rank) : Json(nullptr)},
         {"job", program.greeting.job.empty() ? Json(nullptr) : Json(program.greeting.job)}});
  }
  return {{"programs", std::move(list)}, {"stale", std::move(stale)}};
}

// On this machine, or on that of an ssh:// address.
std::vector<live::Listener> programs_at(const std::string& host) {
  if (host.empty()) return live::listeners();
  const SshAddress address = [&] {
    try {
      return read_ssh_address(host);
    } catch (const Error& error) {
      throw UsageError(error.what());
    }
  }();
  if (!address.program.empty())
    throw UsageError(fmt::format("'{}' names a program; expected ssh://[USER@]HOST[:PORT]", host));
  return SshHost(address).listeners();
}

int list_live(const std::string& host, const std::string& json) {
  const std::vector<live::Listener> programs = programs_at(host);
  for (const live::Listener& program : programs) {
    if (!program.problem.empty()) complain(program.problem);
  }
  if (json != "-") write_output("-", live_text(programs));
  if (!json.empty()) write_output(json, json_text(live_json(programs)));
  return kExitDone;
}

}  // namespace

void add_list_command(CliCommand& root) {
  auto json = std::make_shared<std::string>();
  auto host = std::make_shared<std::string>();
  auto live = std::make_shared<bool>(false);
  CliCommand command =
      root.subcommand("list", "name the samples, their variants and parameters, or the programs that run");
  command.flag("--live", *live,
               "running programs that can be attached to: those started with TAPESCOPE_LISTEN=1");
  command.option("host", *host, "with --live: another machine, through your ssh: ssh://[USER@]HOST[:PORT]")
      .type_name("ssh://HOST");
  command.option("--json", *json, "write the JSON document to FILE; '-' is standard output, and nothing else")
      .type_name("FILE");
  command.run([host, json, live] {
    if (*live) return list_live(*host, *json);
    if (!host->empty()) throw UsageError("a host has programs that run; give --live as well");
    if (*json != "-") write_output("-", list_text(sample_registry()));
    if (!json->empty()) write_output(*json, json_text(list_json(sample_registry())));
    return kExitDone;
  });
}

}  // namespace tapescope
