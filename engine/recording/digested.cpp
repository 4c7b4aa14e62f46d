// By the headers of all chunks; of the digests of steps only the last few are unpacked.
#include "engine/recording/digested.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "engine/events/records/steps.h"
#include "engine/recording/container.h"
#include "engine/recording/contents.h"
#include "engine/recording/digest_codec.h"

namespace tapescope::record {
namespace {

// Chunks from `first` up to the digest, which ends the group and may be empty.
struct Group {
  ChunkHeader digest;
  std::uint64_t first = 0;
  off_t payload = 0;  // where the digest's begins
  std::optional<StatisticsDigest> statistics;
};

// Of each source the statistics of so many steps are read, the first ones that it has and the last ones: more
// are not looked at.
constexpr std::uint64_t kFirstStatistics = 16, kLastStatistics = 128;
constexpr std::uint32_t kMostOfStatistics = 18;  // bytes of their digest

bool read_at(int descriptor, off_t at, std::span<std::uint8_t> into) {
  return pread(descriptor, into.data(), into.size(), at) == static_cast<ssize_t>(into.size());
}

bool unpack_at(int descriptor, off_t at, const ChunkHeader& header, Bytes& raw) {
  Bytes stored(header.stored_size);
  return read_at(descriptor, at, stored) && unpack_chunk(header, stored, raw);
}

std::optional<std::uint64_t> steps_of(int descriptor, const Group& group) {
  Bytes raw;
  EventBlock block;
  std::uint64_t unknown = 0;
  if (!unpack_at(descriptor, group.payload, group.digest, raw) || !decode_digest(raw, block, unknown))
    return std::nullopt;
  return std::ranges::count_if(block.records, [](const Record& r) { return r.is<StepEndRecord>(); });
}

// Forgets the digests of statistics that are to be read: all but those in the middle of the last groups, if
// these have the same sources.
void choose_statistics(std::vector<Group>& groups) {
  std::uint64_t after = 0, before = 0;
  auto begin = groups.end();
  while (begin != groups.begin()) {
    const auto& one = std::prev(begin)->statistics;
    if (!one || one->sources != groups.back().statistics->sources) break;
    --begin;
  }
  for (auto group = groups.begin(); group != begin; ++group) group->statistics.reset();
  for (auto group = begin; group != groups.end() && before < kFirstStatistics; ++group) {
    before += group->statistics->steps;
    group->statistics.reset();
    begin = std::next(group);
  }
  for (auto group = groups.end(); group != begin && after < kLastStatistics;) {
    --group;
    after += group->statistics->steps;
    group->statistics.reset();
  }
}

}  // namespace

std::vector<bool> digested_chunks(int descriptor, std::uint64_t whole_steps) {
  std::vector<Group> groups;
  std::vector<ChunkKind> kinds;  // by number
  std::uint64_t begins = 0;
  bool after_digest = false;
  std::array<std::uint8_t, kChunkHeaderSize> bytes{};
  for (off_t at = kFileHeaderSize; read_at(descriptor, at, bytes);) {
    const std::optional<ChunkHeader> header = parse_chunk_header(bytes);
    if (!header || header->number != kinds.size()) break;
    at += static_cast<off_t>(kChunkHeaderSize);
    const auto kind = static_cast<ChunkKind>(header->kind);
    kinds.push_back(kind);
    if (kind == ChunkKind::digest) {
      groups.push_back({*header, begins, at, {}});
      begins = kinds.size();
    }
    if (kind == ChunkKind::statistics_digest && after_digest && header->raw_size <= kMostOfStatistics) {
      Bytes raw;
      StatisticsDigest digest;
      if (unpack_at(descriptor, at, *header, raw) && read_statistics_digest(raw, digest))
        groups.back().statistics = digest;
    }
    after_digest = kind == ChunkKind::digest;
    at += static_cast<off_t>(header->stored_size);
  }
  for (std::uint64_t whole = 0; !groups.empty() && whole < whole_steps; groups.pop_back()) {
    if (groups.back().digest.raw_size == 0) continue;
    const std::optional<std::uint64_t> steps = steps_of(descriptor, groups.back());
    if (!steps || *steps == 0) return {};  // no program's: how many more of them are to be unpacked?
    whole += *steps;
  }
  choose_statistics(groups);
  std::erase_if(groups, [](const Group& group) { return group.digest.raw_size == 0; });
  if (groups.empty()) return {};
  std::vector<bool> digested(kinds.size());
  for (const Group& group : groups) {
    for (std::uint64_t i = group.first; i < group.digest.number; ++i) {
      digested[i] = kinds[i] == ChunkKind::events || (kinds[i] == ChunkKind::statistics && group.statistics);
    }
    digested[group.digest.number] = true;
  }
  return digested;
}

}  // namespace tapescope::record
