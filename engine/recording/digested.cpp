// By the headers of all chunks; of the digests only the last few are unpacked.
#include "engine/recording/digested.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "engine/events/records/steps.h"
#include "engine/recording/columns.h"
#include "engine/recording/container.h"

namespace tapescope::record {
namespace {

// Events from chunk `first` up to the digest, which is the last chunk of the group.
struct Group {
  ChunkHeader digest;
  std::uint64_t first = 0;
  off_t payload = 0;  // where the digest's begins
};

bool read_at(int descriptor, off_t at, std::span<std::uint8_t> into) {
  return pread(descriptor, into.data(), into.size(), at) == static_cast<ssize_t>(into.size());
}

std::optional<std::uint64_t> steps_of(int descriptor, const Group& group) {
  Bytes stored(group.digest.stored_size), raw;
  EventBlock block;
  std::uint64_t unknown = 0;
  if (!read_at(descriptor, group.payload, stored) || !unpack_chunk(group.digest, stored, raw) ||
      !decode_events(raw, block, unknown))
    return std::nullopt;
  return std::ranges::count_if(block.records, [](const Record& r) { return r.is<StepEndRecord>(); });
}

}  // namespace

std::vector<bool> digested_chunks(int descriptor, std::uint64_t whole_steps) {
  std::vector<Group> groups;
  std::vector<bool> events;  // by number
  std::uint64_t begins = 0;
  std::array<std::uint8_t, kChunkHeaderSize> bytes{};
  for (off_t at = kFileHeaderSize; read_at(descriptor, at, bytes);) {
    const std::optional<ChunkHeader> header = parse_chunk_header(bytes);
    if (!header || header->number != events.size()) break;
    at += static_cast<off_t>(kChunkHeaderSize);
    events.push_back(header->kind == static_cast<std::uint8_t>(ChunkKind::events));
    if (header->kind == static_cast<std::uint8_t>(ChunkKind::digest)) {
      if (header->raw_size > 0) groups.push_back({*header, begins, at});
      begins = events.size();
    }
    at += static_cast<off_t>(header->stored_size);
  }
  for (std::uint64_t whole = 0; !groups.empty() && whole < whole_steps; groups.pop_back()) {
    const std::optional<std::uint64_t> steps = steps_of(descriptor, groups.back());
    if (!steps) return {};
    whole += *steps;
  }
  if (groups.empty()) return {};
  std::vector<bool> digested(events.size());
  for (const Group& group : groups) {
    for (std::uint64_t i = group.first; i < group.digest.number; ++i) digested[i] = events[i];
    digested[group.digest.number] = true;
  }
  return digested;
}

}  // namespace tapescope::record
