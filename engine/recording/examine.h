// What a recording holds, chunk by chunk, also behind places that are damaged.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/recording/container.h"
#include "engine/recording/contents.h"
#include "engine/recording/ending.h"

namespace tapescope::record {

struct Examination {
  // Bytes that are no whole and sound chunk.
  struct Gap {
    std::uint64_t at = 0, bytes = 0;
    bool at_end = false;  // nothing that can be read follows
  };
  struct Kind {
    std::uint64_t chunks = 0, bytes = 0;
  };

  std::uint64_t bytes = 0;  // of the file, without its tail
  bool header_damaged = false;
  FileVersion version;
  std::map<std::uint8_t, Kind> kinds;  // those of the tail, too
  std::uint64_t events = 0, unknown_events = 0, lost_events = 0, steps = 0, tail_chunks = 0;
  std::vector<Gap> gaps;
  ProgramFacts facts;
  std::optional<EndSummary> end;  // the last chunk
  std::optional<Ending> ending;   // of the program

  // Nothing is missing that the program left.
  bool whole() const { return !header_damaged && gaps.empty() && end; }
  std::uint64_t damaged_bytes() const;
};

// Called for each sound chunk, in order: its kind and its contents, unpacked.
using ChunkVisitor = std::function<void(ChunkKind, std::span<const std::uint8_t>)>;

// Reads a file to its end, and its tail. Throws Error (surroundings) for what is no recording, is of a newer
// major version or cannot be read.
Examination examine(const std::string& path, const ChunkVisitor& visit = {});

// Writes what can be read of a recording into a new one, whole again. Where something is missing the fact
// "recovered" says what. Throws Error (surroundings) as well where `out` cannot be written or is that file.
Examination recover(const std::string& path, const std::string& out);

}  // namespace tapescope::record
