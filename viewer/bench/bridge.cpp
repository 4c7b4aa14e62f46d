// bridge.*: what recording adds to a TensorFlow program, measured by the Python package in the user's Python.
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/core/error.h"
#include "viewer/bench/bench.h"
#include "viewer/debugger/launch.h"

namespace tapescope {
namespace {

std::string in_quotes(const std::string& word) {
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return text;
  char part[4096];
  for (std::size_t n; (n = fread(part, 1, sizeof part, pipe)) > 0;) text.append(part, n);
  pclose(pipe);
  return text;
}

}  // namespace

std::vector<BenchResult> run_bridge_bench() {
  const std::string package = python_package_folder(), python = python_command();
  if (!package.empty()) {
    const char* path = std::getenv("PYTHONPATH");
    setenv("PYTHONPATH", path && *path ? (package + ":" + path).c_str() : package.c_str(), 1);
  }
  const std::string output =
      output_of(fmt::format("exec {} -m tapescope.bench --json 2>/dev/null", in_quotes(python)));
  const auto document = nlohmann::json::parse(output, nullptr, false);
  if (document.is_object() && document.contains("problem"))
    throw Error(ErrorKind::surroundings, document["problem"].get<std::string>());
  if (!document.is_object() || !document.contains("results")) {
    throw Error(
        ErrorKind::surroundings,
        fmt::format("{} cannot run the package tapescope; '{} -m tapescope.bench' says why", python, python));
  }
  std::vector<BenchResult> rows;
  for (const auto& row : document["results"]) {
    rows.push_back({row.at("name"), row.at("value"), row.at("low"), row.at("high"), row.at("unit"),
                    row.at("target"), row.at("note")});
  }
  return rows;
}

}  // namespace tapescope
