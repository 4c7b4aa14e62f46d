// Reads leniently, writes whole.
#include "viewer/window/settings.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

#include "viewer/debugger/breakpoint_text.h"

namespace tapescope::ui {
namespace {

using nlohmann::json;

template <class Number>
void read_number(const json& from, const char* name, Number low, Number high, Number& to) {
  const auto place = from.find(name);
  if (place != from.end() && place->is_number()) to = std::clamp(place->get<Number>(), low, high);
}

void read_texts(const json& from, const char* name, std::vector<std::string>& to) {
  const auto place = from.find(name);
  if (place == from.end() || !place->is_array()) return;
  for (const json& text : *place) {
    if (text.is_string()) to.push_back(text.get<std::string>());
  }
}

// As `launch` takes them; those of earlier versions are texts, without a time.
void read_launched(const json& from, std::vector<LaunchLine>& to) {
  const auto place = from.find("launched");
  if (place == from.end() || !place->is_array()) return;
  for (const json& one : *place) {
    LaunchLine line;
    const json& text = one.is_object() && one.contains("line") ? one["line"] : one;
    if (!text.is_string() || !parse_launch(text.get<std::string>(), line).empty()) continue;
    if (one.is_object()) read_number(one, "when", 0.0, 1e12, line.when);
    to.push_back(std::move(line));
  }
}

void read_text(const json& from, const char* name, std::string& to) {
  const auto place = from.find(name);
  if (place != from.end() && place->is_string()) to = place->get<std::string>();
}

// Of the recent recordings alone.
void read_notes(const json& from, Settings& settings) {
  const auto notes = from.find("recordings");
  if (notes == from.end() || !notes->is_object()) return;
  for (const auto& [path, one] : notes->items()) {
    if (!one.is_object() || std::ranges::find(settings.recent, path) == settings.recent.end()) continue;
    RecordingNote& note = settings.notes[path];
    read_number(one, "steps", std::uint64_t{0}, std::uint64_t{1} << 53, note.steps);
    read_number(one, "changed", 0.0, 1e12, note.changed);
    read_text(one, "framework", note.framework);
    read_text(one, "ending", note.ending);
  }
}

}  // namespace

std::string settings_path() {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  if (config != nullptr && *config == '/') return std::string(config) + "/tapescope/settings.json";
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return std::string(home) + "/.config/tapescope/settings.json";
  return {};
}

Settings parse_settings(const std::string& text) {
  Settings settings;
  const json from = json::parse(text, nullptr, false);
  if (!from.is_object()) return settings;
  if (const auto theme = from.find("theme"); theme != from.end() && theme->is_string()) {
    parse_theme(theme->get<std::string>(), settings.theme);
  }
  read_number(from, "scale", kLeastScale, kMostScale, settings.scale);
  read_number(from, "width", 320, 16384, settings.width);
  read_number(from, "height", 200, 16384, settings.height);
  read_number(from, "left", 100.0f, 4000.0f, settings.left);
  read_number(from, "right", 100.0f, 4000.0f, settings.right);
  read_number(from, "bottom", 30.0f, 4000.0f, settings.bottom);
  read_number(from, "column", 100.0f, 4000.0f, settings.column);
  read_number(from, "second_share", 0.1f, 0.9f, settings.second_share);
  read_text(from, "beside_graph", settings.beside_graph);
  if (const auto motion = from.find("reduce_motion"); motion != from.end() && motion->is_boolean()) {
    settings.reduce_motion = motion->get<bool>();
  }
  if (const auto keys = from.find("keys"); keys != from.end() && keys->is_object()) {
    for (const auto& [id, chords] : keys->items()) {
      if (chords.is_string()) settings.keys[id] = chords.get<std::string>();
    }
  }
  read_texts(from, "recent", settings.recent);
  read_launched(from, settings.launched);
  read_notes(from, settings);
  if (const auto limits = from.find("thresholds"); limits != from.end() && limits->is_object()) {
    for (const ThresholdText& text : threshold_texts()) {
      read_number(*limits, std::string(text.id).c_str(), text.low, text.high,
                  settings.thresholds.*(text.value));
    }
  }
  if (const auto samples = from.find("breakpoints"); samples != from.end() && samples->is_object()) {
    for (const auto& [sample, list] : samples->items()) {
      if (!list.is_array()) continue;
      for (const json& one : list) {
        const auto condition = one.is_object() ? one.find("when") : one.end();
        if (condition == one.end() || !condition->is_string()) continue;
        Breakpoint breakpoint;
        // A line that a person has written wrongly is passed over.
        if (!parse_break(condition->get<std::string>(), breakpoint).empty()) continue;
        const auto enabled = one.find("enabled");
        if (enabled != one.end() && enabled->is_boolean()) breakpoint.enabled = enabled->get<bool>();
        settings.breakpoints[sample].push_back(std::move(breakpoint));
      }
    }
  }
  return settings;
}

Settings load_settings(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  std::stringstream text;
  text << file.rdbuf();
  return parse_settings(text.str());
}

std::string settings_json(const Settings& settings) {
  json to;
  to["theme"] = std::string(name_of(settings.theme));
  to["scale"] = settings.scale;
  to["reduce_motion"] = settings.reduce_motion;
  to["width"] = settings.width;
  to["height"] = settings.height;
  to["left"] = settings.left;
  to["right"] = settings.right;
  to["bottom"] = settings.bottom;
  to["column"] = settings.column;
  to["second_share"] = settings.second_share;
  to["beside_graph"] = settings.beside_graph;
  to["keys"] = settings.keys;
  to["recent"] = settings.recent;
  for (const auto& [path, note] : settings.notes) {
    if (std::ranges::find(settings.recent, path) == settings.recent.end()) continue;
    to["recordings"][path] = {{"steps", note.steps},
                              {"changed", note.changed},
                              {"framework", note.framework},
                              {"ending", note.ending}};
  }
  to["launched"] = json::array();
  for (const LaunchLine& line : settings.launched)
    to["launched"].push_back({{"line", text_of(line)}, {"when", line.when}});
  // What is as it always was is not written: another version may know better.
  for (const ThresholdText& text : threshold_texts()) {
    const double value = settings.thresholds.*(text.value);
    if (value != AlertThresholds{}.*(text.value)) to["thresholds"][std::string(text.id)] = value;
  }
  for (const auto& [sample, list] : settings.breakpoints) {
    for (const Breakpoint& one : list)
      to["breakpoints"][sample].push_back({{"when", text_of(one)}, {"enabled", one.enabled}});
  }
  return to.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

void remember(std::vector<std::string>& list, const std::string& entry) {
  constexpr std::size_t kMost = 12;
  std::erase(list, entry);
  list.insert(list.begin(), entry);
  if (list.size() > kMost) list.resize(kMost);
}

bool save_settings(const std::string& path, const Settings& settings) {
  if (path.empty()) return false;
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  return replace_file(path, settings_json(settings));
}

bool replace_file(const std::string& path, const std::string& content) {
  const std::string beside = path + ".new";
  {
    std::ofstream file(beside, std::ios::binary | std::ios::trunc);
    file << content;
    if (!file.flush()) return false;
  }
  std::error_code error;
  std::filesystem::rename(beside, path, error);
  if (error) std::filesystem::remove(beside, error);
  return !error;
}

}  // namespace tapescope::ui
