// What is kept between starts: $XDG_CONFIG_HOME/tapescope/settings.json. Unreadable or unwritable is no
// failure.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/debug/breakpoint.h"
#include "viewer/store/alert_thresholds.h"
#include "viewer/ui/theme.h"
#include "viewer/window/launch_line.h"

namespace tapescope::ui {

// What the first screen says of a recording that was opened.
struct RecordingNote {
  std::uint64_t steps = 0;
  std::string framework, ending;  // how it ended where that was not well
  double changed = 0;             // when the file was, in seconds since 1970: another time, and this is stale
  bool operator==(const RecordingNote&) const = default;
};

struct Settings {
  ThemeName theme = ThemeName::dark;
  float scale = 1;
  bool reduce_motion = false;
  int width = 1600, height = 1000;
  float left = 268, right = 364, bottom = 244;  // of the regions, at scale 1; the mock's
  float column = 340;                           // likewise: beside the graph
  float second_share = 0.5f;                    // of the bottom strip, for the second panel there
  // The bottom panel that stands beside the graph; "own": the source of programs that are no samples; "off".
  std::string beside_graph = "own";
  std::map<std::string, std::string>
      keys;                         // command id: chords, separated by spaces; empty takes the key away
  std::vector<std::string> recent;  // recordings, latest first
  std::map<std::string, RecordingNote> notes;  // of those
  std::vector<LaunchLine> launched;            // likewise
  AlertThresholds thresholds;
  std::map<std::string, std::vector<Breakpoint>> breakpoints;  // by sample; without hits
  bool operator==(const Settings&) const = default;
};

inline constexpr float kLeastScale = 0.75f, kMostScale = 3;

// Empty when the environment names no place.
std::string settings_path();
// The defaults for whatever is missing or makes no sense.
Settings load_settings(const std::string& path);
Settings parse_settings(const std::string& json);
std::string settings_json(const Settings& settings);
// Puts an entry first in `recent`, of which some are kept.
void remember(std::vector<std::string>& list, const std::string& entry);
// False when it could not be written. Replaces the file as a whole.
bool save_settings(const std::string& path, const Settings& settings);

// Writes beside `path` and renames: a reader sees the old file or the new one. False when it could not.
bool replace_file(const std::string& path, const std::string& content);

}  // namespace tapescope::ui
