// Any bytes as a recording: it ends with a sentence or is read, values and all, and takes memory in
// proportion.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

#include "engine/core/error.h"
#include "engine/recording/examine.h"
#include "engine/recording/reader.h"
#include "tests/fuzz/memory_file.h"

using namespace tapescope;
using namespace tapescope::record;

namespace {

void read_all(int file, bool translate) {
  RecordingReader reader(dup(file), "fuzz", {.translate = translate});
  try {
    for (auto item = reader.next(); item != RecordingReader::Item::end; item = reader.next()) {
      std::vector<KeptFrame> frames;
      if (item != RecordingReader::Item::values || !reader.values().read(frames)) continue;
      for (const KeptFrame& kept : frames) kept.frame.hash();
    }
    if (reader.loss().find('\n') != std::string::npos) std::abort();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::surroundings) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file({data, size});
  read_all(file.descriptor(), true);
  try {
    examine(file.path());
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::surroundings) std::abort();
  }
  return 0;
}
