// Records of what the processes of a job hold in common, written so that a reader can compare them.
#pragma once
#include "engine/events/records/record.h"

namespace tapescope {

// What this process holds after an exchange, and every other process of the job should hold too.
struct ReplicaRecord {
  static constexpr RecordKind kKind{55};

  RecordKind kind = kKind;
  std::uint8_t value = 0;   // 0: the gradient of the source after the exchange, 1: the source's own value
  std::uint16_t index = 0;  // of the source among those of the call, from 0
  NameField name = 0;       // of the source
  TensorId source = 0;      // or handle
  std::uint64_t hash = 0;   // of the elements' bytes; 0: there is no gradient
  OrderField order = 0;
};

using ReplicaRecords = RecordList<ReplicaRecord>;

}  // namespace tapescope
