// Second consumer of this process's recording (TAPESCOPE_RECORD): a process has one
// session at a time.
#pragma once
#include <cstdint>
#include <span>

#include "engine/events/session.h"

namespace tapescope::record {

class ProcessTap {
 public:
  virtual ~ProcessTap() = default;
  // On the recording's thread, which writes as soon as they return.
  virtual void add(std::uint32_t thread, std::span<const Record> records) = 0;
  virtual void add_statistics(std::span<const StatsEntry> entries) = 0;
};

// From now on `tap` gets what the recording gets; null: none does, and the former one is not called any
// more. False where this process is not recorded.
bool tap_process_recording(ProcessTap* tap);
// Ends the recording; the tap got everything then. Does nothing where it has ended, or there is none.
void finish_process_recording();

}  // namespace tapescope::record
