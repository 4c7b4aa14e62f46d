// Records as columns: what makes a record of 32 bytes a handful on disk.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "engine/events/records/record.h"
#include "engine/recording/bytes.h"

namespace tapescope::record {

// Records of several threads in the order they were taken, batch after batch.
struct EventBlock {
  struct Batch {
    std::uint32_t thread = 0;
    std::uint32_t count = 0;
  };
  std::vector<Batch> batches;
  std::vector<Record> records;

  void add(std::uint32_t thread, std::span<const Record> more);
  void clear();
  // What follows the first `count` records.
  EventBlock from(std::size_t count) const;
};

// What a chunk holds at most; a writer begins a new one.
inline constexpr std::size_t kMaxBlockRecords = 32768;

void encode_events(const EventBlock& block, ByteWriter& out);
// False where the bytes cannot be what encode_events() wrote. Takes memory in proportion to the bytes.
// Records of kinds this version does not know are left out and counted in `unknown`.
bool decode_events(std::span<const std::uint8_t> bytes, EventBlock& block, std::uint64_t& unknown);

}  // namespace tapescope::record
