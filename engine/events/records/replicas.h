// Records of a process's part in a job, written so that a reader can compare its processes: what they hold in
// common, and what they wait for each other.
#pragma once
#include "engine/events/records/record.h"

namespace tapescope {

// What this process holds after an exchange, and every other process of the job should hold too. In a digest
// both hashes of a source are one record with value 2: folded to 32 bits each, the gradient's in the low
// half.
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

// A call of a graph that exchanges with the other processes of the job inside; after the call.
struct GraphWaitRecord {
  static constexpr RecordKind kKind{57};

  RecordKind kind = kKind;
  std::uint8_t measured = 0;  // 1: the call was timed inside
  OpNameField op = 0;         // the exchange that took longest; 0 where none was timed
  SiteField site = 0;         // of the call
  WideSpanField waited = 0;   // in exchanges, while no op of the graph ran
  TicksField ticks = 0;       // the call's end
  OrderField order = 0;
};

using ReplicaRecords = RecordList<ReplicaRecord, GraphWaitRecord>;

}  // namespace tapescope
