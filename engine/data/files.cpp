// Reading whole files.
#include "engine/data/files.h"

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
  constexpr std::size_t kPiece = 1 << 20;
  while (true) {
    const std::size_t before = bytes.size();
    bytes.resize(before + kPiece);
    const std::size_t got = std::fread(bytes.data() + before, 1, kPiece, file.get());
    bytes.resize(before + got);
    if (got == kPiece) continue;
    if (std::ferror(file.get())) refuse("read");
    return bytes;
  }
}

}  // namespace tapescope
