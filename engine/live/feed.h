// Where a viewer's records come from: a separate session or, in a program that is recorded, what the
// recording gets.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/events/session.h"

namespace tapescope::live {

class Feed {
 public:
  virtual ~Feed() = default;
  virtual std::vector<StatsEntry> take_stats() = 0;
  // Hands over what is new, lost records included. Returns the number of records.
  virtual std::size_t drain(const std::function<void(std::uint32_t, std::span<const Record>)>& sink) = 0;
  // Nothing more comes; what came can still be drained. `program_ends`: everything it did is there then.
  virtual void stop(bool program_ends) = 0;
  virtual std::uint64_t lost() const = 0;
  virtual std::uint64_t lost_stats() const = 0;
};

// Begins to listen. Throws Error (runtime) where the program opened a session itself.
std::unique_ptr<Feed> make_feed();

}  // namespace tapescope::live
