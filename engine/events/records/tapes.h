// Records of tapes: blocks that are entered and left, what is watched, what silences them.
#pragma once
#include "engine/events/records/record.h"

namespace tapescope {

// A tape's block was entered.
struct TapeEnterRecord {
  static constexpr RecordKind kKind{9};
  static constexpr std::uint8_t kPersistent = 1;       // can be asked more than once
  static constexpr std::uint8_t kWatchesAccessed = 2;  // watches trainable variables that are read
  static constexpr std::uint8_t kAgain = 4;            // it goes on with what it recorded before

  RecordKind kind = kKind;
  std::uint8_t flags = 0;
  std::uint16_t unused_h = 0;
  TapeId tape = 0;
  SiteField site = 0;
  SiteField made = 0;  // where the tape was made; 0 in older recordings
  std::uint64_t unused_y = 0;
  OrderField order = 0;
};

// Something happened to a tape: kinds with one layout.
struct TapeRecord {
  static constexpr RecordKind kExit{10};       // a tape's block was left
  static constexpr RecordKind kPause{11};      // the block's recording stops for a while
  static constexpr RecordKind kResume{12};     // it goes on
  static constexpr RecordKind kReset{13};      // a tape's recording was thrown away
  static constexpr RecordKind kConsumed{14};   // a gradient call used a tape up
  static constexpr RecordKind kDestroyed{15};  // a tape's recording was given back
  static constexpr RecordKind kKinds[] = {kExit, kPause, kResume, kReset, kConsumed, kDestroyed};

  RecordKind kind = kNoRecord;
  std::uint8_t unused_a = 0;
  std::uint16_t unused_h = 0;
  TapeId tape = 0;
  SiteField site = 0;
  std::uint32_t unused_x = 0;
  std::uint64_t unused_y = 0;
  OrderField order = 0;
};

enum class WatchKind : std::uint8_t {
  refused_dtype = 0,  // of an integer type, which has no gradient
  by_hand = 1,
  by_read = 2,  // a trainable variable that was read
  known = 3,    // it is watched or was computed on the tape
  ignored = 4,  // the tape does not record
};

// A tape was asked to watch a tensor or a variable.
struct WatchRecord {
  static constexpr RecordKind kKind{16};

  RecordKind kind = kKind;
  WatchKind how = WatchKind::refused_dtype;
  std::uint16_t unused_h = 0;
  TapeId tape = 0;
  TensorId watched = 0;  // or handle
  SiteField site = 0;
  std::uint32_t unused_y = 0;
  OrderField order = 0;
};

// Every tape of the thread is silenced from here on.
struct SilenceBeginRecord {
  static constexpr RecordKind kKind{17};

  RecordKind kind = kKind;
  std::uint8_t unused_a = 0;
  std::uint16_t unused_h = 0;
  NameField by = 0;  // "stop_gradient", "init_scope"
  std::uint64_t unused_x = 0;
  std::uint64_t unused_y = 0;
  OrderField order = 0;
};

// The innermost silence of the thread is over.
struct SilenceEndRecord {
  static constexpr RecordKind kKind{18};

  RecordKind kind = kKind;
  std::uint8_t unused_a = 0;
  std::uint16_t unused_h = 0;
  std::uint32_t unused_b = 0;
  std::uint64_t unused_x = 0;
  std::uint64_t unused_y = 0;
  OrderField order = 0;
};

using TapeRecords =
    RecordList<TapeEnterRecord, TapeRecord, WatchRecord, SilenceBeginRecord, SilenceEndRecord>;

}  // namespace tapescope
