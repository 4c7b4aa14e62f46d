// What a process of a job held in each step that the others should hold too: hashes of sources and gradients.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/core/names.h"
#include "engine/events/records/replicas.h"
#include "viewer/store/series.h"

namespace tapescope {

// Hashes are folded to 32 bits: a job of a million steps would mistake one difference in four thousand runs.
struct ReplicaPoint {
  std::uint32_t step = 0;
  std::uint32_t value = 0;     // of the source, before the step's update; 0: not recorded
  std::uint32_t gradient = 0;  // after the exchange; 0: None, or not recorded
  bool operator==(const ReplicaPoint&) const = default;
};
struct ReplicaSeries {
  NameId id = 0;            // of the source's name
  std::string_view name;    // of the source
  std::uint16_t index = 0;  // of it among those of the call
  Series<ReplicaPoint> points;
};

// Of several exchanges in a step the last one stands. Keeps at most about `most` points of a source.
void add_replica(std::vector<ReplicaSeries>& all, const ReplicaRecord& record, std::uint64_t step,
                 std::size_t most);
void forget_replicas_from(std::vector<ReplicaSeries>& all, std::uint64_t step);

}  // namespace tapescope
