// Chunk headers, checksums and packing.
#include "engine/recording/container.h"

#include <zlib.h>
#include <zstd.h>

namespace tapescope::record {
namespace {

// As PNG's: a byte with the top bit set and both line ends reveal transfers that changed the bytes.
constexpr std::array<std::uint8_t, 8> kFileMagic = {0x89, 'T', 'A', 'P', 'E', '\r', '\n', 0x1a};
constexpr std::array<std::uint8_t, 4> kChunkMagic = {'T', 'S', 'C', 'K'};
// Level 1 packs a chunk of a training step in the time that 200 tiny ops take; level 3 saves a tenth more.
constexpr int kLevel = 1;

// CRC-32 of IEEE 802.3, which every language's library has.
std::uint32_t checksum_of(std::span<const std::uint8_t> bytes) {
  return static_cast<std::uint32_t>(crc32(0, bytes.data(), static_cast<uInt>(bytes.size())));
}

template <class T>
void put(std::uint8_t* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

template <class T>
T get(const std::uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// One a thread: making it takes longer than packing a chunk. Null where there is no memory.
struct Packers {
  ZSTD_CCtx* pack = ZSTD_createCCtx();
  ZSTD_DCtx* unpack = ZSTD_createDCtx();
  ~Packers() {
    ZSTD_freeCCtx(pack);
    ZSTD_freeDCtx(unpack);
  }
};
Packers& packers() {
  thread_local Packers all;
  return all;
}

}  // namespace

std::array<std::uint8_t, kFileHeaderSize> file_header(std::uint16_t minor) {
  std::array<std::uint8_t, kFileHeaderSize> bytes{};
  std::memcpy(bytes.data(), kFileMagic.data(), kFileMagic.size());
  put(bytes.data() + 8, kMajor);
  put(bytes.data() + 10, minor);
  put(bytes.data() + 12, checksum_of(std::span(bytes).first(12)));
  return bytes;
}

FileHeaderState check_file_header(std::span<const std::uint8_t> bytes, FileVersion& version) {
  const bool sound = get<std::uint32_t>(bytes.data() + 12) == checksum_of(bytes.first(12));
  if (std::memcmp(bytes.data(), kFileMagic.data(), kFileMagic.size()) != 0) {
    // One damaged byte does not make it something else.
    return std::memcmp(bytes.data() + 1, "TAPE", 4) == 0 ? FileHeaderState::damaged
                                                         : FileHeaderState::no_recording;
  }
  if (!sound) return FileHeaderState::damaged;
  version = {get<std::uint16_t>(bytes.data() + 8), get<std::uint16_t>(bytes.data() + 10)};
  return version.major > kMajor ? FileHeaderState::newer_major : FileHeaderState::good;
}

std::optional<ChunkHeader> parse_chunk_header(std::span<const std::uint8_t> bytes) {
  const std::uint8_t* at = bytes.data();
  if (std::memcmp(at, kChunkMagic.data(), kChunkMagic.size()) != 0) return std::nullopt;
  if (get<std::uint32_t>(at + 28) != checksum_of(bytes.first(28))) return std::nullopt;
  ChunkHeader header;
  header.kind = at[4];
  header.encoding = static_cast<Encoding>(at[5]);
  header.stored_size = get<std::uint32_t>(at + 8);
  header.raw_size = get<std::uint32_t>(at + 12);
  header.number = get<std::uint64_t>(at + 16);
  header.checksum = get<std::uint32_t>(at + 24);
  if (header.encoding > Encoding::zstd || header.stored_size > kMaxChunkBytes ||
      header.raw_size > kMaxChunkBytes ||
      (header.encoding == Encoding::stored && header.stored_size != header.raw_size)) {
    return std::nullopt;
  }
  return header;
}

void append_chunk(Bytes& out, ChunkKind kind, std::uint64_t number, std::span<const std::uint8_t> raw,
                  bool pack) {
  const std::size_t begin = out.size();
  const std::size_t room = pack ? ZSTD_compressBound(raw.size()) : raw.size();
  out.resize(begin + kChunkHeaderSize + room);
  std::uint8_t* payload = out.data() + begin + kChunkHeaderSize;
  std::size_t stored = raw.size();
  if (pack && packers().pack)
    stored = ZSTD_compressCCtx(packers().pack, payload, room, raw.data(), raw.size(), kLevel);
  Encoding encoding = Encoding::zstd;
  if (ZSTD_isError(stored) || stored >= raw.size()) {
    if (!raw.empty()) std::memcpy(payload, raw.data(), raw.size());
    stored = raw.size();
    encoding = Encoding::stored;
  }
  out.resize(begin + kChunkHeaderSize + stored);
  std::uint8_t* header = out.data() + begin;
  std::memset(header, 0, kChunkHeaderSize);
  std::memcpy(header, kChunkMagic.data(), kChunkMagic.size());
  header[4] = static_cast<std::uint8_t>(kind);
  header[5] = static_cast<std::uint8_t>(encoding);
  put(header + 8, static_cast<std::uint32_t>(stored));
  put(header + 12, static_cast<std::uint32_t>(raw.size()));
  put(header + 16, number);
  put(header + 24, checksum_of({header + kChunkHeaderSize, stored}));
  put(header + 28, checksum_of({header, 28}));
}

bool is_intact(const ChunkHeader& header, std::span<const std::uint8_t> stored) {
  return checksum_of(stored) == header.checksum;
}

bool unpack_chunk(const ChunkHeader& header, std::span<const std::uint8_t> stored, Bytes& raw) {
  if (!is_intact(header, stored)) return false;
  if (header.encoding == Encoding::stored) {
    raw.assign(stored.begin(), stored.end());
    return true;
  }
  if (!packers().unpack) return false;
  raw.resize(header.raw_size);
  return ZSTD_decompressDCtx(packers().unpack, raw.data(), raw.size(), stored.data(), stored.size()) ==
         header.raw_size;
}

}  // namespace tapescope::record
