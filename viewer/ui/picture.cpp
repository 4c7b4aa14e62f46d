// PNG through libpng's simplified interface; pixels through OpenGL.
#include "viewer/ui/picture.h"

#include <GL/gl.h>
#include <png.h>

#include <algorithm>
#include <cstring>

#include "engine/core/error.h"

namespace tapescope::ui {

void write_png(const std::string& path, const Picture& picture) {
  png_image image;
  std::memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  image.format = PNG_FORMAT_RGB;
  if (png_image_write_to_file(&image, path.c_str(), 0, picture.rgb.data(), 0, nullptr) == 0) {
    fail(ErrorKind::surroundings, "picture", "cannot write " + path + ": " + image.message);
  }
}

Picture read_framebuffer(int width, int height) {
  Picture picture{width, height, {}};
  const auto row = static_cast<std::size_t>(width) * 3;
  picture.rgb.resize(row * static_cast<std::size_t>(height));
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, picture.rgb.data());
  // OpenGL's first row is the lowest.
  for (std::size_t low = 0, high = static_cast<std::size_t>(height) - 1; low < high; ++low, --high) {
    std::swap_ranges(picture.rgb.begin() + static_cast<std::ptrdiff_t>(low * row),
                     picture.rgb.begin() + static_cast<std::ptrdiff_t>((low + 1) * row),
                     picture.rgb.begin() + static_cast<std::ptrdiff_t>(high * row));
  }
  return picture;
}

}  // namespace tapescope::ui
