// Pictures of the window as PNG files.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace tapescope::ui {

struct Picture {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;  // rows from the top, three bytes a pixel
};

// Throws Error of kind surroundings when the file cannot be written.
void write_png(const std::string& path, const Picture& picture);
// What the current OpenGL context has drawn and not yet shown.
Picture read_framebuffer(int width, int height);

}  // namespace tapescope::ui
