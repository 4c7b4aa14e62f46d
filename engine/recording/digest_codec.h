// A digest as the payload of a chunk.
#pragma once
#include <cstdint>
#include <span>

#include "engine/recording/bytes.h"
#include "engine/recording/columns.h"

namespace tapescope::record {

// `digest` is of one thread. Hashes of replicas are most of what a digest holds, and random: they lie as they
// are in memory, apart from the other records.
void encode_digest(const EventBlock& digest, ByteWriter& out);
// As decode_events(): replicas stand in each step where DigestMaker puts them.
bool decode_digest(std::span<const std::uint8_t> bytes, EventBlock& digest, std::uint64_t& unknown);

}  // namespace tapescope::record
