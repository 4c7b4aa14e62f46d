// The record of how a program ended.
#pragma once
#include "engine/events/records/record.h"

namespace tapescope {

// How a program ended.
enum class ProgramEnd : std::uint8_t {
  unknown = 0,
  exit = 1,       // main returned, or exit was called
  exception = 2,  // nothing caught it
  terminate = 3,  // std::terminate was called without an exception
  signal = 4,
  interrupted = 5,  // by its user
  quick_exit = 6,   // std::quick_exit was called; the exit code is not known
  left = 7,         // by _exit, or by another program in its place: what it was about to leave is not known
};

// The program ends; its last record. Others follow only where its own handler lets it survive a signal.
struct ProgramEndRecord {
  static constexpr RecordKind kKind{53};

  RecordKind kind = kKind;
  ProgramEnd how = ProgramEnd::exit;
  std::uint16_t unused_h = 0;
  NameField type = 0;      // of the exception, else of the signal ("SIGSEGV")
  std::uint32_t code = 0;  // exit code, or number of the signal
  NameField text = 0;      // of the exception
  TicksField ticks = 0;
  std::uint64_t unused_z = 0;
};

using EndingRecords = RecordList<ProgramEndRecord>;

}  // namespace tapescope
