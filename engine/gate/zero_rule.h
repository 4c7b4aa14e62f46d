// How an op makes a gradient zero everywhere: what explanations of such a gradient say of it.
#pragma once
#include <cstdint>
#include <string_view>

#include "engine/core/public.h"

namespace tapescope TAPESCOPE_PUBLIC {

// In the order of how surely an op of that kind explains a gradient that is zero everywhere. Several give one
// reason; name_of() in viewer/store/zero_reason.h has its name.
enum class ZeroCause : std::uint8_t {
  flat,         // sign: constant almost everywhere
  dead,         // dead_relu: constant for the inputs it got
  clipped,      // a bound cut all elements off
  loser,        // max_loser: another element was the largest
  masked,       // only other elements were taken
  saturated,    // the slope at such inputs rounds to zero
  underflow,    // the result's type cannot hold such a small gradient
  kink,         // sign: the slope at this point counts as 0
  cancels,      // contributions add up to nothing
  zero_factor,  // zero_weights: a factor was zero everywhere
  zero_base,    // zero_weights: a power of an input that was zero everywhere
};

struct ZeroRule {
  ZeroCause cause;
  std::string_view what;  // goes on after the op's name and line: "got no positive input, and is flat there"
  std::string_view fix;   // what to do
};

}  // namespace tapescope
