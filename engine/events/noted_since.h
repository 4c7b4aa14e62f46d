// What a thread wrote since some point, for as long as its journal reaches: some 8,000 ops.
#pragma once
#include <cstdint>
#include <vector>

#include "engine/events/chunk.h"

namespace tapescope {

class NotedSince {
 public:
  // From now on. The thread of `writer` alone uses it.
  explicit NotedSince(const EventWriter& writer);
  std::vector<Record> records() const;

 private:
  const EventWriter& writer_;
  ChunkRef begun_;  // empty: nothing was written before
  std::uint32_t used_;
};

}  // namespace tapescope
