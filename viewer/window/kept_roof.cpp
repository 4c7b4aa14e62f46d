// Reads leniently, writes whole.
#include "viewer/window/kept_roof.h"

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

#include "viewer/window/settings.h"

namespace tapescope::ui {
namespace {

using nlohmann::json;

// No core of any machine comes near it: what is above was not measured.
constexpr double kMostPlausible = 1e6;

void take_better(const json& from, const char* name, double& to) {
  const auto place = from.find(name);
  if (place == from.end() || !place->is_number()) return;
  const double kept = place->get<double>();
  if (kept > to && kept < kMostPlausible) to = kept;
}

}  // namespace

std::string roof_path() {
  const std::string settings = settings_path();
  return settings.empty() ? settings : (std::filesystem::path(settings).parent_path() / "roof.json").string();
}

std::string machine_name() {
  char host[256] = {};
  if (gethostname(host, sizeof host - 1) != 0) host[0] = 0;
  std::string model;
  std::ifstream processors("/proc/cpuinfo");
  for (std::string line; model.empty() && std::getline(processors, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) model = line.substr(colon + 2);
  }
  return model + " on " + host;
}

MachineRoof keep_roof(const std::string& path, const std::string& machine, const MachineRoof& measured) {
  MachineRoof best = measured;
  if (path.empty()) return best;
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();  // what cannot be read is as what is not there
  json all = json::parse(text.str(), nullptr, false);
  if (!all.is_object()) all = json::object();
  if (const auto kept = all.find(machine); kept != all.end() && kept->is_object()) {
    // Without AVX2 there is no figure, whatever the file says.
    if (std::isfinite(best.gflops)) take_better(*kept, "gflops", best.gflops);
    for (MachineRoof::Level& level : best.levels)
      take_better(*kept, std::to_string(static_cast<long long>(level.bytes)).c_str(), level.gigabytes);
  }
  json& to = all[machine] = json::object();
  if (std::isfinite(best.gflops)) to["gflops"] = best.gflops;
  for (const MachineRoof::Level& level : best.levels)
    to[std::to_string(static_cast<long long>(level.bytes))] = level.gigabytes;
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  replace_file(path, all.dump(2, ' ', false, json::error_handler_t::replace) + "\n");
  return best;
}

}  // namespace tapescope::ui
