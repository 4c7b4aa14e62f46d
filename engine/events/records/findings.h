// Records of what a framework's hooks found out themselves: answers about sources, alerts, advice, retraces.
#pragma once
#include "engine/events/records/record.h"

namespace tapescope {

// What a finding is about.
enum class FindingKind : std::uint8_t { answer = 0, alert = 1, advice = 2, retrace = 3 };

// One finding, in words that are ready to be shown. A later answer about a source takes an earlier one's
// place.
struct FindingRecord {
  static constexpr RecordKind kKind{49};

  RecordKind kind = kKind;
  FindingKind about = FindingKind::answer;
  OpNameField op = 0;     // to blame; 0: none
  NameField subject = 0;  // source, function, or what the alert or advice is about
  NameField reason = 0;   // of an answer; kind of an alert, an advice or a retrace
  SiteField site = 0;     // of the edge, or the call
  NameField message = 0;  // of a retrace: what the call gave
  NameField fix = 0;      // what to do about it
  NameField detail = 0;   // an answer's status, an alert's "backward inf", a retrace's argument
  NameField target = 0;   // of a retrace: what the trace before was made for
};

// Figures of the finding before.
struct FindingFiguresRecord {
  static constexpr RecordKind kKind{50};
  static constexpr bool kContinues = true;

  RecordKind kind = kKind;
  std::uint8_t unused_a = 0;
  std::uint16_t unused_h = 0;
  std::uint32_t unused_b = 0;
  double norm = 0;             // of an answer's gradient; microseconds that a retrace took
  std::uint64_t elements = 0;  // of it that are not finite; number of a retrace's call
  std::uint64_t count = 0;     // traces of a retrace's function so far
};

// An op on the way from the target towards the source of the finding before, in this order.
struct FindingStepRecord {
  static constexpr RecordKind kKind{51};
  static constexpr bool kContinues = true;

  RecordKind kind = kKind;
  std::uint8_t unused_a = 0;
  OpNameField op = 0;
  NameField name = 0;
  SiteField site = 0;
  std::uint32_t unused_x = 0;
  std::uint64_t unused_y = 0;
  std::uint64_t unused_z = 0;
};

using FindingRecords = RecordList<FindingRecord, FindingFiguresRecord, FindingStepRecord>;

}  // namespace tapescope
