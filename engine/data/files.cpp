// Reading whole files.
#include "engine/data/files.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "engine/core/error.h"

namespace tapescope {

std::vector<std::uint8_t> read_file(const std::string& path, std::string_view remedy) {
  const auto refuse = [&](const char* what) {
    throw Error(ErrorKind::surroundings,
                fmt::format("{} cannot be {}: {}; {}", path, what, std::strerror(errno), remedy));
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) refuse("opened");
  std::vector<std::uint8_t> bytes;
  // Pieces grow, so that a small file does not clear a large one's room.
  constexpr std::size_t kMostPiece = 1 << 20;
  for (std::size_t piece = 1 << 12;; piece = std::min(kMostPiece, 2 * piece)) {
    const std::size_t before = bytes.size();
    bytes.resize(before + piece);
    const std::size_t got = std::fread(bytes.data() + before, 1, piece, file.get());
    bytes.resize(before + got);
    if (got == piece) continue;
    if (std::ferror(file.get())) refuse("read");
    return bytes;
  }
}

}  // namespace tapescope
