// Reads the journal's chunks from the one that was current.
#include "engine/events/noted_since.h"

namespace tapescope {

NotedSince::NotedSince(const EventWriter& writer)
    : writer_(writer),
      begun_(writer.current()),
      used_(begun_ ? begun_->count.load(std::memory_order_relaxed) : 0) {}

std::vector<Record> NotedSince::records() const {
  std::vector<Record> found;
  for (const ChunkRef& chunk : writer_.journal()) {
    if (begun_ && chunk->sequence < begun_->sequence) continue;
    const std::uint32_t from = begun_ && chunk->sequence == begun_->sequence ? used_ : 0;
    found.insert(found.end(), chunk->records + from,
                 chunk->records + chunk->count.load(std::memory_order_relaxed));
  }
  return found;
}

}  // namespace tapescope
