// bench: measures each room against its target.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <limits>
#include <memory>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "engine/core/error.h"
#include "viewer/bench/bench.h"
#include "viewer/cli/cli.h"
#include "viewer/export/report_json.h"
#include "viewer/model/text_table.h"

namespace tapescope {
namespace {

struct Group {
  const char* name;
  std::vector<BenchResult> (*run)();
};

const std::vector<Group>& groups() {
  static const std::vector<Group> all = {{"engine", run_engine_bench}, {"layout", run_layout_bench},
                                         {"frame", run_frame_bench},   {"ingest", run_ingest_bench},
                                         {"record", run_record_bench}, {"app", run_app_bench},
                                         {"bridge", run_bridge_bench}};
  return all;
}

// What cannot be measured here leaves a row that says why, where it was not all that was asked for.
std::vector<BenchResult> rows_of(const Group& group, bool alone) {
  try {
    return group.run();
  } catch (const Error& error) {
    if (alone) throw;
    return {bench_row(group.name, {}, "", std::numeric_limits<double>::quiet_NaN(), error.what())};
  }
}

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

std::string isa_name() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return "avx512";
  if (__builtin_cpu_supports("avx2")) return "avx2";
  return "sse2";
#elif defined(__aarch64__)
  return "neon";
#else
  return "scalar";
#endif
}

std::string bench_text(const std::vector<BenchResult>& results) {
  TextTable table({"", ">value", ">low", ">high", "unit", ">target", "note"});
  const auto number = [](double value) {
    return std::isfinite(value) ? fmt::format("{:.4g}", value) : std::string("-");
  };
  for (const BenchResult& row : results) {
    table.row({row.name, number(row.value), number(row.low), number(row.high), row.unit, number(row.target),
               row.note});
  }
  return fmt::format("{}, {} cores, {}\n\n{}", cpu_name(), std::thread::hardware_concurrency(), isa_name(),
                     table.text());
}

Json bench_json(const std::vector<BenchResult>& results) {
  Json list = Json::array();
  for (const BenchResult& row : results) {
    list.push_back({{"name", row.name},
                    {"value", json_measured(row.value)},
                    {"low", json_measured(row.low)},
                    {"high", json_measured(row.high)},
                    {"unit", row.unit},
                    {"target", json_measured(row.target)},
                    {"note", row.note}});
  }
  return {
      {"schema", 1},
      {"machine", {{"cpu", cpu_name()}, {"cores", std::thread::hardware_concurrency()}, {"isa", isa_name()}}},
      {"results", std::move(list)}};
}

}  // namespace

void add_bench_command(CliCommand& root) {
  struct Options {
    std::string group = "all", json;
  };
  auto options = std::make_shared<Options>();
  CliCommand command = root.subcommand("bench", "measure, against the targets");
  std::vector<std::string> names = {"all", "events"};  // events are measured with the engine
  for (const Group& group : groups()) names.emplace_back(group.name);
  command.option("group", options->group, "what to measure").one_of(names).show_default();
  command
      .option("--json", options->json,
              "write the JSON document to FILE; '-' is standard output, and nothing else")
      .type_name("FILE");
  command.run([options] {
    std::vector<BenchResult> results;
    const std::string wanted = options->group == "events" ? "engine" : options->group;
    for (const Group& group : groups()) {
      if (wanted != "all" && wanted != group.name) continue;
      if (isatty(STDERR_FILENO)) fmt::print(stderr, "measuring {} ...\n", group.name);
      for (BenchResult& row : rows_of(group, wanted != "all")) {
        const bool about_events = row.name.starts_with("engine.events") || row.name == "engine.shadow";
        if (options->group != "events" || about_events) results.push_back(std::move(row));
      }
    }
    if (options->json != "-") write_output("-", bench_text(results));
    if (!options->json.empty()) write_output(options->json, json_text(bench_json(results)));
    return kExitDone;
  });
}

}  // namespace tapescope
