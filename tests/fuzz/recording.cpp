// Any bytes as a recording: it ends with a sentence or is read, and takes memory in proportion.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

#include <sys/mman.h>

#include "engine/core/error.h"
#include "engine/recording/container.h"
#include "engine/recording/frame_codec.h"
#include "engine/recording/reader.h"

using namespace tapescope;
using namespace tapescope::record;

namespace {

void read_all(std::span<const std::uint8_t> bytes) {
  const int file = memfd_create("recording", MFD_CLOEXEC);
  if (file < 0 || write(file, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) std::abort();
  lseek(file, 0, SEEK_SET);
  // Ids stay the file's: names of a million inputs would fill this process's tables.
  RecordingReader reader(file, "fuzz", {.translate = false});
  try {
    while (reader.next() != RecordingReader::Item::end) {
    }
    if (reader.loss().find('\n') != std::string::npos) std::abort();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::surroundings) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  read_all({data, size});
  // Checksums keep nearly all inputs out, so the payloads behind them are tried on their own as well.
  if (size == 0) return 0;
  const auto header = file_header();
  Bytes file(header.begin(), header.end());
  const auto kind = static_cast<ChunkKind>(data[0] % 8);
  append_chunk(file, kind, 0, {data + 1, size - 1});
  read_all(file);
  // Names are interned for good: short inputs alone, or a long run would hold all it ever tried.
  constexpr std::size_t kShort = 256;
  if (size >= kShort) return 0;
  if (kind == ChunkKind::definitions) Translator().define({data + 1, size - 1});
  ByteReader in({data + 1, size - 1});
  std::vector<KeptFrame> frames;
  read_frames(in, frames);
  for (const KeptFrame& kept : frames) kept.frame.hash();
  return 0;
}
