// What every recording is made of: a file header and self-delimiting chunks (format.md).
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "engine/recording/bytes.h"

namespace tapescope::record {

inline constexpr std::uint16_t kMajor = 1, kMinor = 2;
inline constexpr std::size_t kFileHeaderSize = 16;
inline constexpr std::size_t kChunkHeaderSize = 32;
// The most a chunk may hold, stored or unpacked: what bounds a reader's memory.
inline constexpr std::uint32_t kMaxChunkBytes = 16u << 20;

enum class ChunkKind : std::uint8_t {
  program = 1,
  definitions = 2,
  events = 3,
  statistics = 4,
  results = 5,
  end = 6,
  values = 7,
  former_digest = 8,  // passed over
  statistics_digest = 9,
  digest = 10,
};
enum class Encoding : std::uint8_t { stored = 0, zstd = 1 };

struct ChunkHeader {
  std::uint8_t kind = 0;  // of ChunkKind, or one of a newer minor version
  Encoding encoding = Encoding::stored;
  std::uint32_t stored_size = 0;
  std::uint32_t raw_size = 0;
  std::uint64_t number = 0;    // from 0, one more with each chunk
  std::uint32_t checksum = 0;  // of the stored payload
};

std::array<std::uint8_t, kFileHeaderSize> file_header(std::uint16_t minor = kMinor);
enum class FileHeaderState : std::uint8_t { good, no_recording, damaged, newer_major };
struct FileVersion {
  std::uint16_t major = 0, minor = 0;
};
// `bytes` holds kFileHeaderSize bytes. `version` receives the file's where it is good or newer.
FileHeaderState check_file_header(std::span<const std::uint8_t> bytes, FileVersion& version);

// `bytes` holds kChunkHeaderSize bytes. Nothing where the header is damaged or says what cannot be.
std::optional<ChunkHeader> parse_chunk_header(std::span<const std::uint8_t> bytes);

// Makes a whole chunk, header and payload; packed where that is smaller. `raw` is at most kMaxChunkBytes.
void append_chunk(Bytes& out, ChunkKind kind, std::uint64_t number, std::span<const std::uint8_t> raw,
                  bool pack = true);
// Whether the stored payload has its checksum.
bool is_intact(const ChunkHeader& header, std::span<const std::uint8_t> stored);
// The unpacked payload; false where the checksum or the packing is wrong. `raw` is reused.
bool unpack_chunk(const ChunkHeader& header, std::span<const std::uint8_t> stored, Bytes& raw);

}  // namespace tapescope::record
