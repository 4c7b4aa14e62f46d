// Fuzz target: any bytes as the settings that the window finds. What it understood is written, and read again
// it is the same.
#include <cstdlib>
#include <string>

#include "viewer/window/settings.h"

using namespace tapescope::ui;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Settings settings = parse_settings(std::string(reinterpret_cast<const char*>(data), size));
  if (settings.scale < kLeastScale || settings.scale > kMostScale || settings.width < 1 ||
      settings.height < 1)
    std::abort();
  // Names that are no UTF-8 are written with a mark in place of what is wrong.
  const Settings again = parse_settings(settings_json(settings));
  if (parse_settings(settings_json(again)) != again) std::abort();
  return 0;
}
