// What a call of a TensorFlow graph waits in exchanges with other processes, by the trace of its profiler.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace tapescope::bridge {

struct GraphWait {
  std::uint64_t ns = 0;  // in which an exchange was under way and no op of its graph ran
  std::string exchange;  // type of the op that took longest, as "CollectiveReduceV2"
};

// `trace` holds a message tensorflow.profiler.Trace, of one call. Nothing where it is none, or shows no
// exchange begin; one without an end lasts until the trace's.
std::optional<GraphWait> wait_in_trace(std::span<const std::uint8_t> trace);

}  // namespace tapescope::bridge
