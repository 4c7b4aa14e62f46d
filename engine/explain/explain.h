// Why a gradient is None, or zero, and where a NaN began: answers worked out from event records alone.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/ids.h"
#include "engine/core/public.h"
#include "engine/explain/reasons.inl"

namespace tapescope TAPESCOPE_PUBLIC {

// Those of reasons.inl, in their order.
enum class Reason : std::uint8_t {
  none,  // there is a gradient
#define TAPESCOPE_REASON(name, words) name,
  TAPESCOPE_REASONS(TAPESCOPE_REASON)
#undef TAPESCOPE_REASON
};

// "not_watched"; "none" for Reason::none.
std::string_view name_of(Reason reason);
// "watched after its use", for pictures; empty for Reason::none and where no reason has that name.
std::string_view short_words(std::string_view name);

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
  std::string message;                // one sentence that names the source, the edge and both lines
  std::string location;               // the edge's
  std::string fix;                    // what to do
  std::vector<PathItem> path;         // from the target towards the source, up to the break
  PathItem edge;                      // the break itself
  bool guess = false;                 // the records suggest it, and do not prove it
};

}  // namespace tapescope
