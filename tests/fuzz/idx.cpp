// Any bytes as an IDX file, plain or gzip: an array comes out or an error with a sentence.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include "engine/core/error.h"
#include "engine/data/idx.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string path =
      (std::filesystem::temp_directory_path() / ("tapescope-fuzz-" + std::to_string(getpid()))).string();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  for (const int rank : {1, 3}) {
    try {
      tapescope::read_idx(path, rank);
    } catch (const tapescope::Error& error) {
      if (error.kind() != tapescope::ErrorKind::surroundings) std::abort();
    }
  }
  std::filesystem::remove(path);
  return 0;
}
