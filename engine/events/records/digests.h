// Records that stand for others: written into the digests of a recording alone (format.md), so that a reader
// need not read a step's ops to know what they took.
#pragma once
#include "engine/events/records/record.h"

namespace tapescope {

// What a step took whose ops are left out here; its last record.
struct StepTimesRecord {
  static constexpr RecordKind kKind{66};

  RecordKind kind = kKind;
  std::uint8_t asks = 0;  // gradient calls
  std::uint16_t unused_h = 0;
  std::uint32_t left_out = 0;  // records, since the end of the step before
  WideSpanField forward = 0;   // until its first backward pass begins
  WideSpanField backward = 0;  // in its backward passes
  WideSpanField update = 0;    // from the end of the last one on
};

// Of such a step: how many ops ran, and what its thread waited in exchanges with other processes.
struct StepCountsRecord {
  static constexpr RecordKind kKind{67};

  RecordKind kind = kKind;
  std::uint8_t unused_a = 0;
  OpNameField exchange = 0;        // the one that took longest; 0 where none did
  SiteField site = 0;              // of that exchange
  WideSpanField waited = 0;        // in all of them
  std::uint32_t executed = 0;      // ops outside of backward passes
  std::uint32_t recorded = 0;      // of them by a tape
  std::uint32_t not_recorded = 0;  // of them by none
  std::uint32_t backward_ops = 0;
};

// How often an op ran for about so long, outside of backward passes, in the steps of the digest.
struct CallTimesRecord {
  static constexpr RecordKind kKind{68};

  RecordKind kind = kKind;
  std::uint8_t unused_a = 0;
  OpNameField op = 0;
  std::uint32_t calls = 0;
  WideSpanField took = 0;  // the five highest bits of the span, the others 0
  std::uint64_t unused_y = 0;
  std::uint64_t unused_z = 0;
};

using DigestRecords = RecordList<StepTimesRecord, StepCountsRecord, CallTimesRecord>;

}  // namespace tapescope
