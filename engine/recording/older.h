// Records of format 1.1 and before as those of this version: some kinds stood for several things then.
#pragma once
#include <cstdint>
#include <unordered_map>

#include "engine/recording/columns.h"

namespace tapescope::record {

// The first minor version whose records need no change.
inline constexpr std::uint16_t kMinorOfKinds = 2;

class OlderRecords {
 public:
  // Ids are still the recording's.
  void renew(EventBlock& block);

 private:
  // The trace whose unrolled loops come next on a thread.
  struct Trace {
    std::uint32_t function = 0, id = 0, nodes = 0;
  };
  // False for a record that stands for nothing any more.
  bool renew(std::uint32_t thread, Record& record);

  std::unordered_map<std::uint32_t, Trace> traces_;
};

}  // namespace tapescope::record
