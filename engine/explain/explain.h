// Why a gradient is None, or zero, and where a NaN began: answers worked out from event records alone.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/events/records/record.h"

namespace tapescope {

class History;

// The reasons of design/interfaces.md, in its order.
enum class Reason : std::uint8_t {
  none,  // there is a gradient
  not_watched,
  not_trainable,
  watch_disabled,
  watched_too_late,
  outside_tape_before,
  outside_tape_after,
  paused,
  reset,
  consumed,
  other_tape,
  other_thread,
  stop_gradient,
  not_differentiable,
  argument_not_differentiable,
  integer_dtype,
  integer_cast,
  host_round_trip,
  state_update,
  overwritten,
  recreated_tensor,
  custom_gradient_none,
  branch_not_taken,
  traced_constant,
  inner_gradient_outside_outer_tape,
  unused,
  independent,
  empty_sources,
};

// "not_watched"; "none" for Reason::none.
std::string_view name_of(Reason reason);

// An op on the way from the target towards the source.
struct PathItem {
  std::string op;        // op type
  std::string name;      // readable name of the op or tensor: "dense_1/MatMul"
  std::string location;  // "none_gradients.cpp:41"
  TensorId output = 0;
};

struct Explanation {
  Reason reason = Reason::none;
  std::string_view zero_reason = {};  // of a gradient that exists and is zero: "dead_relu"
  std::string message;         // one sentence that names the source, the edge and both lines
  std::string location;        // the edge's
  std::string fix;             // what to do
  std::vector<PathItem> path;  // from the target towards the source, up to the break
  PathItem edge;               // the break itself
};

// Why `target`'s gradient with respect to `source` came out None when `tape` was asked, as of the end of the
// history. `tape` 0 means the tape of the last question. Never throws; what the records do not hold it says.
Explanation explain_none(const History& history, TapeId tape, TensorId target, TensorId source);

}  // namespace tapescope
