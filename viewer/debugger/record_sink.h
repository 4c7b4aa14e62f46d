// Who reads a recorded run again takes it in these parts, in the order they were written.
#pragma once
#include <functional>
#include <span>

#include "engine/events/session.h"
#include "engine/recording/columns.h"

namespace tapescope {

// Each returns false where no more is wanted.
struct RecordSink {
  std::function<bool(const record::EventBlock&)> events;
  std::function<bool(std::span<const StatsEntry>)> statistics;
};

}  // namespace tapescope
