// What the flags and words of function records mean.
//
// function_made opens a function; a function_call follows for each call, and, when that call was traced, one
// trace_argument for each argument and each item of a structure, parents before items, as "x", "x[0]", "x['key']".
// A trace that another one repeats at once (variables were made in the first) is a record of its own with kRepeated.
#pragma once
#include <cstdint>

namespace tapescope {

struct FunctionFlags {
  static constexpr std::uint8_t kRelaxes = 1;    // reduce_retracing
  static constexpr std::uint8_t kSignature = 2;  // an input signature was given
  static constexpr std::uint8_t kCompiled = 4;
};

struct FunctionCallFlags {
  static constexpr std::uint8_t kTraced = 1;
  static constexpr std::uint8_t kNested = 2;    // called while another function was traced
  static constexpr std::uint8_t kNotCalled = 4; // a concrete function was asked for; nothing ran
  static constexpr std::uint8_t kRepeated = 8;  // the second trace of a call whose first one made variables
};

// trace_argument: x = words of the trace's key | words of this call's argument << 32, which differ where a shape was
// relaxed; y = type of the call's tensor, or kNoArgumentType | alias << 32, the index of the first variable argument
// that is the same variable; a tensor's words are its shape alone.
inline constexpr std::uint32_t kNoArgumentType = ~std::uint32_t{0};

}  // namespace tapescope
