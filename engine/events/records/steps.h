// Records of training steps, of what programs say about them, and of records that were lost.
#pragma once
#include "engine/events/records/record.h"

namespace tapescope {

// A training step begins.
struct StepBeginRecord {
  static constexpr RecordKind kKind{26};

  RecordKind kind = kKind;
  std::uint8_t implied = 0;  // 1: the program marks none, the engine saw that one begins
  std::uint16_t unused_h = 0;
  std::uint32_t program = 0;  // 0 is A, 1 is B of a comparison
  std::uint64_t step = 0;     // from 0
  TicksField ticks = 0;
  OrderField order = 0;
};

// A training step ends.
struct StepEndRecord {
  static constexpr RecordKind kKind{27};

  RecordKind kind = kKind;
  std::uint8_t abandoned = 0;  // 1: before it was complete
  std::uint16_t unused_h = 0;
  std::uint32_t program = 0;
  std::uint64_t step = 0;
  TicksField ticks = 0;
  OrderField order = 0;
};

// A metric has a value; "loss" is a metric.
struct ScalarRecord {
  static constexpr RecordKind kKind{28};

  RecordKind kind = kKind;
  std::uint8_t unused_a = 0;
  std::uint16_t unused_h = 0;
  NameField metric = 0;
  double value = 0;
  std::uint64_t step = 0;
  OrderField order = 0;
};

// A line for the log.
struct MessageRecord {
  static constexpr RecordKind kKind{36};

  RecordKind kind = kKind;
  std::uint8_t severity = 0;  // 0 information, 1 warning, 2 error
  std::uint16_t unused_h = 0;
  NameField text = 0;
  SiteField site = 0;
  std::uint32_t unused_x = 0;
  std::uint64_t unused_y = 0;
  OrderField order = 0;
};

// Records of the thread were dropped here.
struct LostRecord {
  static constexpr RecordKind kKind{37};

  RecordKind kind = kKind;
  std::uint8_t thinned = 0;  // 1: all ops of the step that ends here were left out, as the line is narrow
  std::uint16_t unused_h = 0;
  std::uint32_t unused_b = 0;
  std::uint64_t records = 0;  // how many
  std::uint64_t every = 0;    // thinned: one step of so many is whole
  std::uint64_t unused_z = 0;
};

using StepRecords = RecordList<StepBeginRecord, StepEndRecord, ScalarRecord, MessageRecord, LostRecord>;

}  // namespace tapescope
